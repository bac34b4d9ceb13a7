#include "src/league/player.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include "src/common/error.h"

namespace orbit {
namespace {

class ScriptedPlayer : public Player {
 public:
  explicit ScriptedPlayer(int64_t opponent) : opponent_(opponent) {}
  void act(VecEnv& env, const at::Tensor& seats) override { env.order_scripted(seats, opponent_); }

 private:
  int64_t opponent_;
};

class PolicyPlayer : public Player {
 public:
  explicit PolicyPlayer(std::shared_ptr<const Policy> policy) : policy_(std::move(policy)) {}

  void act(VecEnv& env, const at::Tensor& seats) override {
    c10::InferenceMode no_gradients;
    const ObservationTensors seen = make_observation(seats.size(0), seats.size(1), seats.device());
    env.observe(seats, seen);
    const Prediction prediction = policy_->predict(
        {seen.planets.flatten(0, 1), seen.globals.flatten(0, 1), seen.valid.flatten(0, 1), seen.mine.flatten(0, 1)});
    const std::vector<at::Tensor> action = prediction.actions->greedy().action;
    const std::vector<int64_t> shape{seats.size(0), seats.size(1), kFeatureSlots};
    env.order(seats, action[0].view(shape), action[1].view(shape));
  }

 private:
  std::shared_ptr<const Policy> policy_;
};

}  // namespace

std::unique_ptr<Player> make_scripted_player(const std::string& name) {
  const char* const names[] = {"noop", "random", "starter"};  // values of ScriptedOpponent
  for (int64_t i = 0; i < 3; ++i)
    if (name == names[i]) return std::make_unique<ScriptedPlayer>(i);
  throw UserError("no scripted opponent \"" + name + "\"; there are noop, random and starter");
}

std::unique_ptr<Player> make_policy_player(std::shared_ptr<const Policy> policy) {
  return std::make_unique<PolicyPlayer>(std::move(policy));
}

ObservationTensors make_observation(int64_t n, int64_t r, at::Device device) {
  const auto reals = at::TensorOptions().dtype(at::kFloat).device(device);
  const auto bools = at::TensorOptions().dtype(at::kBool).device(device);
  return {at::empty({n, r, kFeatureSlots, kPlanetFeatures}, reals), at::empty({n, r, kGlobalFeatures}, reals),
          at::empty({n, r, kFeatureSlots}, bools), at::empty({n, r, kFeatureSlots}, bools)};
}

at::Tensor all_seats(int64_t environments, int64_t players, at::Device device) {
  const auto ints = at::TensorOptions().dtype(at::kInt).device(device);
  return at::arange(players, ints).expand({environments, players}).contiguous();
}

Seating alternate_seats(int64_t environments, int64_t players, at::Device device) {
  const auto ints = at::TensorOptions().dtype(at::kInt).device(device);
  const at::Tensor own = at::arange(environments, ints).remainder(players).unsqueeze(1);
  const at::Tensor others = (own + at::arange(1, players, ints)).remainder(players);
  return {own.contiguous(), others.contiguous()};
}

}  // namespace orbit
