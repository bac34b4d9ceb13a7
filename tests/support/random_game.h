// A game in its middle: turned by some turns, comets flying or parked, planets and garrisons dealt out at random, fleets in flight.
#pragma once
#include <random>
#include "envs/orbit_wars/game_storage.h"
#include "envs/orbit_wars/history.h"
#include "envs/orbit_wars/reset.h"
#include "envs/orbit_wars/step.h"

namespace orbit {

class RandomGame {
 public:
  static constexpr int kFleets = 64;

  explicit RandomGame(std::mt19937_64& random) : storage_(kFleets, kBoardWaves), game_(storage_.view()) {
    write_board(make_board(static_cast<int64_t>(random() >> 33)), storage_.board());
    reset_game(Serial{}, game_, rules(), 0);
    for (int turns = int(random() % 200); turns > 0; --turns) play_turn();
    const int share = 1 + int(random() % 6);  // from many owners to one in six planets owned
    for (int i = 0; i < game_.now->planet_count; ++i) {
      game_.planets.owner[i] = random() % share ? kNeutral : int32_t(random() % 4);
      game_.planets.ships[i] = int32_t(random() % 3 ? random() % 50 : random() % 400);
    }
    for (int turns = int(random() % 8); turns > 0 && !game_.now->terminated; --turns) play_turn(random);
  }
  Game& game() { return game_; }
  static Rules rules() { return {4, 500, kFleets, kDefaultShipSpeed}; }

 private:
  void play_turn() {
    const int32_t no_moves[kMaxSeats] = {};
    play_turn({no_moves, nullptr, nullptr, nullptr, 0});
  }
  void play_turn(std::mt19937_64& random) {  // two moves a seat, most of them refused
    int32_t count[kMaxSeats], from[2 * kMaxSeats], ships[2 * kMaxSeats];
    double angle[2 * kMaxSeats];
    for (int32_t& n : count) n = 2;
    for (int k = 0; k < 2 * kMaxSeats; ++k) {
      from[k] = game_.planets.id[random() % uint64_t(game_.now->planet_count)];
      ships[k] = int32_t(random() % 60);
      angle[k] = double(random() % 6283) * 1e-3;
    }
    play_turn({count, from, ships, angle, 2});
  }
  void play_turn(const Moves& moves) {
    StepScratch scratch;
    push_history(Serial{}, game_, rules(), moves);
    advance<Motion::kExact>(Serial{}, game_, rules(), moves, scratch);
  }

  GameStorage storage_;
  Game game_;
};

}  // namespace orbit
