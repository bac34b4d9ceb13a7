#include "src/bench/matrix_products.h"
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <atomic>
#include <chrono>
#include <cstring>

namespace orbit {
namespace {

using Clock = std::chrono::steady_clock;
std::atomic<double> total_seconds{0}, total_flop{0};

struct Began : at::ObserverContext {
  Clock::time_point at;
  double flop;
};

// Position of the left factor among the inputs, -1 for other operators. Products with vectors count as what they are.
int left_factor(const char* name) {
  for (const char* product : {"aten::mm", "aten::bmm", "aten::mv"})
    if (std::strcmp(name, product) == 0) return 0;
  for (const char* product : {"aten::addmm", "aten::addmm_", "aten::addmv", "aten::addmv_", "aten::baddbmm"})
    if (std::strcmp(name, product) == 0) return 1;
  return -1;
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& call) {
  const int left = left_factor(call.name());
  if (left < 0 || !call.inputs()[size_t(left)].isTensor()) return nullptr;
  const at::Tensor a = call.inputs()[size_t(left)].toTensor(), b = call.inputs()[size_t(left) + 1].toTensor();
  auto began = std::make_unique<Began>();
  began->flop = 2.0 * double(a.numel()) * double(b.dim() == 1 ? 1 : b.size(-1));
  began->at = Clock::now();
  return began;
}

void end(const at::RecordFunction&, at::ObserverContext* context) {
  if (!context) return;
  const auto* began = static_cast<Began*>(context);
  const double seconds = std::chrono::duration<double>(Clock::now() - began->at).count();
  // A product outside of a parallel region has all threads to itself.
  total_seconds.fetch_add(at::in_parallel_region() ? seconds / at::get_num_threads() : seconds);
  total_flop.fetch_add(began->flop);
}

}  // namespace

MatrixProducts::MatrixProducts() {
  reset();
  handle_ = at::addGlobalCallback(at::RecordFunctionCallback(begin, end).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}
MatrixProducts::~MatrixProducts() { at::removeCallback(handle_); }

double MatrixProducts::seconds() const { return total_seconds; }
double MatrixProducts::flop() const { return total_flop; }
void MatrixProducts::reset() { total_seconds = total_flop = 0; }

double peak_flop_per_second() {
  constexpr int64_t n = 2048;
  const at::Tensor a = at::rand({n, n}), b = at::rand({n, n});
  at::Tensor c = at::empty({n, n});
  double best = 1e9;
  for (int i = 0; i < 6; ++i) {
    const auto start = Clock::now();
    at::mm_out(c, a, b);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return 2.0 * double(n) * double(n) * double(n) / best;
}

}  // namespace orbit
