// Compares a state of our game with a recorded one, field by field.
#pragma once
#include <set>
#include "src/parity/trace_check.h"

namespace orbit {

class StateComparison {
 public:
  explicit StateComparison(const Trace& trace);

  // State 0 of an episode must follow from the seed.
  void start(const Game& game);
  void turn(const Game& game, const TraceTurn& turn);

  const TraceResult& result() const { return result_; }

 private:
  void begin(int32_t t);
  void end();
  void planets(const Game& game, const TraceTurn& turn);
  void fleets(const Game& game, const TraceTurn& turn);
  void new_fleets(const Game& game, const TraceTurn& turn);
  void comets(const Game& game, const TraceTurn& turn);
  void wave(const Game& game, const CometGroup& wave);
  void places(const Game& game, const TraceTurn& turn);
  void ending(const Game& game, const TraceTurn& turn);

  void differ(const std::string& field, const std::string& expected, const std::string& found);
  bool same(const std::string& field, int64_t expected, int64_t found);
  void near(const char* field, int index, double expected, double found);

  const Trace& trace_;
  TraceResult result_;
  int32_t t_ = 0;
  bool equal_ = true;                                  // of the present state
  int32_t comet_id_[kMaxWaves * kWaveMembers];         // by wave and member: some of a hand-made state have no planet
  std::set<int32_t> seen_fleets_;
};

}  // namespace orbit
