// Recorded games as a load for benchmarks: launches, captures and comets as they really come.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "src/parity/trace_check.h"

namespace orbit {

// A recorded game that can be played again and again. Read-only once made, so that many environments share one.
class Recording {
 public:
  Recording(const Trace& trace, int max_fleets);

  const GameStorage& start() const { return start_; }
  const Rules& rules() const { return rules_; }
  int turns() const { return int(moves_.size()); }
  Moves moves(int turn) const { return moves_[size_t(turn)].view(); }
  double fleets() const { return fleets_; }  // in flight, summed over the turns

 private:
  GameStorage start_;
  Rules rules_;
  std::vector<TurnMoves> moves_;
  double fleets_ = 0;
};

// Recordings of all games of these files, with one fleet capacity that fits them all (at least kDefaultMaxFleets).
std::vector<std::unique_ptr<Recording>> load_recordings(const std::vector<std::string>& files);

// Environments that step together, each playing all recordings one after the other (environment i begins with number i).
class Playback {
 public:
  Playback(const std::vector<std::unique_ptr<Recording>>& recordings, int num_envs);

  // Plays everything once, the environments split over the threads.
  void play(int threads);
  int64_t steps() const { return steps_; }  // of one play
  double mean_fleets() const { return mean_fleets_; }

 private:
  void play_slice(size_t begin, size_t end);

  const std::vector<std::unique_ptr<Recording>>& recordings_;
  std::vector<GameStorage> storage_;  // one an environment
  int64_t steps_ = 0;
  double mean_fleets_ = 0;
};

}  // namespace orbit
