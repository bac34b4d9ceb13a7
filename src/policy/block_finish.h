// The second half of an attention block, a = attention's result and x its residual:
// h = LN1(x + a Wo + bo), out = LN2(h + FF(h)); forward and backward on the rows of one chunk.
#pragma once
#include "src/policy/orbit_weights.h"

namespace orbit {

// What the backward pass reads, for some rows: normalised rows before scale and shift, 1/deviations, hidden activations.
struct FinishKept {
  at::Tensor n1, n2;              // (R, H)
  at::Tensor inverse1, inverse2;  // (R)
  at::Tensor hidden;              // (R, 2H)

  static FinishKept allocate(int64_t rows, int64_t h);
  FinishKept narrow(int64_t first, int64_t rows) const;
};

// Gradients of one block's weights as one flat row of numbers, so that those of several chunks and groups add up as one tensor.
struct BlockGradients {
  at::Tensor row;
  int64_t h, wide_rows;

  // wide_rows: rows (H wide) of the projections before the attention.
  static int64_t matrix_floats(int64_t h, int64_t wide_rows) { return (wide_rows + 5 * h) * h; }
  static int64_t floats(int64_t h, int64_t wide_rows) { return matrix_floats(h, wide_rows) + 11 * h; }

  at::Tensor wide() const { return matrix(0, wide_rows, h); }
  at::Tensor out_proj() const { return matrix(wide_rows * h, h, h); }
  at::Tensor ff0() const { return matrix((wide_rows + h) * h, 2 * h, h); }
  at::Tensor ff2() const { return matrix((wide_rows + 3 * h) * h, h, 2 * h); }
  at::Tensor ln1_weight() const { return vector(0, 1); }
  at::Tensor ln1_bias() const { return vector(1, 1); }
  at::Tensor out_bias() const { return vector(2, 1); }
  at::Tensor ln2_weight() const { return vector(3, 1); }
  at::Tensor ln2_bias() const { return vector(4, 1); }
  at::Tensor ff2_bias() const { return vector(5, 1); }
  at::Tensor ff0_bias() const { return vector(6, 2); }
  at::Tensor in_bias() const { return vector(8, 3); }  // query, key, value
  at::Tensor vectors() const { return row.narrow(0, matrix_floats(h, wide_rows), 11 * h); }

 private:
  at::Tensor matrix(int64_t from, int64_t rows, int64_t columns) const {
    return row.narrow(0, from, rows * columns).view({rows, columns});
  }
  at::Tensor vector(int64_t index, int64_t count) const {
    return row.narrow(0, matrix_floats(h, wide_rows) + index * h, count * h);
  }
};

// sum = a b for the first chunk of a group, else added to it.
void add_product(const at::Tensor& sum, const at::Tensor& a, const at::Tensor& b, bool first);

// attended, out (R, H); row i has the residual x[(first + i) % rows of x]. Fills kept. u (R, H): scratch.
void finish_forward(const at::Tensor& attended, const at::Tensor& x, int64_t first, const BlockWeights& w, const FinishKept& kept,
                    at::Tensor u, const at::Tensor& out);

// d_out (R, H) -> d_attended and d_x (R, H), by row; gradients of the weights go to sums. d, u (R, H), d_hidden (R, 2H): scratch.
void finish_backward(const at::Tensor& d_out, const at::Tensor& attended, const BlockWeights& w, const FinishKept& kept, bool first,
                     const BlockGradients& sums, at::Tensor d, at::Tensor u, at::Tensor d_hidden, at::Tensor d_attended,
                     at::Tensor d_x);

}  // namespace orbit
