// Around a minibatch's gradient, as operators: clipping and AdamW over a whole list of tensors on a CPU; scheduled numbers and what
// is noted of the minibatch on any device.
#include <torch/library.h>
#include "extensions/adamw.h"
#include "extensions/checks.h"
#include "extensions/minibatch_launch.h"
#include "extensions/share_out.h"
#if defined(ORBIT_WITH_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace orbit {
namespace {

// f(k) for each tensor, in threads where they are large.
template <class F>
void each_tensor(at::TensorList tensors, const F& f) {
  constexpr int64_t kLarge = 200000;
  int64_t total = 0;
  for (const at::Tensor& t : tensors) total += t.numel();
  const int64_t count = int64_t(tensors.size());
  share_out(count, total < kLarge ? count : 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) f(size_t(k));
  });
}

// Sums over a tensor are made in eight parts side by side, so that they are SIMD; their order is always the same.
double sum_of_squares(const float* x, int64_t count) {
  constexpr int64_t kParts = 8;
  double parts[kParts] = {};
  int64_t i = 0;
  for (; i + kParts <= count; i += kParts)
    for (int64_t k = 0; k < kParts; ++k) parts[k] += double(x[i + k]) * double(x[i + k]);
  for (; i < count; ++i) parts[0] += double(x[i]) * double(x[i]);
  double sum = 0;
  for (const double p : parts) sum += p;
  return sum;
}

void clip_gradients_(at::TensorList gradients, double max_norm, at::Tensor norm) {
  const at::Device device = norm.device();
  for (const at::Tensor& g : gradients) check_tensor(g, "gradients", at::kFloat, g.sizes(), device);
  check_tensor(norm, "norm", at::kFloat, {}, device);
  if (norm.is_meta()) return;
  std::vector<double> squares(gradients.size());
  each_tensor(gradients, [&](size_t k) { squares[k] = sum_of_squares(read_pointer<float>(gradients[k]), gradients[k].numel()); });
  double total = 0;
  for (const double s : squares) total += s;
  total = std::sqrt(total);
  *write_pointer<float>(norm) = float(total);
  const double ratio = max_norm / (total + 1e-6);
  if (ratio >= 1.0) return;  // what is no number makes all of them none
  each_tensor(gradients, [&](size_t k) {
    float* const g = write_pointer<float>(gradients[k]);
    const int64_t numbers = gradients[k].numel();
    for (int64_t i = 0; i < numbers; ++i) g[i] *= float(ratio);
  });
}

void adamw_(at::TensorList parameters, at::TensorList gradients, at::TensorList exp_avg, at::TensorList exp_avg_sq, at::TensorList steps,
            const at::Tensor& lr, const at::Tensor& skip, double beta1, double beta2, double weight_decay, double eps) {
  const at::Device device = lr.device();
  const size_t count = parameters.size();
  for (const auto& [list, name] : {std::pair{gradients, "gradients"}, {exp_avg, "exp_avg"}, {exp_avg_sq, "exp_avg_sq"}, {steps, "steps"}})
    TORCH_CHECK(list.size() == count, name, ": expected ", count, " tensors, found ", list.size());
  for (size_t k = 0; k < count; ++k) {
    check_tensor(parameters[k], "parameters", at::kFloat, parameters[k].sizes(), device);
    check_tensor(gradients[k], "gradients", at::kFloat, parameters[k].sizes(), device);
    check_tensor(exp_avg[k], "exp_avg", at::kFloat, parameters[k].sizes(), device);
    check_tensor(exp_avg_sq[k], "exp_avg_sq", at::kFloat, parameters[k].sizes(), device);
    check_tensor(steps[k], "steps", at::kFloat, {}, device);
  }
  check_tensor(lr, "lr", at::kFloat, {}, device);
  check_tensor(skip, "skip", at::kFloat, {}, device);
  if (lr.is_meta() || *read_pointer<float>(skip) > 0) return;
  const AdamWStep step{beta1, beta2, weight_decay, eps};
  const double rate = double(*read_pointer<float>(lr));
  if (count == 0) return;
  const float first = *read_pointer<float>(steps[0]) + 1;  // of most tensors: powers are computed once
  const AdamWRates rates(step, rate, double(first));
  each_tensor(parameters, [&](size_t k) {
    float* done = write_pointer<float>(steps[k]);
    *done += 1;
    adamw_tensor(*done == first ? rates : AdamWRates(step, rate, double(*done)), parameters[k].numel(), read_pointer<float>(gradients[k]),
                 write_pointer<float>(parameters[k]), write_pointer<float>(exp_avg[k]), write_pointer<float>(exp_avg_sq[k]));
  });
}

void schedule_(const at::Tensor& steps_done, double start, double end, int64_t steps, bool cosine, const std::optional<at::Tensor>& scale,
               at::Tensor value) {
  const at::Device device = value.device();
  check_tensor(value, "value", at::kFloat, {}, device);
  check_tensor(steps_done, "steps_done", at::kFloat, {}, device);
  if (scale) check_tensor(*scale, "scale", at::kFloat, {}, device);
  if (value.is_meta()) return;
  const Schedule schedule{start, end, steps, cosine};
  const float* done = read_pointer<float>(steps_done);
  const float* factor = scale ? read_pointer<float>(*scale) : nullptr;
  float* to = write_pointer<float>(value);
  if (value.is_cpu()) return write_scheduled(schedule, done, factor, to);
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch_schedule(schedule, done, factor, to, c10::cuda::getCurrentCUDAStream().stream())));
#endif
}

MinibatchRecord record_of(const at::Tensor& terms, const at::Tensor& norm, const at::Tensor& skip, const at::Tensor& stopped) {
  const at::Device device = terms.device();
  check_tensor(terms, "terms", at::kFloat, {kLossTerms}, device);
  check_tensor(norm, "norm", at::kFloat, {}, device);
  check_tensor(skip, "skip", at::kFloat, {}, device);
  check_tensor(stopped, "stopped", at::kFloat, {}, device);
  MinibatchRecord r{};
  r.terms = read_pointer<float>(terms);
  r.norm = read_pointer<float>(norm);
  return r;
}

void judge_minibatch_(const at::Tensor& terms, const at::Tensor& norm, const at::Tensor& stopped, double loss_limit, at::Tensor skip) {
  MinibatchRecord r = record_of(terms, norm, skip, stopped);
  if (terms.is_meta()) return;
  r.skip = write_pointer<float>(skip);
  r.stopped = const_cast<float*>(read_pointer<float>(stopped));
  if (terms.is_cpu()) return judge_minibatch(r, loss_limit);
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch_judge_minibatch(r, loss_limit, c10::cuda::getCurrentCUDAStream().stream())));
#endif
}

void record_minibatch_(const at::Tensor& terms, const at::Tensor& norm, const at::Tensor& skip, double target_kl, at::Tensor sums,
                       at::Tensor stopped, at::Tensor diverged, at::Tensor position) {
  MinibatchRecord r = record_of(terms, norm, skip, stopped);
  check_tensor(sums, "sums", at::kDouble, {kNotedNumbers}, terms.device());
  check_tensor(diverged, "diverged", at::kFloat, {2}, terms.device());
  check_tensor(position, "position", at::kLong, {}, terms.device());
  if (terms.is_meta()) return;
  r.skip = const_cast<float*>(read_pointer<float>(skip));
  r.stopped = write_pointer<float>(stopped);
  r.sums = write_pointer<double>(sums);
  r.diverged = write_pointer<float>(diverged);
  r.position = write_pointer<int64_t>(position);
  if (terms.is_cpu()) return record_minibatch(r, target_kl);
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch_record_minibatch(r, target_kl, c10::cuda::getCurrentCUDAStream().stream())));
#endif
}

void register_numbers(torch::Library& m) {
  m.impl("schedule_", schedule_);
  m.impl("judge_minibatch_", judge_minibatch_);
  m.impl("record_minibatch_", record_minibatch_);
}
void register_all(torch::Library& m) {
  m.impl("clip_gradients_", clip_gradients_);
  m.impl("adamw_", adamw_);
  register_numbers(m);
}

}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { orbit::register_all(m); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { orbit::register_all(m); }
#if defined(ORBIT_WITH_CUDA)
TORCH_LIBRARY_IMPL(orbit, CUDA, m) { orbit::register_numbers(m); }
#endif
