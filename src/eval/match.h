// Games between two players on given boards, seats swapped, and what they say about playing strength.
#pragma once
#include <cstdint>
#include <functional>
#include "src/league/player.h"

namespace orbit {

struct MatchResult {
  int64_t games = 0, won = 0, shared = 0, lost = 0;  // from the first player's side
  int64_t turns = 0;                                 // of all games together

  double win_rate() const { return games ? double(won) / double(games) : 0.0; }
};

struct Interval {
  double low, high;
};
// 95 % Wilson score interval of a proportion.
Interval wilson_interval(int64_t successes, int64_t trials);

// One game in every environment of `env`, boards given by row (N) int32. The first player sits in seat n mod players of
// environment n, the second in all others. Ends early, with the games so far left unfinished, when stop() says so.
MatchResult play_match(Player& first, Player& second, VecEnv& env, const at::Tensor& boards, const std::function<bool()>& stop);

// Boards 0, 0, .., 1, 1, ..: each board once for every seat.
at::Tensor boards_with_seats_swapped(int64_t games, int64_t players, at::Device device);

}  // namespace orbit
