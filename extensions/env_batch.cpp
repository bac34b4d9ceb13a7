#include "extensions/env_batch.h"
#include <ATen/ops/zeros.h>
#include "extensions/checks.h"
#include "extensions/episodes.h"

namespace orbit {
namespace {

struct Layout {
  const char* name;
  at::ScalarType dtype;
  std::vector<int64_t> shape;
};

std::vector<Layout> layout_of(const EnvTable& e, int64_t n, at::ScalarType real) {
  const int64_t width = e.observation_size;
  return {{"state_real", real, {e.real_fields, n}},  {"state_integer", at::kInt, {e.integer_fields, n}},
          {"episode", at::kInt, {n}},                {"length", at::kInt, {n}},
          {"return", at::kFloat, {n}},               {"reward", real, {n}},
          {"terminated", at::kBool, {n}},            {"truncated", at::kBool, {n}},
          {"observation", at::kFloat, {n, width}},   {"final_observation", at::kFloat, {n, width}},
          {"fault", at::kByte, {n}},                 {"final_length", at::kInt, {n}},
          {"final_return", at::kFloat, {n}},         {"totals", at::kDouble, {n, kEpisodeTotals}}};
}

}  // namespace

std::vector<std::string> env_batch_names() {
  std::vector<std::string> names;
  for (const Layout& l : layout_of(EnvTable{}, 0, at::kFloat)) names.push_back(l.name);
  return names;
}

std::vector<at::Tensor> make_env_batch(const EnvTable& env, int64_t count, bool in_double, at::Device device) {
  TORCH_CHECK(count >= 0, "environments: expected 0 or more, found ", count);
  std::vector<at::Tensor> batch;
  for (const Layout& l : layout_of(env, count, in_double ? at::kDouble : at::kFloat))
    batch.push_back(at::zeros(l.shape, at::TensorOptions().dtype(l.dtype).device(device)));
  return batch;
}

EnvBatchView env_batch_view(const EnvTable& env, at::TensorList batch, int64_t seed, int64_t first, int64_t time_limit,
                            const std::optional<at::Tensor>& given) {
  TORCH_CHECK(batch.size() == kEnvTensors, "batch: expected ", int(kEnvTensors), " tensors, found ", batch.size());
  const at::Tensor& real = batch[kEnvReal];
  TORCH_CHECK(real.scalar_type() == at::kFloat || real.scalar_type() == at::kDouble,
              "state_real: expected dtype Float or Double, found ", real.scalar_type());
  TORCH_CHECK(real.dim() == 2, "state_real: expected shape (fields, environments), found ", real.sizes());
  const int64_t n = real.size(1);
  size_t i = 0;
  for (const Layout& l : layout_of(env, n, real.scalar_type())) check_tensor(batch[i++], l.name, l.dtype, l.shape, real.device());
  TORCH_CHECK(first >= 0 && first + n <= int64_t(1) << 32, "first: expected 0 .. 2^32 - environments, found ", first);
  TORCH_CHECK(time_limit < INT32_MAX, "time_limit: expected below ", INT32_MAX, " steps, found ", time_limit);
  if (given) {
    check_tensor(*given, "given", at::kDouble, {n, -1}, real.device());
    TORCH_CHECK(given->size(1) > 0, "given: expected at least one number an environment, found none");
  }
  EnvBatchView v;
  v.real = real.is_meta() ? nullptr : real.mutable_data_ptr();
  v.integer = write_pointer<int32_t>(batch[kEnvInteger]);
  v.episode = write_pointer<int32_t>(batch[kEnvEpisode]);
  v.length = write_pointer<int32_t>(batch[kEnvLength]);
  v.ret = write_pointer<float>(batch[kEnvReturn]);
  v.reward = real.is_meta() ? nullptr : batch[kEnvReward].mutable_data_ptr();
  v.terminated = write_pointer<bool>(batch[kEnvTerminated]);
  v.truncated = write_pointer<bool>(batch[kEnvTruncated]);
  v.observation = write_pointer<float>(batch[kEnvObservation]);
  v.final_observation = write_pointer<float>(batch[kEnvFinalObservation]);
  v.fault = write_pointer<uint8_t>(batch[kEnvFault]);
  v.final_length = write_pointer<int32_t>(batch[kEnvFinalLength]);
  v.final_return = write_pointer<float>(batch[kEnvFinalReturn]);
  v.totals = write_pointer<double>(batch[kEnvTotals]);
  v.count = n;
  v.first = first;
  v.seed = uint64_t(seed);
  v.time_limit = int32_t(time_limit < 0 ? env.time_limit : time_limit);
  v.given = given ? read_pointer<double>(*given) : nullptr;
  v.given_count = given ? given->size(1) : 0;
  return v;
}

std::vector<std::string> env_faults(const EnvTable& env, const at::Tensor& fault, int64_t first) {
  check_tensor(fault, "fault", at::kByte, {-1}, fault.device());
  const at::Tensor host = fault.cpu();
  std::vector<std::string> lines;
  for (int64_t i = 0; i < host.numel(); ++i) {
    const uint8_t bits = host.const_data_ptr<uint8_t>()[i];
    if (!bits) continue;
    std::string what;
    const auto add = [&](uint8_t bit, const char* text) {
      if (bits & bit) what += (what.empty() ? "" : "; ") + std::string(text);
    };
    add(kFaultReward, "a reward is not finite");
    add(kFaultObservation, "an observation is not finite");
    add(kFaultAction, "an action is out of its bounds");
    add(kFaultDraws, "more random numbers were drawn than given");
    lines.push_back(std::string(env.name) + ", environment " + std::to_string(first + i) + ": " + what);
  }
  return lines;
}

}  // namespace orbit
