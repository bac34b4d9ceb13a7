#include "extensions/mlp/mlp_tensors.h"
#include <cmath>
#include "extensions/checks.h"

namespace orbit {
namespace {

constexpr double kSmallestVariance = 1e-8;

struct Layers {
  const MlpTensors& tensors;
  at::TensorList gradients;
  at::Device device = tensors.weights[0].device();

  // A layer of `in` inputs made of the weights at these places; any number of outputs.
  MlpLayer take(std::initializer_list<size_t> places, int64_t in) const {
    MlpLayer layer;
    layer.in = in;
    for (const size_t i : places) {
      const at::Tensor &weight = tensors.weights[2 * i], &bias = tensors.weights[2 * i + 1];
      check_tensor(weight, "weights", at::kFloat, {-1, in}, device);
      check_tensor(bias, "weights", at::kFloat, {weight.size(0)}, device);
      const int p = layer.parts++;
      layer.rows[p] = weight.size(0);
      layer.out += weight.size(0);
      layer.weight[p] = read_pointer<float>(weight);
      layer.bias[p] = read_pointer<float>(bias);
      if (gradients.empty()) continue;
      check_tensor(gradients[2 * i], "gradients", at::kFloat, weight.sizes(), device);
      check_tensor(gradients[2 * i + 1], "gradients", at::kFloat, bias.sizes(), device);
      layer.d_weight[p] = write_pointer<float>(gradients[2 * i]);
      layer.d_bias[p] = write_pointer<float>(gradients[2 * i + 1]);
    }
    return layer;
  }

  MlpNet net(size_t first, size_t count, bool two_ends) const {
    MlpNet n;
    n.relu = tensors.relu;
    int64_t in = tensors.weights[0].size(1);
    for (size_t i = 0; i < count; ++i) {
      const bool last = i + 1 == count;
      n.layer[n.layers++] = two_ends && last ? take({first + i, first + i + 1}, in) : take({first + i}, in);
      in = n.layer[i].out;
    }
    return n;
  }
};

void check_head(const MlpTensors& t, const PolicyHead& head, at::Device device) {
  int64_t outputs = head.numbers;
  if (head.choices) {
    outputs = 0;
    for (const int64_t n : t.choices) {
      TORCH_CHECK(n > 0, "choices: expected at least one each, found ", n);
      outputs += n;
    }
  } else {
    TORCH_CHECK(t.log_std.has_value(), "log_std: expected a tensor for continuous actions, found none");
    check_tensor(*t.log_std, "log_std", at::kFloat, {-1}, device);
    TORCH_CHECK(t.low.size() == t.high.size() && (t.low.empty() || int64_t(t.low.size()) == head.numbers),
                "low, high: expected none or ", head.numbers, " bounds, found ", t.low.size(), " and ", t.high.size());
    for (size_t a = 0; a < t.low.size(); ++a)
      TORCH_CHECK(std::isfinite(t.low[a]) && std::isfinite(t.high[a]) && t.low[a] < t.high[a],
                  "low, high: expected finite bounds, low below high, found ", t.low[a], " and ", t.high[a]);
  }
  TORCH_CHECK(outputs == head.outputs, "weights: expected ", outputs, " outputs of the actor for this action, found ", head.outputs);
}

}  // namespace

MlpView mlp_view(const MlpTensors& t, at::TensorList gradients) {
  const size_t count = t.weights.size() / 2;  // linear layers
  TORCH_CHECK(t.weights.size() % 2 == 0 && count >= (t.shared ? 3 : 4) && (t.shared || count % 2 == 0),
              "weights: expected weight and bias of each layer of actor and critic, found ", t.weights.size(), " tensors");
  TORCH_CHECK(t.weights[0].dim() == 2, "weights: expected shape (out, in), found ", t.weights[0].sizes());
  TORCH_CHECK(gradients.empty() || gradients.size() == t.weights.size(), "gradients: expected ", t.weights.size(), " tensors, found ",
              gradients.size());
  const Layers layers{t, gradients};
  MlpView v;
  v.nets = t.shared ? 1 : 2;
  const size_t depth = t.shared ? count - 1 : count / 2;
  TORCH_CHECK(depth <= kMostLayers, "weights: expected at most ", kMostLayers, " layers, found ", depth);
  for (int k = 0; k < v.nets; ++k) v.net[k] = layers.net(size_t(k) * depth, depth, t.shared);
  const MlpLayer& last = v.net[0].layer[depth - 1];
  const int64_t values = t.shared ? last.rows[1] : v.net[1].outputs();
  TORCH_CHECK(values == 1, "weights: expected one value, found ", values, " outputs of the critic");

  PolicyHead& head = v.head;
  head.numbers = t.numbers();
  head.choices = t.choices.empty() ? nullptr : t.choices.data();
  head.outputs = last.rows[0];
  check_head(t, head, layers.device);
  head.log_std = t.log_std ? read_pointer<float>(*t.log_std) : nullptr;
  head.low = t.low.empty() ? nullptr : t.low.data();
  head.high = t.high.empty() ? nullptr : t.high.data();

  TORCH_CHECK(t.mean.has_value() == t.variance.has_value(), "mean, variance: expected both or none");
  if (t.mean) {
    const int64_t o = t.observation_size();
    check_tensor(*t.mean, "mean", at::kDouble, {o}, layers.device);
    check_tensor(*t.variance, "variance", at::kDouble, {o}, layers.device);
    if (t.mean->is_meta()) return v;
    for (int64_t i = 0; i < o; ++i) {
      v.shift.push_back(float(t.mean->const_data_ptr<double>()[i]));
      v.scale.push_back(float(1.0 / std::sqrt(t.variance->const_data_ptr<double>()[i] + kSmallestVariance)));
    }
  }
  return v;
}

}  // namespace orbit
