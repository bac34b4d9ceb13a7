#include "src/eval/evaluation.h"
#include "src/setup.h"

namespace orbit {
namespace {
// Every board is played once from each seat.
int64_t boards_for(const Config& c) { return (c.evaluation.games + c.environment.players - 1) / c.environment.players; }
}  // namespace

Evaluation::Evaluation(const Config& config)
    : config_(config),
      env_(environment_options(config, config.evaluation.games), make_bank(config, config.evaluation.seed_start, boards_for(config))),
      boards_(boards_with_seats_swapped(config.evaluation.games, config.environment.players, device_of(config))) {}

std::map<std::string, MatchResult> Evaluation::play(std::shared_ptr<const Policy> policy, const std::function<bool()>& stop) {
  std::map<std::string, MatchResult> results;
  const auto player = make_policy_player(std::move(policy));
  for (const std::string& name : config_.evaluation.opponents) {
    const auto opponent = make_player(name, config_);
    env_.restore(0, env_.games_begun());  // a random opponent's draws are those of turn 0 on, in every evaluation
    results[name] = play_match(*player, *opponent, env_, boards_, stop);
    if (stop()) return {};
  }
  return results;
}

double mean_win_rate(const std::map<std::string, MatchResult>& results) {
  double total = 0;
  for (const auto& [name, r] : results) total += r.win_rate();
  return results.empty() ? 0.0 : total / double(results.size());
}

}  // namespace orbit
