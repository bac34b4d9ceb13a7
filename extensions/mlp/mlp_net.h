// A multi-layer perceptron as plain pointers and sizes, what its fused loops (mlp_kernels.h) take. Torch-free.
//
// The tensors have PyTorch's layout, (out, in). The loops work on a packed copy, made anew whenever the weights have changed:
// transposed, and with columns padded to whole vectors. Gradients are added up in the same layout and brought back at the end.
// Activations are row-major with the same padding, kTileRows states at a time, so that they stay in a core's own cache.
#pragma once
#include <cstdint>
#include "extensions/kernels/vectors.h"

namespace orbit {

constexpr int kMostLayers = 16;
constexpr int64_t kTileRows = 64;

// A linear layer. Its rows may come from two tensors: the last layer of a shared network holds those of actor and critic.
struct MlpLayer {
  int64_t in = 0, out = 0;
  int parts = 0;
  int64_t rows[2] = {};                             // out = rows[0] + rows[1]
  const float *weight[2] = {}, *bias[2] = {};       // (rows, in), (rows)
  float *d_weight[2] = {}, *d_bias[2] = {};         // gradients, overwritten; nullptr where none are wanted

  // The tensor is what the way back wants: nothing is to be put together, nor padded.
  bool goes_back_as_it_is() const { return parts == 1 && in % kLanes == 0; }
};

// An activation behind each layer but the last.
struct MlpNet {
  int layers = 0;
  bool relu = false;  // else tanh
  MlpLayer layer[kMostLayers];

  int64_t inputs() const { return layer[0].in; }
  int64_t outputs() const { return layer[layers - 1].out; }
};

inline namespace ORBIT_KERNEL_SET {

// Where the parts of a net's buffers begin, in floats.
struct MlpLayout {
  int64_t forward[kMostLayers];   // (in, padded out): weights for the way forth; the gradients' buffer has the same places
  int64_t bias[kMostLayers];      // (padded out)
  int64_t gradient_floats = 0;    // all of the above
  int64_t backward[kMostLayers];  // (out, padded in): for the way back, from the second layer on, unless the tensor itself will do
  int64_t packed_floats = 0;
  int64_t hidden[kMostLayers];    // (kTileRows, padded out): outputs of each layer
  int64_t slope[2];               // (kTileRows, widest): gradients with respect to the outputs of a layer and of the one before
  int64_t tile_floats = 0;

  explicit MlpLayout(const MlpNet& net) {
    int64_t widest = 0, at = 0;
    for (int l = 0; l < net.layers; ++l) {
      const int64_t out = padded_to_lanes(net.layer[l].out);
      forward[l] = at;
      bias[l] = at += net.layer[l].in * out;
      at += out;
      hidden[l] = tile_floats;
      tile_floats += kTileRows * out;
      if (out > widest) widest = out;
    }
    gradient_floats = at;
    for (int l = 1; l < net.layers; ++l) {
      backward[l] = at;
      if (!net.layer[l].goes_back_as_it_is()) at += net.layer[l].out * padded_to_lanes(net.layer[l].in);
    }
    packed_floats = at;
    slope[0] = tile_floats;
    slope[1] = slope[0] + kTileRows * widest;
    tile_floats = slope[1] + kTileRows * widest;
  }
};

}  // namespace ORBIT_KERNEL_SET

}  // namespace orbit
