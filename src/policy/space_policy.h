// What networks for any ActionSpace have in common: parameters by name, how they are drawn, and the distribution that outputs stand for.
#pragma once
#include "src/policy/action_space.h"
#include "src/policy/actor_critic.h"
#include "src/policy/initialiser.h"

namespace orbit {

// Throws UserError where nothing can be learned of these, or actions without bounds are to be squashed.
void check_space(const ActionSpace& space, int64_t observation_size, bool squash);

class SpacePolicy : public Policy {
 protected:
  // Continuous actions have a parameter "log_std" (A), the first of all: nn.Module lists its own before those of its parts.
  SpacePolicy(ActionSpace space, bool squash, at::Device device);

  at::Tensor parameter(const std::string& name, const std::vector<int64_t>& shape);
  LinearWeights linear(const std::string& name, int64_t in, int64_t out);  // name.weight (out, in), name.bias (out)

  // outputs (B, K): logits of the choices, or means.
  std::unique_ptr<ActionDistribution> distribution(const at::Tensor& outputs) const;

  // Draws a layer on the CPU, so that every device begins with the same weights: orthogonal with this gain, or as nn.Linear does.
  void draw(Initialiser& from, const LinearWeights& layer, bool orthogonal, double gain) const;
  // Weights and mode of another network of the same sizes.
  void copy_from(const SpacePolicy& other);

  ActionSpace space_;
  bool squash_;
  at::Device device_;
  at::Tensor log_std_, low_, range_;  // (A); of continuous actions
};

}  // namespace orbit
