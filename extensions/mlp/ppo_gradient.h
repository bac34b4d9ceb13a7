// The gradient of the PPO objective over rows of a rollout: gathered, forth through the network, through the objective and back,
// a tile at a time. The arithmetic is in mlp_rows.h and ppo_head.h.
#pragma once
#include "extensions/mlp/mlp_tensors.h"
#include "extensions/mlp/ppo_head.h"

namespace orbit {

// M rows of a rollout, contiguous.
struct PpoRollout {
  const float* observation;   // (M, O)
  const int64_t* chosen;      // (M, A) of choices
  const float* number;        // (M, A) of continuous actions
  const float *log_prob, *value, *advantage, *ret;  // (M)
};

// Which rows, how much each counts, and how its advantage enters: (advantage - mean) * scale.
struct PpoMinibatch {
  const int64_t* row;  // (B)
  int64_t real;        // the first of them count, equally; the rest are padding
  double advantage_mean, advantage_scale;
};

class PpoGradient {
 public:
  PpoGradient(const MlpView& view, const PpoRollout& rollout, const PpoMinibatch& minibatch, const PpoCoefficients& coefficients);

  // Floats of the weights as the loops want them, of a buffer of gradients, zeroed before its first use, and of a thread's own scratch.
  int64_t packed_floats() const { return packed_floats_; }
  int64_t gradient_floats() const { return gradient_floats_; }
  int64_t scratch_floats() const { return scratch_floats_; }

  // The weights as they are now.
  void pack(float* packed) const;
  // Adds the gradient of rows begin .. end - 1 of the minibatch to `gradient`, and its terms (kPpoTerms) to `terms`.
  void add(int64_t begin, int64_t end, const float* packed, float* scratch, float* gradient, double* terms) const;
  // A buffer of gradients becomes the tensors' own; d_log_std (A) of continuous actions.
  void give(const float* gradient, float* d_log_std) const;

 private:
  void gather(int64_t begin, int64_t rows, const PpoTile& tile, float* x) const;

  const MlpView& view_;
  PpoRollout rollout_;
  PpoMinibatch minibatch_;
  PpoCoefficients coefficients_;
  int64_t packed_at_[2], gradient_at_[2], tile_at_[2];  // of each net
  int64_t log_std_at_, packed_floats_ = 0, gradient_floats_, columns_at_, scratch_floats_;
};

}  // namespace orbit
