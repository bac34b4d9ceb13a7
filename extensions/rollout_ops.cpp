// A rollout of a small environment with a small network as one operator, on a CPU.
#include <torch/library.h>
#include "extensions/checks.h"
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"
#include "extensions/mlp/policy_rollout.h"
#include "extensions/share_out.h"

namespace orbit {
namespace {

// Environments that go through all steps together: at most a tile of the network's, at least one vector of its rows.
constexpr int64_t kLeastShare = 8;

void env_rollout_(c10::string_view name, at::TensorList batch, int64_t env_seed, int64_t first, int64_t time_limit, at::TensorList weights,
                  bool shared, bool relu, at::IntArrayRef choices, const std::optional<at::Tensor>& log_std, at::ArrayRef<double> low,
                  at::ArrayRef<double> high, const std::optional<at::Tensor>& mean, const std::optional<at::Tensor>& variance, int64_t seed,
                  const at::Tensor& turn, bool bootstrap, at::Tensor observation, at::Tensor action, at::Tensor log_prob, at::Tensor value,
                  at::Tensor reward, at::Tensor terminated, at::Tensor truncated, at::Tensor final_value, at::Tensor goes_on) {
  const MlpTensors tensors{weights.vec(), shared, relu, choices.vec(), log_std, low.vec(), high.vec(), mean, variance};
  const MlpView view = mlp_view(tensors);
  const EnvTable& env = find_env(std::string(name));
  const EnvBatchView games = env_batch_view(env, batch, env_seed, first, time_limit, {});
  const at::Device device = batch[kEnvReal].device();
  const bool discrete = env.action_kind != ActionKind::kContinuous;
  TORCH_CHECK(view.net[0].inputs() == env.observation_size, "weights: expected ", env.observation_size, " inputs for ", env.name, ", found ",
              view.net[0].inputs());
  TORCH_CHECK(view.head.numbers == env.action_size && discrete == (view.head.choices != nullptr), "choices: expected ", env.action_size,
              discrete ? " choices" : " continuous numbers", " for ", env.name, ", found ", view.head.numbers,
              view.head.choices ? " choices" : " continuous numbers");
  check_tensor(turn, "turn", at::kLong, {}, device);
  check_tensor(observation, "observation", at::kFloat, {-1, games.count, env.observation_size}, device);
  const int64_t steps = observation.size(0);
  TORCH_CHECK(steps > 0, "observation: expected at least one step, found none");
  check_tensor(action, "action", discrete ? at::kLong : at::kFloat, {steps, games.count, env.action_size}, device);
  const auto check = [&](const at::Tensor& t, const char* what, at::ScalarType dtype) { check_tensor(t, what, dtype, {steps, games.count}, device); };
  check(log_prob, "log_prob", at::kFloat);
  check(value, "value", at::kFloat);
  check(reward, "reward", at::kFloat);
  check(terminated, "terminated", at::kBool);
  check(truncated, "truncated", at::kBool);
  check(final_value, "final_value", at::kFloat);
  check_tensor(goes_on, "goes_on", at::kBool, {games.count}, device);
  if (turn.is_meta()) return;

  const RolloutView out{write_pointer<float>(observation),
                        discrete ? write_pointer<int64_t>(action) : nullptr,
                        discrete ? nullptr : write_pointer<float>(action),
                        write_pointer<float>(log_prob),
                        write_pointer<float>(value),
                        write_pointer<float>(reward),
                        write_pointer<bool>(terminated),
                        write_pointer<bool>(truncated),
                        write_pointer<float>(final_value),
                        write_pointer<bool>(goes_on),
                        steps};
  const bool in_double = batch[kEnvReal].scalar_type() == at::kDouble;
  const PolicyRollout rollout(view, in_double ? env.in_double : env.in_float, games, out,
                              {in_double, bootstrap, uint64_t(seed), *read_pointer<int64_t>(turn)});
  const int64_t each = (games.count + threads_to_share() - 1) / threads_to_share();
  share_out(games.count, std::clamp(each, kLeastShare, kTileRows), [&](int64_t begin, int64_t end) { rollout.play(begin, end); });
}

}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { m.impl("env_rollout_", orbit::env_rollout_); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { m.impl("env_rollout_", orbit::env_rollout_); }
