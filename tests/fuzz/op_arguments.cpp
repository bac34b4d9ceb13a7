#include "tests/fuzz/op_arguments.h"
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <map>
#include "extensions/board_bank.h"
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"

namespace orbit {

std::mt19937_64 random_bits;

namespace {
constexpr int64_t kEnvs = 3, kSeats = 2, kOrders = kMaxPlanets;
}  // namespace

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

namespace {

at::Tensor ints(at::IntArrayRef s) { return at::zeros(s, at::kInt); }
at::Tensor reals(at::IntArrayRef s) { return at::zeros(s, at::kDouble); }
at::Tensor floats(at::IntArrayRef s) { return at::zeros(s, at::kFloat); }
at::Tensor flags(at::IntArrayRef s) { return at::ones(s, at::kBool); }

// Of the operators that play Orbit Wars.
std::map<std::string, Stack> of_games(const Games& g) {
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
  return {
      {"draw_boards_", {flags({kEnvs}), 5, 2, ints({kEnvs}), ints({kEnvs})}},
      {"reset_", game({flags({kEnvs}), ints({kEnvs}), kSeats})},
      {"step_", game({count, from, ships, angle, kSeats, 500, 6.0, below(3)})},
      {"observe_", game({seats, below(3), one_in(2), floats({kEnvs, kSeats, kFeatureSlots, kPlanetFeatures}),
                         floats({kEnvs, kSeats, kGlobalFeatures}), flags({kEnvs, kSeats, kFeatureSlots}),
                         flags({kEnvs, kSeats, kFeatureSlots})})},
      {"aim_", game({at::randint(-5, 900, {kEnvs, a, b}, at::kInt), flags({kEnvs, a, b}), ints({kEnvs, a, b}), reals({kEnvs, a, b}),
                     reals({kEnvs, a, b}), reals({kEnvs, a, b})})},
      {"decode_", game({seats, at::randint(-1, 38, {kEnvs, kSeats, kFeatureSlots}, at::kInt), at::randn({kEnvs, kSeats, kFeatureSlots}) * 3,
                        one_in(2), one_in(2), one_in(2), count, from, ships, angle})},
      {"scripted_moves_", game({seats, below(3), 5, at::zeros({}, at::kLong), count, from, ships, angle})},
      {"standing_", game({seats, standing})},
      {"reward_", game({seats, kSeats, standing, flags({kEnvs}), below(5), std::vector<double>(7, 0.1), 500, floats({kEnvs, kSeats}),
                        flags({kEnvs, kSeats}), ints({kEnvs, kSeats})})},
  };
}

// What describes a policy: a shared network with a hidden layer, or two of them.
Stack network(int64_t inputs, const std::vector<int64_t>& choices, int64_t numbers) {
  const bool shared = one_in(2), squash = choices.empty() && one_in(2);
  int64_t outputs = choices.empty() ? numbers : 0;
  for (const int64_t n : choices) outputs += n;
  std::vector<at::Tensor> weights;
  const auto layer = [&](int64_t out, int64_t in) {
    weights.push_back(at::randn({out, in}));
    weights.push_back(at::randn({out}));
  };
  for (const int64_t last : {outputs, int64_t(1)}) {
    layer(9, inputs);
    layer(last, 9);
    if (shared) {
      layer(1, 9);
      break;
    }
  }
  c10::IValue log_std, mean, variance;
  if (choices.empty()) log_std = at::zeros({numbers});
  if (one_in(2)) mean = reals({inputs}), variance = at::ones({inputs}, at::kDouble);
  const std::vector<double> low(squash ? size_t(numbers) : 0, -2.0), high(squash ? size_t(numbers) : 0, 2.0);
  return {c10::List<at::Tensor>(weights), shared, one_in(2), choices, log_std, low, high, mean, variance};
}

c10::List<at::Tensor> alike(const c10::List<at::Tensor>& tensors) {
  c10::List<at::Tensor> all;
  for (const at::Tensor& t : tensors) all.push_back(at::rand(t.sizes()));
  return all;
}

Stack joined(Stack a, const Stack& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Of those that act and learn.
std::map<std::string, Stack> of_learning() {
  const auto steps = [] { return at::rand({4, 3}); };
  const auto number = [](double v) { return at::full({}, v, at::kFloat); };
  const auto whole = [](int64_t v) { return at::full({}, v, at::kLong); };
  const bool discrete = one_in(2);
  const int64_t rows = 20;
  const Stack policy = discrete ? network(5, {3, 2}, 2) : network(5, {}, 2);
  c10::List<at::Tensor> gradients = alike(policy[0].toTensorList());
  if (!discrete) gradients.push_back(at::zeros({2}));
  const at::Tensor action = discrete ? at::randint(0, 2, {rows, 2}, at::kLong) : at::randn({rows, 2});
  const c10::IValue value_clip = one_in(2) ? c10::IValue(0.2) : c10::IValue();
  c10::List<at::Tensor> weights(std::vector<at::Tensor>{at::randn({4, 3}), at::randn({5})});
  const c10::List<at::Tensor> counts(std::vector<at::Tensor>{number(3), number(3)});
  return {
      {"track_episodes_", {at::rand({3, 2}), flags({3, 2}), flags({3}), ints({3, 2}), below(9), ints({3}), floats({3, 2}), flags({3, 2}),
                           flags({3}), ints({3}), floats({3, 2}), reals({3, 2, 7})}},
      {"action_draws_", {5, 2, at::randint(0, 9, {4}, at::kLong), at::zeros({}, at::kLong), reals({4, 3}), reals({4, 3})}},
      {"gae_", {steps(), steps(), steps(), flags({4, 3}), flags({4, 3}), 0.99, 0.95, floats({4, 3}), floats({4, 3})}},
      {"ppo_gradient_", joined(policy, {at::randn({rows, 5}), action, at::randn({rows}), at::randn({rows}), at::randn({rows}),
                                        at::randn({rows}), at::randperm(rows, at::kLong), whole(0), whole(rows), 1 + below(rows),
                                        one_in(2), number(0.2), number(0.01), 0.5, value_clip, gradients, at::zeros({7})})},
      {"schedule_", {number(3), 0.2, 0.1, below(9), one_in(2), one_in(2) ? c10::IValue(number(0.5)) : c10::IValue(), number(0)}},
      {"clip_gradients_", {alike(weights), 0.5, number(0)}},
      {"adamw_", {weights, alike(weights), alike(weights), alike(weights), counts, number(0.01), number(0), 0.9, 0.999, 1e-4, 1e-8}},
      {"judge_minibatch_", {at::rand({7}), number(1), number(0), 1e6, number(0)}},
      {"record_minibatch_", {at::rand({7}), number(1), number(0), 0.1, reals({8}), number(0), at::zeros({2}), whole(2)}},
  };
}

// Of the small environments; a batch some steps old.
std::map<std::string, Stack> of_small_environments() {
  const std::vector<std::string> names = env_names();
  const std::string name = names[size_t(below(int64_t(names.size())))];
  const EnvTable& env = find_env(name);
  const bool discrete = env.action_kind != ActionKind::kContinuous;
  std::vector<int64_t> choices;
  for (int32_t a = 0; discrete && a < env.action_size; ++a) choices.push_back(int64_t(env.action_bounds[a].high) + 1);
  const c10::List<at::Tensor> batch(make_env_batch(env, kEnvs, one_in(2), at::kCPU));
  const at::Tensor action = discrete ? at::zeros({kEnvs, env.action_size}, at::kLong) : at::randn({kEnvs, env.action_size});
  const auto call = [](const char* op, Stack stack) {
    c10::Dispatcher::singleton().findSchemaOrThrow(op, "").callBoxed(stack);
  };
  const c10::IValue given;
  call("orbit::env_reset_", {name, batch, 1, 0, given});
  for (int64_t step = below(30); step > 0; --step) call("orbit::env_step_", {name, batch, action, 1, 0, -1, given});
  const int64_t steps = 1 + below(4), numbers = env.action_size;
  const at::Tensor actions = discrete ? at::zeros({steps, kEnvs, numbers}, at::kLong) : at::zeros({steps, kEnvs, numbers});
  const auto by_step = [&] { return at::zeros({steps, kEnvs}); };
  return {
      {"env_reset_", {name, batch, 1, 0, given}},
      {"env_step_", {name, batch, action, 1, 0, one_in(2) ? int64_t(-1) : below(9), given}},
      {"env_observe_", {name, batch}},
      {"env_rollout_", joined(joined({name, batch, 1, 0, -1}, network(env.observation_size, choices, numbers)),
                              {2, at::zeros({}, at::kLong), one_in(2), at::zeros({steps, kEnvs, env.observation_size}), actions, by_step(),
                               by_step(), by_step(), flags({steps, kEnvs}), flags({steps, kEnvs}), by_step(), flags({kEnvs})})},
  };
}

}  // namespace

std::set<std::string> operators_with_arguments(const Games& games) {
  std::set<std::string> names;
  for (const auto& group : {of_games(games), of_learning(), of_small_environments()})
    for (const auto& [name, stack] : group) names.insert(name);
  return names;
}

Stack good_arguments(const std::string& name, const Games& games) {
  if (name.starts_with("env_")) return of_small_environments().at(name);
  const std::map<std::string, Stack> learning = of_learning();
  const auto found = learning.find(name);
  return found != learning.end() ? found->second : of_games(games).at(name);
}

}  // namespace orbit
