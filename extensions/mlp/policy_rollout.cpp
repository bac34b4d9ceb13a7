#include "extensions/mlp/policy_rollout.h"
#include <algorithm>
#include "extensions/mlp/mlp_kernels.h"
#include "extensions/mlp/observation_rows.h"
#include "extensions/mlp/sample_row.h"

namespace orbit {

struct PolicyRollout::Scratch {
  std::vector<float> tile, x, gathered;
  std::vector<int64_t> cut;  // environments whose episode was cut in this step
};

PolicyRollout::PolicyRollout(const MlpView& view, const EnvFunctions& env, const EnvBatchView& batch, const RolloutView& out,
                             const RolloutPlan& plan)
    : view_(view), env_(env), batch_(batch), out_(out), plan_(plan) {
  int64_t packed = 0;
  tile_floats_ = 0;
  for (int k = 0; k < view_.nets; ++k) {
    const MlpLayout layout(view_.net[k]);
    packed_at_[k] = packed, tile_at_[k] = tile_floats_;
    packed += layout.packed_floats, tile_floats_ += layout.tile_floats;
  }
  packed_.resize(size_t(packed));
  for (int k = 0; k < view_.nets; ++k) mlp_kernels().pack(view_.net[k], false, packed_.data() + packed_at_[k]);
}

void PolicyRollout::play(int64_t begin, int64_t end) const {
  Scratch scratch{std::vector<float>(size_t(tile_floats_)), std::vector<float>(size_t(kTileRows * view_.net[0].inputs())), {}, {}};
  const int64_t actions = batch_.count * view_.head.numbers;
  for (int64_t t = 0; t < out_.steps; ++t) {
    act(t, begin, end, scratch);
    const void* action = view_.head.choices ? static_cast<const void*>(out_.chosen + t * actions) : out_.number + t * actions;
    env_.step(batch_, action, begin, end);
    keep_outcome(t, begin, end, scratch);
  }
  finish(begin, end, scratch);
}

template <class F>
void PolicyRollout::predict(const float* observation, int64_t rows, Scratch& scratch, const F& f) const {
  const int64_t inputs = view_.net[0].inputs();
  for (int64_t first = 0; first < rows; first += kTileRows) {
    const int64_t count = std::min(kTileRows, rows - first);
    const float* x = observation + first * inputs;
    if (!view_.scale.empty()) {
      for (int64_t i = 0; i < count; ++i) take_observation(view_, x + i * inputs, scratch.x.data() + i * inputs);
      x = scratch.x.data();
    }
    const float* out[2];
    int64_t width[2];
    for (int k = 0; k < view_.nets; ++k) {
      const MlpNet& net = view_.net[k];
      float* tile = scratch.tile.data() + tile_at_[k];
      mlp_kernels().forward(net, packed_.data() + packed_at_[k], x, inputs, count, tile);
      out[k] = tile + MlpLayout(net).hidden[net.layers - 1];
      width[k] = padded_to_lanes(net.outputs());
    }
    for (int64_t i = 0; i < count; ++i) {
      const float* outputs = out[0] + i * width[0];
      f(first + i, outputs, view_.nets == 1 ? outputs[view_.head.outputs] : out[1][i * width[1]]);
    }
  }
}

void PolicyRollout::act(int64_t step, int64_t begin, int64_t end, Scratch& scratch) const {
  const int64_t inputs = view_.net[0].inputs(), numbers = view_.head.numbers, at = step * batch_.count + begin;
  float* observation = out_.observation + at * inputs;
  std::copy_n(batch_.observation + begin * inputs, (end - begin) * inputs, observation);
  predict(observation, end - begin, scratch, [&](int64_t row, const float* outputs, float value) {
    const int64_t i = at + row;
    const DrawName name{plan_.seed, uint32_t(begin + row), uint32_t(plan_.turn + step)};
    out_.value[i] = value;
    out_.log_prob[i] = view_.head.choices ? sample_choices(view_.head, outputs, name, out_.chosen + i * numbers)
                                          : sample_numbers(view_.head, outputs, name, out_.number + i * numbers);
  });
}

void PolicyRollout::keep_outcome(int64_t step, int64_t begin, int64_t end, Scratch& scratch) const {
  const int64_t inputs = view_.net[0].inputs(), row = step * batch_.count;
  scratch.cut.clear();
  for (int64_t i = begin; i < end; ++i) {
    out_.reward[row + i] = plan_.in_double ? float(static_cast<const double*>(batch_.reward)[i]) : static_cast<const float*>(batch_.reward)[i];
    out_.terminated[row + i] = batch_.terminated[i];
    out_.truncated[row + i] = batch_.truncated[i];
    out_.final_value[row + i] = 0;
    if (plan_.bootstrap && batch_.truncated[i] && !batch_.terminated[i]) scratch.cut.push_back(i);
  }
  if (scratch.cut.empty()) return;
  scratch.gathered.resize(scratch.cut.size() * size_t(inputs));
  for (size_t k = 0; k < scratch.cut.size(); ++k)
    std::copy_n(batch_.final_observation + scratch.cut[k] * inputs, inputs, scratch.gathered.data() + int64_t(k) * inputs);
  predict(scratch.gathered.data(), int64_t(scratch.cut.size()), scratch,
          [&](int64_t k, const float*, float value) { out_.final_value[row + scratch.cut[size_t(k)]] = value; });
}

// Episodes still on are cut by the end of the rollout, and worth the value of what is seen then.
void PolicyRollout::finish(int64_t begin, int64_t end, Scratch& scratch) const {
  const int64_t row = (out_.steps - 1) * batch_.count;
  for (int64_t i = begin; i < end; ++i) {
    out_.goes_on[i] = !out_.terminated[row + i] && !out_.truncated[row + i];
    out_.truncated[row + i] |= out_.goes_on[i];
  }
  if (!plan_.bootstrap) return;
  predict(batch_.observation + begin * view_.net[0].inputs(), end - begin, scratch, [&](int64_t i, const float*, float value) {
    if (out_.goes_on[begin + i]) out_.final_value[row + begin + i] = value;
  });
}

}  // namespace orbit
