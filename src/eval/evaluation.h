// The evaluation of a run: the greedy policy against scripted opponents, on boards that training never draws.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include "src/config/config.h"
#include "src/eval/match.h"

namespace orbit {

class Evaluation {
 public:
  explicit Evaluation(const Config& config);
  // Result against each opponent of evaluation.opponents; empty if stop() ended it early.
  std::map<std::string, MatchResult> play(std::shared_ptr<const Policy> policy, const std::function<bool()>& stop);

 private:
  Config config_;
  VecEnv env_;
  at::Tensor boards_;
};

double mean_win_rate(const std::map<std::string, MatchResult>& results);

}  // namespace orbit
