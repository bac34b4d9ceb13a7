// Drives every operator of the registry with good arguments that it then damages: random numbers in the tensors, single fields of the
// state and the bank, wrong shapes, dtypes and list lengths, random scalars. Built with sanitizers; an error is fine, anything they
// report is not.
//   ops_fuzz [SECONDS=30] [SEED]      the seed is printed
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include "tests/fuzz/op_arguments.h"

namespace orbit {
namespace {

int64_t odd_integer() {
  static const int64_t odd[] = {0, 1, -1, 2, 4, 16, 40, 47, 48, 49, 1 << 20, 1 << 24, 1 << 30, INT32_MAX, INT32_MIN, INT32_MAX - 1};
  return one_in(3) ? int64_t(int32_t(random_bits())) : odd[below(16)];
}
double odd_real() {
  static const double odd[] = {0.0, -0.0, 1e-300, 1e300, -1e300, 50.0, 100.0, -99.0, 1e9, -1e9, INFINITY, -INFINITY, NAN, NAN, 3.14, 1.0};
  return one_in(3) ? std::uniform_real_distribution<double>(-200, 300)(random_bits) : odd[below(16)];
}

// Some or all of the elements become odd numbers.
void scramble(const at::Tensor& t) {
  const int64_t n = t.numel();
  if (n == 0 || !t.is_contiguous()) return;
  const int64_t times = one_in(3) ? n : 1 + below(3);
  for (int64_t k = 0; k < times; ++k) {
    const int64_t at = times == n ? k : below(n);
    switch (t.scalar_type()) {
      case at::kInt: t.mutable_data_ptr<int32_t>()[at] = int32_t(odd_integer()); break;
      case at::kLong: t.mutable_data_ptr<int64_t>()[at] = odd_integer(); break;
      case at::kDouble: t.mutable_data_ptr<double>()[at] = odd_real(); break;
      case at::kFloat: t.mutable_data_ptr<float>()[at] = float(odd_real()); break;
      case at::kBool: t.mutable_data_ptr<bool>()[at] = one_in(2); break;
      default: break;
    }
  }
}

at::Tensor misshapen(const at::Tensor& t) {
  switch (below(6)) {
    case 0: return t.to(t.scalar_type() == at::kInt ? at::kLong : at::kInt);
    case 1: return t.dim() ? t.narrow(0, 0, t.size(0) / 2) : t.unsqueeze(0);
    case 2: return t.unsqueeze(0);
    case 3: return t.dim() ? t.transpose(0, t.dim() - 1) : t;
    case 4: return at::Tensor();
    default: return t.dim() ? at::cat({t, t}, 0) : t.to(at::kBool);
  }
}

void damage(c10::IValue& v) {
  if (v.isTensor()) {
    if (!v.toTensor().defined()) return;
    if (one_in(4)) v = misshapen(v.toTensor());
    else scramble(v.toTensor());
  } else if (v.isTensorList()) {
    c10::List<at::Tensor> list = v.toTensorList();
    if (list.empty()) return;
    const size_t at = size_t(below(int64_t(list.size())));
    const at::Tensor t = list.get(at);
    if (!t.defined()) return;
    if (one_in(30)) list.clear();
    else if (one_in(20)) list.pop_back();
    else if (one_in(10)) list.set(at, misshapen(t));
    else scramble(one_in(3) ? list.get(list.size() - 1) : t);  // the last of a state are its scalars
  } else if (v.isInt()) {
    v = one_in(2) ? odd_integer() : int64_t(random_bits());
  } else if (v.isDouble()) {
    v = odd_real();
  }
}

// Operators that take no tensors to write to: names, texts and makers.
bool without_case(const std::string& name) { return !name.ends_with("_"); }

int run(double seconds, uint64_t seed) {
  std::printf("repeat with ops_fuzz %g %llu\n", seconds, static_cast<unsigned long long>(seed));
  random_bits.seed(seed);
  std::vector<std::string> names;
  for (const c10::OperatorName& op : c10::Dispatcher::singleton().getAllOpNames())
    if (op.name.starts_with("orbit::") && !without_case(op.name.substr(7))) names.push_back(op.name.substr(7));
  Games games = fresh_games();
  const std::set<std::string> known = operators_with_arguments(games);
  for (const std::string& name : names)
    if (!known.count(name)) return std::printf("no case for operator %s\n", name.c_str()), 1;
  std::map<std::string, std::pair<int64_t, int64_t>> calls;  // all, refused
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) {
    if (one_in(2000)) games = fresh_games();
    const std::string& name = names[size_t(below(int64_t(names.size())))];
    Stack stack = good_arguments(name, games);
    for (int64_t k = below(4); k > 0; --k) damage(stack[size_t(below(int64_t(stack.size())))]);
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(("orbit::" + name).c_str(), "");
    ++calls[name].first;
    try {
      for (int turn = name == "step_" || name == "env_step_" ? 3 : 1; turn > 0; --turn) {  // what a turn leaves must do for the next
        Stack again = stack;
        op.callBoxed(again);
      }
    } catch (const c10::Error&) {
      ++calls[name].second;
    }
  }
  for (const auto& [name, n] : calls) {
    std::printf("%-16s %8lld calls, %lld refused\n", name.c_str(), static_cast<long long>(n.first), static_cast<long long>(n.second));
    if (n.second == 0 || n.second == n.first) return std::printf("%s: nothing refused, or everything\n", name.c_str()), 1;
  }
  return 0;
}

}  // namespace
}  // namespace orbit

int main(int argc, char** argv) {
  at::set_num_threads(1);
  return orbit::run(argc > 1 ? std::atof(argv[1]) : 30, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}());
}
