// Loops over rows that the fused operators of the network are made of. They are compiled twice, for every x86-64 processor of the
// last ten years (AVX2) and for those with AVX-512, and chosen when the program starts. Plain pointers, no allocation, no Torch.
// Within one set results depend on nothing but the arguments; between the two they differ by rounding, as the library's matrix
// products do.
#pragma once
#include <cstdint>
#include <vector>

namespace orbit {

// Attention between the planets of a state and a number of points, the same in every state. H = heads * width.
struct AttentionShape {
  int64_t heads, width, points;

  int64_t hidden() const { return heads * width; }
  // Scores of a row of shared attention, by head and point, with room behind for whole vectors.
  int64_t score_columns() const { return (heads * points + 7) / 8 * 8; }
  int64_t shared_columns() const { return score_columns() + hidden(); }
  // Scratch, and the weights of one state and head of own attention, where a state has at most `longest` planets.
  int64_t scratch_floats(int64_t longest) const { return (width + points) * ((longest > points ? longest : points) + 7); }
  int64_t tile_floats(int64_t longest) const { return points * ((longest + 7) / 8 * 8); }
};

// Gradient sums of one LayerNorm and the bias before it, (H) each; rows are added to them.
struct NormGradients {
  float *weight, *shift, *bias;
};

struct Kernels {
  const char* name;

  // `states` states, whose planets are the rows at[b] - at[0] to at[b + 1] - at[0] - 1.
  // Shared: queries are the points. z (planets, score columns + H) holds scores and values (before their bias) and gets the
  // weights in place of the scores. out (states * points, H); 0 where a state has no planet.
  void (*attend_shared)(const AttentionShape&, const int64_t* at, int64_t states, float* z, const float* value_bias, float* out);
  // d_z gets both gradients; value bias gradients are added up.
  void (*attend_shared_backward)(const AttentionShape&, const int64_t* at, int64_t states, const float* z, const float* d_out,
                                 float* d_z, float* d_value_bias, float* scratch);
  // Own: queries are the planets q (planets, H), which get their bias here; kv (states * points, 2H) keys and values (before their
  // biases; that of the keys cancels in the softmax). weights: a tile for each state and head, tile floats apart.
  void (*attend_own)(const AttentionShape&, const int64_t* at, int64_t states, float* q, const float* kv, const float* query_bias,
                     const float* value_bias, float* weights, int64_t tile, float* out, float* scratch);
  void (*attend_own_backward)(const AttentionShape&, const int64_t* at, int64_t states, const float* q, const float* kv,
                              const float* weights, int64_t tile, const float* d_out, float* d_q, float* d_kv, float* d_query_bias,
                              float* d_value_bias, float* scratch);

  // rows (count, h): a product on entry, n = (s - mean(s)) / deviation(s) on exit, with s = row + bias + residual[(first + i) % period].
  // out = n * weight + shift; inverse = 1 / deviation.
  void (*normalise)(float* rows, int64_t count, int64_t h, const float* bias, const float* residual, int64_t first, int64_t period,
                    const float* weight, const float* shift, float* out, float* inverse);
  // d_s = inverse * (g - mean(g) - n * mean(g n)) with g = d_out * weight. d_s may be d_out.
  void (*normalise_backward)(const float* n, const float* inverse, const float* weight, const float* d_out, int64_t count, int64_t h,
                             float* d_s, const NormGradients& to);
  void (*add_bias_relu)(float* rows, const float* bias, int64_t count, int64_t h);
  // d becomes 0 where the activation was; d_bias gets the sums of its columns.
  void (*relu_backward)(float* d, const float* rows, int64_t count, int64_t h, float* d_bias);
  void (*scale_shift)(const float* n, const float* weight, const float* shift, int64_t count, int64_t h, float* out);
  // to[i % period] += rows[i]
  void (*add_rows)(const float* rows, int64_t count, int64_t h, int64_t period, float* to);
};

const Kernels& kernels();                        // those in use: at first the fastest that this machine can run
std::vector<const Kernels*> runnable_kernels();  // all that it can, the fastest last
void use_kernels(const Kernels& set);            // for tests; not while a network is at work

}  // namespace orbit
