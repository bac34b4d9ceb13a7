// One row of numbers an iteration, kept as JSON lines.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orbit {

// Ordered name -> number. Rows of equal runs are equal but for the names time_* (seconds) and *_per_second.
// The names that the progress line and the report look for; a row may lack any of them and hold others:
//   iteration                    0, 1, ... (always there, first)
//   episode_return, win_rate     means over the games (episodes) that ended in this iteration
//   approx_kl, entropy, clip_fraction, explained_variance, policy_loss, value_loss, reference_kl, grad_norm
//   lr, clip_eps, entropy_coef, kl_beta  as the next iteration begins with them
//   opponent_snapshot            the iteration that the opponent's weights are from (training.opponent: pool)
//   win_rate_random, ...         evaluation against that opponent, in the iterations that evaluate
//   evaluation_return, evaluation_length, evaluation_terminated  the same of small environments: means over greedy episodes, and the
//                                share of them that ended by the environment's rules
//   env_per_second               samples (states of a learning seat) a second spent in the environment alone,
//   inference_per_second         with the policy's forward and sampling added,
//   update_per_second            with the updates added: the whole iteration
//   time_launch                  of time_env and time_inference, until the host had handed all of it to the device
//   time_env, time_inference, time_update, time_evaluation, and time_iteration: all of them but evaluation, and what is between
class MetricsRow {
 public:
  void set(const std::string& name, double value);
  std::optional<double> find(const std::string& name) const;
  const std::vector<std::pair<std::string, double>>& values() const { return values_; }
  // One line of JSON: whole numbers without a point, null for what is not finite.
  std::string to_json() const;

 private:
  std::vector<std::pair<std::string, double>> values_;
};

class MetricsFile {
 public:
  explicit MetricsFile(std::string path) : path_(std::move(path)) {}

  // Adds a row as one write, so that a reader sees whole lines. Throws RunError (a full disk).
  void append(const MetricsRow& row) const;

  // Drops the rows of iterations from `iteration` on, and a line that was cut short: the state after a checkpoint that holds
  // `iteration` finished iterations.
  void cut_from(int64_t iteration) const;

  std::vector<MetricsRow> rows() const;

 private:
  std::string path_;
};

}  // namespace orbit
