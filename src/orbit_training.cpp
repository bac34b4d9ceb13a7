#include "src/orbit_training.h"
#include <ATen/ops/zeros.h>
#include <cstdio>
#include "src/setup.h"

namespace orbit {

OrbitTraining::OrbitTraining(const Config& config)
    : config_(config),
      boards_(config.environment, device_of(config), config.device.threads),
      env_(environment_options(config, config.training.episodes_per_iter), boards_.bank()),
      task_(env_, learning_seats(config), config.environment.auto_reset),
      refused_launches_(at::zeros({}, at::kLong)) {
  if (config.evaluation.every > 0) evaluation_ = std::make_unique<Evaluation>(config);
}

std::vector<NamedTensor> OrbitTraining::state() const {
  return {{"turn", env_.turn()}, {"games_begun", env_.games_begun()}, {"refused_launches", refused_launches_}};
}

// Opponent and boards of the iteration. Both are part of what a captured step has recorded.
bool OrbitTraining::begin_rollout(TrainState& state) {
  if (state.pool) state.pool->begin_iteration(state.iteration, *state.policy);
  const std::string stage = opponent_of(config_, state.iteration);
  const int64_t boards = boards_.rows_for(state.iteration);
  if (stage == stage_ && boards == boards_drawn_) return false;
  if (stage != stage_) opponent_ = make_opponent(stage, config_, state);
  task_.set_opponent(opponent_.get());
  env_.draw_from(boards);
  stage_ = stage;
  boards_drawn_ = boards;
  return true;
}

void OrbitTraining::describe(IterationReport& row) const {
  row.stage = opponent_of(config_, row.iteration);
  row.task_metrics.emplace_back("refused_launches", refused_launches_.item<double>());
}

void OrbitTraining::end_iteration(TrainState& state, IterationReport& row) {
  if (row.stage != "pool") return;
  const int64_t snapshot = state.pool->members()[state.pool->drawn(state.iteration)].iteration;
  row.task_metrics.emplace_back("opponent_snapshot", double(snapshot));
  if (row.rollout.finished > 0) state.pool->record(state.iteration, row.rollout.win_rate + row.rollout.draw_rate / 2);
}

EvaluationReport OrbitTraining::evaluate(std::shared_ptr<const Policy> policy, const std::function<bool()>& stop) {
  const std::map<std::string, MatchResult> results = evaluation_->play(std::move(policy), stop);
  EvaluationReport report{mean_win_rate(results), {}, {}};
  for (const auto& [opponent, m] : results) {
    const Interval i = wilson_interval(m.won, m.games);
    char line[160];
    std::snprintf(line, sizeof line, "evaluation against %s: won %lld of %lld games (%.0f%%, 95%% interval %.0f to %.0f%%)",
                  opponent.c_str(), static_cast<long long>(m.won), static_cast<long long>(m.games), 100 * m.win_rate(), 100 * i.low,
                  100 * i.high);
    report.metrics.emplace_back("win_rate_" + opponent, m.win_rate());
    report.lines.emplace_back(line);
  }
  return report;
}

std::vector<MemorySize> OrbitTraining::sizes() const {
  int64_t bank = 0;
  for (const at::Tensor& t : boards_.bank()) bank += int64_t(t.nbytes());
  return {{"environments", env_.bytes(), std::to_string(env_.count()) + " games"},
          {"board bank", bank, std::to_string(config_.environment.board_bank_size) + " boards"}};
}

}  // namespace orbit
