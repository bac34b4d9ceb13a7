#include "src/small_env_training.h"
#include <cstdio>
#include "extensions/episodes.h"
#include "src/common/error.h"
#include "src/small_env_setup.h"

namespace orbit {

SmallEnvTraining::SmallEnvTraining(const Config& config) : task_(small_env_options(config)) {
  if (is_recurrent(config)) recurrent_.emplace(task_, memory_of(config));
  if (config.evaluation.every > 0) evaluation_ = std::make_unique<EpisodeEvaluation>(evaluation_options(config), memory_of(config));
}

std::vector<NamedTensor> SmallEnvTraining::state() const {
  std::vector<NamedTensor> all{{"turn", task_.turn()}};
  const std::vector<std::string> names = env_batch_names();
  for (size_t i = 0; i < names.size(); ++i) all.emplace_back(names[i], task_.batch()[i]);
  if (recurrent_)
    for (const NamedTensor& t : recurrent_->state()) all.push_back(t);
  return all;
}

void SmallEnvTraining::end_rollout() {
  const std::vector<std::string> faults = task_.faults();
  if (faults.empty()) return;
  const std::string more = faults.size() > 1 ? " (and " + std::to_string(faults.size() - 1) + " environments more)" : "";
  throw RunError(faults[0] + more);
}

// The batch alone doesn't know how an episode that ends in it began, so the environments' own sums count.
void SmallEnvTraining::describe(IterationReport& row) const {
  const at::Tensor sums = task_.batch()[kEnvTotals].sum(0).cpu();
  const double* s = sums.const_data_ptr<double>();
  RolloutSummary& r = row.rollout;
  r.has_winners = false;
  r.episodes = int64_t(s[kEpisodes]);
  r.finished = int64_t(s[kEpisodesTerminated]);
  r.episode_return = r.episodes > 0 ? s[kEpisodeReturn] / s[kEpisodes] : 0;
  r.episode_length = r.episodes > 0 ? s[kEpisodeLength] / s[kEpisodes] : 0;
}

EvaluationReport SmallEnvTraining::evaluate(std::shared_ptr<const Policy> policy, const std::function<bool()>& stop) {
  const auto result = evaluation_->play(*policy, stop);
  if (!result) return {};
  const EpisodeResult& e = *result;
  char line[200];
  std::snprintf(line, sizeof line, "evaluation: return %.2f (95%% interval %.2f to %.2f), %.0f steps, %.0f%% terminated, %lld episodes",
                e.mean_return, e.mean_return - e.half_width, e.mean_return + e.half_width, e.mean_length, 100 * e.terminated,
                static_cast<long long>(e.episodes));
  return {e.mean_return,
          {{"evaluation_return", e.mean_return}, {"evaluation_length", e.mean_length}, {"evaluation_terminated", e.terminated}},
          {line}};
}

std::vector<MemorySize> SmallEnvTraining::sizes() const {
  int64_t bytes = 0;
  for (const auto& [name, t] : state()) bytes += int64_t(t.nbytes());
  return {{"environments", bytes, std::to_string(task_.rows()) + " of " + task_.env().name}};
}

}  // namespace orbit
