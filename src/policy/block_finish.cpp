#include "src/policy/block_finish.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include "src/policy/kernels/kernels.h"

namespace orbit {

using at::Tensor;

namespace {
const float* data(const Tensor& t) { return t.const_data_ptr<float>(); }
float* mutable_data(const Tensor& t) { return t.mutable_data_ptr<float>(); }
}  // namespace

FinishKept FinishKept::allocate(int64_t rows, int64_t h) {
  const auto floats = [](at::IntArrayRef shape) { return at::empty(shape, at::kFloat); };
  return {floats({rows, h}), floats({rows, h}), floats({rows}), floats({rows}), floats({rows, 2 * h})};
}

FinishKept FinishKept::narrow(int64_t first, int64_t rows) const {
  return {n1.narrow(0, first, rows), n2.narrow(0, first, rows), inverse1.narrow(0, first, rows), inverse2.narrow(0, first, rows),
          hidden.narrow(0, first, rows)};
}

void add_product(const Tensor& sum, const Tensor& a, const Tensor& b, bool first) {
  Tensor to = sum;
  if (first) at::mm_out(to, a, b);
  else to.addmm_(a, b);
}

void finish_forward(const Tensor& attended, const Tensor& x, int64_t first, const BlockWeights& w, const FinishKept& kept, Tensor u,
                    const Tensor& out) {
  const Kernels& k = kernels();
  const int64_t rows = attended.size(0), h = attended.size(1);
  Tensor n1 = kept.n1, n2 = kept.n2, hidden = kept.hidden;
  at::mm_out(n1, attended, w.out_proj.weight.t());
  k.normalise(mutable_data(n1), rows, h, data(w.out_proj.bias), data(x), first, x.size(0), data(w.ln1.weight), data(w.ln1.bias),
              mutable_data(u), mutable_data(kept.inverse1));
  at::mm_out(hidden, u, w.ff0.weight.t());
  k.add_bias_relu(mutable_data(hidden), data(w.ff0.bias), rows, 2 * h);
  at::mm_out(n2, hidden, w.ff2.weight.t());
  k.normalise(mutable_data(n2), rows, h, data(w.ff2.bias), data(u), 0, std::max<int64_t>(rows, 1), data(w.ln2.weight),
              data(w.ln2.bias), mutable_data(out), mutable_data(kept.inverse2));
}

void finish_backward(const Tensor& d_out, const Tensor& attended, const BlockWeights& w, const FinishKept& kept, bool first,
                     const BlockGradients& sums, Tensor d, Tensor u, Tensor d_hidden, Tensor d_attended, Tensor d_x) {
  const Kernels& k = kernels();
  const int64_t rows = attended.size(0), h = attended.size(1);
  // LN2 and ff2: d is the gradient of both summands of the norm.
  k.normalise_backward(data(kept.n2), data(kept.inverse2), data(w.ln2.weight), data(d_out), rows, h, mutable_data(d),
                       {mutable_data(sums.ln2_weight()), mutable_data(sums.ln2_bias()), mutable_data(sums.ff2_bias())});
  add_product(sums.ff2(), d.t(), kept.hidden, first);
  at::mm_out(d_hidden, d, w.ff2.weight);
  // Activation and ff0.
  k.relu_backward(mutable_data(d_hidden), data(kept.hidden), rows, 2 * h, mutable_data(sums.ff0_bias()));
  k.scale_shift(data(kept.n1), data(w.ln1.weight), data(w.ln1.bias), rows, h, mutable_data(u));
  add_product(sums.ff0(), d_hidden.t(), u, first);
  d.addmm_(d_hidden, w.ff0.weight);
  // LN1 and the output projection.
  k.normalise_backward(data(kept.n1), data(kept.inverse1), data(w.ln1.weight), data(d), rows, h, mutable_data(d_x),
                       {mutable_data(sums.ln1_weight()), mutable_data(sums.ln1_bias()), mutable_data(sums.out_bias())});
  add_product(sums.out_proj(), d_x.t(), attended, first);
  at::mm_out(d_attended, d_x, w.out_proj.weight);
}

}  // namespace orbit
