// AdamW (Loshchilov and Hutter 2019) with PyTorch's defaults, one operator for all tensors: learning rate, step count and the switch
// that makes a step a no-op live in tensors, so that nothing is read back to the host.
#pragma once
#include "extensions/schedule.h"
#include "src/policy/actor_critic.h"

namespace orbit {

struct AdamWOptions {
  Schedule lr{1e-4};
  double weight_decay = 1e-5;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double max_grad_norm = 0.5;     // gradients are scaled down to this global norm first
};

class AdamW {
 public:
  // Gives each parameter a gradient of zeros where it has none; backward adds to those in place from then on.
  AdamW(std::vector<NamedTensor> parameters, AdamWOptions options);

  void zero_grad();
  // Scales the gradients down to max_grad_norm; returns their norm before (). NaN makes them all NaN.
  at::Tensor clip_gradients();
  // Where skip () float32 is 1, parameters, moments and step count stay as they are, whatever the gradients.
  void step(const at::Tensor& skip);

  const at::Tensor& learning_rate() const { return lr_; }     // () of the last step
  const at::Tensor& steps_done() const { return steps_[0]; }  // () float32
  const at::Tensor& lr_scale() const { return lr_scale_; }    // () float32, multiplies the schedule; 1 until something lowers it

  // Moments by parameter, in the order of the parameters; they share storage with the optimizer.
  const std::vector<at::Tensor>& first_moments() const { return exp_avg_; }
  const std::vector<at::Tensor>& second_moments() const { return exp_avg_sq_; }
  // All tensors that a step changes besides the parameters: moments and step counts.
  std::vector<at::Tensor> state() const;
  void set_steps_done(int64_t steps);
  const AdamWOptions& options() const { return options_; }

 private:
  AdamWOptions options_;
  std::vector<at::Tensor> parameters_, gradients_, exp_avg_, exp_avg_sq_, steps_;
  at::Tensor lr_, lr_scale_, norm_;
};

}  // namespace orbit
