#include "extensions/mlp/ppo_gradient.h"
#include <algorithm>
#include <cstring>
#include <utility>
#include "extensions/mlp/mlp_kernels.h"
#include "extensions/mlp/observation_rows.h"

namespace orbit {

PpoGradient::PpoGradient(const MlpView& view, const PpoRollout& rollout, const PpoMinibatch& minibatch, const PpoCoefficients& coefficients)
    : view_(view), rollout_(rollout), minibatch_(minibatch), coefficients_(coefficients) {
  gradient_floats_ = scratch_floats_ = 0;
  for (int k = 0; k < view_.nets; ++k) {
    const MlpLayout layout(view_.net[k]);
    packed_at_[k] = packed_floats_, gradient_at_[k] = gradient_floats_, tile_at_[k] = scratch_floats_;
    packed_floats_ += layout.packed_floats, gradient_floats_ += layout.gradient_floats, scratch_floats_ += layout.tile_floats;
  }
  log_std_at_ = gradient_floats_;
  gradient_floats_ += padded_to_lanes(view_.head.numbers);
  columns_at_ = scratch_floats_;
  scratch_floats_ += kTileRows * (5 + 2 * view_.head.numbers + 2 * view_.head.outputs + 1 + view_.net[0].inputs());
}

void PpoGradient::pack(float* packed) const {
  std::memset(packed, 0, sizeof(float) * size_t(packed_floats_));
  for (int k = 0; k < view_.nets; ++k) mlp_kernels().pack(view_.net[k], true, packed + packed_at_[k]);
}

void PpoGradient::add(int64_t begin, int64_t end, const float* packed, float* scratch, float* gradient, double* terms) const {
  const MlpKernels& kernel = mlp_kernels();
  const PolicyHead& head = view_.head;
  float* at = scratch + columns_at_;
  const auto column = [&](int64_t count) { return std::exchange(at, at + count * kTileRows); };
  PpoTile tile{};
  for (float** one : {&tile.old_log_prob, &tile.old_value, &tile.advantage, &tile.ret, &tile.weight}) *one = column(1);
  tile.action = column(head.numbers), tile.opposite = column(head.numbers);
  tile.out = column(head.outputs + 1), tile.scratch = column(head.outputs);
  float* x = at;
  const int64_t inputs = view_.net[0].inputs();

  for (; begin < end; begin += kTileRows) {
    const int64_t rows = std::min(kTileRows, end - begin);
    if (rows < kTileRows) std::memset(scratch + columns_at_, 0, sizeof(float) * size_t(scratch_floats_ - columns_at_));
    gather(begin, rows, tile, x);
    // Outputs of the nets one after the other, from rows of states to columns, and their gradients back.
    const auto each_output = [&](const auto& f) {
      for (int64_t k = 0, n = 0; k < view_.nets; ++k) {
        const MlpNet& net = view_.net[k];
        const MlpLayout layout(net);
        const int64_t width = padded_to_lanes(net.outputs());
        float* const mine = scratch + tile_at_[k];
        for (int64_t j = 0; j < net.outputs(); ++j, ++n) f(mine + layout.hidden[net.layers - 1] + j, mine + layout.slope[0] + j, width, tile.out + n * kTileRows);
      }
    };
    for (int k = 0; k < view_.nets; ++k) kernel.forward(view_.net[k], packed + packed_at_[k], x, inputs, rows, scratch + tile_at_[k]);
    each_output([&](const float* out, float*, int64_t width, float* to) {
      for (int64_t i = 0; i < rows; ++i) to[i] = out[i * width];
    });
    kernel.ppo_head(head, coefficients_, tile, rows, terms, gradient + log_std_at_);
    for (int k = 0; k < view_.nets; ++k) {
      const MlpNet& net = view_.net[k];
      std::memset(scratch + tile_at_[k] + MlpLayout(net).slope[0], 0, sizeof(float) * size_t(rows * padded_to_lanes(net.outputs())));
    }
    each_output([&](const float*, float* slope, int64_t width, const float* from) {
      for (int64_t i = 0; i < rows; ++i) slope[i * width] = from[i];
    });
    for (int k = 0; k < view_.nets; ++k)
      kernel.backward(view_.net[k], packed + packed_at_[k], x, inputs, rows, scratch + tile_at_[k], gradient + gradient_at_[k]);
  }
}

void PpoGradient::gather(int64_t begin, int64_t rows, const PpoTile& tile, float* x) const {
  const int64_t numbers = view_.head.numbers, inputs = view_.net[0].inputs();
  const float weight = float(1.0 / double(std::max<int64_t>(minibatch_.real, 1)));
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = minibatch_.row[begin + i];
    take_observation(view_, rollout_.observation + row * inputs, x + i * inputs);
    tile.old_log_prob[i] = rollout_.log_prob[row];
    tile.old_value[i] = rollout_.value[row];
    tile.ret[i] = rollout_.ret[row];
    tile.advantage[i] = float((double(rollout_.advantage[row]) - minibatch_.advantage_mean) * minibatch_.advantage_scale);
    tile.weight[i] = begin + i < minibatch_.real ? weight : 0.0f;
    for (int64_t a = 0; a < numbers; ++a) {
      float& action = tile.action[a * kTileRows + i];
      if (view_.head.choices) {
        action = float(rollout_.chosen[row * numbers + a]);
        continue;
      }
      action = rollout_.number[row * numbers + a];
      if (!view_.head.low) continue;
      const double place = squashed_place(view_.head, a, double(action));
      action = float(1.0 + place);
      tile.opposite[a * kTileRows + i] = float(1.0 - place);
    }
  }
}

void PpoGradient::give(const float* gradient, float* d_log_std) const {
  for (int k = 0; k < view_.nets; ++k) mlp_kernels().unpack_gradient(view_.net[k], gradient + gradient_at_[k]);
  if (!d_log_std) return;
  for (int64_t a = 0; a < view_.head.numbers; ++a) d_log_std[a] = gradient[log_std_at_ + a];
}

}  // namespace orbit
