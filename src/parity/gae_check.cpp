// orbit_parity gae: advantages of a rollout against those that plain Python sums from the definition.
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include "src/common/error.h"
#include "src/parity/commands.h"
#include "src/parity/parity_case.h"
#include "src/ppo/advantage.h"

namespace orbit {
namespace {

// Of float32 advantages, relative to the largest where that is above 1.
constexpr double kTolerance = 1e-6;

// rewards, values, advantages, returns, normalised: (T) or (T, R), any real dtype; gamma, lambda. terminated, truncated,
// final_values and active of the same shape, or `ends` alone where no episode is truncated. In a dict of its own or under "gae".
std::vector<Comparison> check_gae(const ParityCase& given, const CaseOptions&) {
  const ParityCase c = given.find("gae") ? given.inner("gae") : given;
  const auto rows = [&](const char* key, at::ScalarType type) {
    const at::Tensor t = c.tensor(key).to(type);
    if (t.sizes() != c.tensor("rewards").sizes() || t.dim() < 1 || t.dim() > 2)
      throw UserError(std::string(key) + " is not of the shape (T) or (T, R) of rewards");
    return (t.dim() == 1 ? t.unsqueeze(1) : t).contiguous();
  };
  RolloutBatch batch;
  batch.reward = rows("rewards", at::kFloat);
  batch.value = rows("values", at::kFloat);
  const bool cut = c.find("truncated") != nullptr;
  batch.terminated = rows(cut ? "terminated" : "ends", at::kBool);
  batch.truncated = cut ? rows("truncated", at::kBool) : at::zeros_like(batch.terminated);
  batch.final_value = cut ? rows("final_values", at::kFloat) : at::zeros_like(batch.value);
  const at::Tensor active = cut ? rows("active", at::kBool) : at::ones_like(batch.terminated);

  const Advantages ours = compute_gae(batch, c.number("gamma"), c.number("lambda"));
  const at::Tensor advantages = rows("advantages", at::kDouble), returns = rows("returns", at::kDouble);
  const double scale = std::max({1.0, largest(advantages), largest(returns)});
  const at::Tensor counted = active.to(at::kDouble);  // what a slot that idles gets counts nowhere
  return {compare_tensors("advantages", ours.advantage * counted, advantages * counted, kTolerance * scale, c.file()),
          compare_tensors("returns", ours.ret * counted, returns * counted, kTolerance * scale, c.file()),
          compare_tensors("normalised", normalise_advantages(ours.advantage, active), rows("normalised", at::kDouble) * counted,
                          kTolerance * scale, c.file())};
}

}  // namespace

int gae_command(int argc, char** argv) {
  return run_case_command("gae", "Holds advantages against sums in plain Python: terminated and truncated episodes.", check_gae, argc,
                          argv);
}

}  // namespace orbit
