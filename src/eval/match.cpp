#include "src/eval/match.h"
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <cmath>

namespace orbit {

Interval wilson_interval(int64_t successes, int64_t trials) {
  if (trials == 0) return {0.0, 1.0};
  const double z = 1.959963984540054, n = double(trials), p = double(successes) / n;
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

at::Tensor boards_with_seats_swapped(int64_t games, int64_t players, at::Device device) {
  return at::arange(games, at::TensorOptions().dtype(at::kInt).device(device)).div(players, "floor").to(at::kInt).contiguous();
}

MatchResult play_match(Player& first, Player& second, VecEnv& env, const at::Tensor& boards, const std::function<bool()>& stop) {
  const auto options = at::TensorOptions().device(boards.device());
  const Seating seating = alternate_seats(env.count(), env.players(), boards.device());
  const StepResult result{at::empty({env.count(), 1}, options.dtype(at::kFloat)), at::empty({env.count(), 1}, options.dtype(at::kBool)),
                          at::empty({env.count(), 1}, options.dtype(at::kInt))};
  env.start_games(boards);
  MatchResult m;
  for (int64_t left = env.count(); left > 0 && !stop();) {
    first.act(env, seating.own);
    second.act(env, seating.others);
    env.step(seating.own, result);
    m.turns += left;
    const at::Tensor outcome = result.outcome.masked_select(result.terminated);
    m.won += outcome.eq(1).sum().item<int64_t>();
    m.shared += outcome.eq(0).sum().item<int64_t>();
    m.lost += outcome.eq(-1).sum().item<int64_t>();
    m.games += outcome.numel();
    left -= outcome.numel();
  }
  return m;
}

}  // namespace orbit
