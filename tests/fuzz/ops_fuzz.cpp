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
#include <random>
#include <set>
#include "extensions/board_bank.h"
#include "extensions/ops.h"

namespace orbit {
namespace {

using Stack = std::vector<c10::IValue>;
constexpr int64_t kEnvs = 3, kSeats = 2, kOrders = kMaxPlanets;

std::mt19937_64 random_bits;
int64_t below(int64_t n) { return int64_t(random_bits() % uint64_t(n)); }
bool one_in(int64_t n) { return below(n) == 0; }

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

struct Games {
  std::vector<at::Tensor> bank, state;
  at::Tensor seats;
  MoveTensors moves;
};

// Good games, some turns old, to be copied: made once in a while, since boards cost milliseconds.
Games fresh_games() {
  Games g;
  g.bank = make_board_bank(consecutive_seeds(below(1 << 20), 2), kDefaultCometSpeed, 1);
  g.state = make_state(kEnvs, 64, at::kCPU);
  g.seats = at::arange(kSeats, at::kInt).expand({kEnvs, kSeats}).contiguous();
  g.moves = make_moves(kEnvs, kSeats, kOrders, at::kCPU);
  GameRules rules;
  ops::reset_(g.state, g.bank, at::ones({kEnvs}, at::kBool), at::remainder(at::arange(kEnvs, at::kInt), 2).to(at::kInt), kSeats);
  for (int64_t turn = 0, last = below(120); turn < last; ++turn) {
    ops::scripted_moves_(g.state, g.bank, g.seats, 1, 7, at::full({}, turn, at::kLong), g.moves);
    ops::step_(g.state, g.bank, g.moves, rules);
  }
  return g;
}

at::Tensor ints(at::IntArrayRef s) { return at::zeros(s, at::kInt); }
at::Tensor reals(at::IntArrayRef s) { return at::zeros(s, at::kDouble); }
at::Tensor floats(at::IntArrayRef s) { return at::zeros(s, at::kFloat); }
at::Tensor flags(at::IntArrayRef s) { return at::ones(s, at::kBool); }

// Good arguments of every operator that takes tensors of games or rollouts.
std::map<std::string, Stack> good_arguments(const Games& g) {
  const auto copy = [](const std::vector<at::Tensor>& list) {
    std::vector<at::Tensor> all;
    for (const at::Tensor& t : list) all.push_back(t.clone());
    return c10::List<at::Tensor>(all);
  };
  const auto game = [&](std::initializer_list<c10::IValue> rest) {
    Stack s{copy(g.state), copy(g.bank)};
    s.insert(s.end(), rest);
    return s;
  };
  const at::Tensor count = g.moves.count.clone(), from = g.moves.from.clone(), ships = g.moves.ships.clone(), angle = g.moves.angle.clone();
  const at::Tensor seats = g.seats.clone(), standing = reals({kEnvs, kSeats, 6});
  const int64_t a = 1 + below(kMaxPlanets), b = 1 + below(kMaxPlanets);
  const auto steps = [] { return at::rand({4, 3}); };
  return {
      {"draw_boards_", {flags({kEnvs}), 5, 2, ints({kEnvs}), ints({kEnvs})}},
      {"reset_", game({flags({kEnvs}), ints({kEnvs}), kSeats})},
      {"step_", game({count, from, ships, angle, kSeats, 500, 6.0, below(3)})},
      {"observe_", game({seats, below(3), one_in(2), floats({kEnvs, kSeats, kFeatureSlots, kPlanetFeatures}), floats({kEnvs, kSeats, kGlobalFeatures}),
                         flags({kEnvs, kSeats, kFeatureSlots}), flags({kEnvs, kSeats, kFeatureSlots})})},
      {"aim_", game({at::randint(-5, 900, {kEnvs, a, b}, at::kInt), flags({kEnvs, a, b}), ints({kEnvs, a, b}), reals({kEnvs, a, b}),
                     reals({kEnvs, a, b}), reals({kEnvs, a, b})})},
      {"decode_", game({seats, at::randint(-1, 38, {kEnvs, kSeats, kFeatureSlots}, at::kInt), at::randn({kEnvs, kSeats, kFeatureSlots}) * 3,
                        one_in(2), one_in(2), one_in(2), count, from, ships, angle})},
      {"scripted_moves_", game({seats, below(3), 5, at::zeros({}, at::kLong), count, from, ships, angle})},
      {"standing_", game({seats, standing})},
      {"reward_", game({seats, kSeats, standing, flags({kEnvs}), below(5), std::vector<double>(7, 0.1), 500, floats({kEnvs, kSeats}),
                        flags({kEnvs, kSeats}), ints({kEnvs, kSeats})})},
      {"track_episodes_", {at::rand({3, 2}), flags({3, 2}), flags({3}), ints({3, 2}), below(9), ints({3}), floats({3, 2}), flags({3, 2}),
                           flags({3}), ints({3}), floats({3, 2}), reals({3, 2, 7})}},
      {"action_draws_", {5, 2, at::randint(0, 9, {4}, at::kLong), at::zeros({}, at::kLong), reals({4, 3}), reals({4, 3})}},
      {"gae_", {steps(), steps(), steps(), flags({4, 3}), flags({4, 3}), 0.99, 0.95, floats({4, 3}), floats({4, 3})}},
  };
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

// Operators without tensors of games: names and makers; and those of the small environments, whose arguments are their own.
bool without_case(const std::string& name) {
  return name.ends_with("_names") || name.starts_with("make_") || name.starts_with("env_") || name.starts_with("load_");
}

int run(double seconds, uint64_t seed) {
  std::printf("repeat with ops_fuzz %g %llu\n", seconds, static_cast<unsigned long long>(seed));
  random_bits.seed(seed);
  std::vector<std::string> names;
  for (const c10::OperatorName& op : c10::Dispatcher::singleton().getAllOpNames())
    if (op.name.starts_with("orbit::") && !without_case(op.name.substr(7))) names.push_back(op.name.substr(7));
  Games games = fresh_games();
  for (const std::string& name : names)
    if (!good_arguments(games).count(name)) return std::printf("no case for operator %s\n", name.c_str()), 1;
  std::map<std::string, std::pair<int64_t, int64_t>> calls;  // all, refused
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) {
    if (one_in(200)) games = fresh_games();
    const std::string& name = names[size_t(below(int64_t(names.size())))];
    Stack stack = good_arguments(games).at(name);
    for (int64_t k = below(4); k > 0; --k) damage(stack[size_t(below(int64_t(stack.size())))]);
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(("orbit::" + name).c_str(), "");
    ++calls[name].first;
    try {
      for (int turn = name == "step_" ? 3 : 1; turn > 0; --turn) {  // what a turn leaves must do for the next
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
