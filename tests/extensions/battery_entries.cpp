#include <ATen/ATen.h>
#include "envs/common/rng.h"
#include "envs/orbit_wars/standing.h"
#include "extensions/board_bank.h"
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"
#include "extensions/ops.h"
#include "tests/extensions/battery.h"

namespace orbit {
namespace {

// Bits of a random action.
uint32_t action_bits(uint64_t action_seed, int64_t environment, int64_t step, int64_t place) {
  return philox(action_seed, uint32_t(place), uint32_t(step), uint32_t(environment), 1000).v[0];
}

class SmallEnvSubject final : public BatterySubject {
 public:
  SmallEnvSubject(const EnvTable& env, bool in_double, int64_t count, uint64_t seed, int64_t first)
      : env_(env), batch_(make_env_batch(env, count, in_double, at::kCPU)), seed_(seed), first_(first) {}

  void reset() override { ops::env_reset_(env_.name, batch_, seed_, first_); }
  void step(uint64_t action_seed) override {
    const int64_t n = batch_[kEnvReward].size(0);
    const bool whole = env_.action_kind != ActionKind::kContinuous;
    const at::Tensor action = at::empty({n, env_.action_size}, whole ? at::kLong : at::kFloat);
    for (int64_t i = 0; i < n; ++i)
      for (int32_t a = 0; a < env_.action_size; ++a) {
        const uint32_t bits = action_bits(action_seed, first_ + i, steps_, a);
        const Bounds b = env_.action_bounds[a];
        if (whole) action.data_ptr<int64_t>()[i * env_.action_size + a] = bits % (int64_t(b.high) + 1);
        else action.data_ptr<float>()[i * env_.action_size + a] = b.low + (b.high - b.low) * unit_float(bits);
      }
    ++steps_;
    ops::env_step_(env_.name, batch_, action, seed_, first_);
  }
  std::vector<at::Tensor> seen() const override {
    return {batch_[kEnvObservation], batch_[kEnvReward], batch_[kEnvTerminated], batch_[kEnvTruncated]};
  }
  std::vector<at::Tensor> state() const override { return batch_; }
  at::Tensor observation_low() const override { return bounds(&Bounds::low); }
  at::Tensor observation_high() const override { return bounds(&Bounds::high); }
  std::pair<float, float> reward_bounds() const override { return {env_.reward_bounds.low, env_.reward_bounds.high}; }

 private:
  at::Tensor bounds(float Bounds::* which) const {
    const at::Tensor t = at::empty({env_.observation_size});
    for (int32_t i = 0; i < env_.observation_size; ++i) t.data_ptr<float>()[i] = env_.observation_bounds[i].*which;
    return t;
  }
  const EnvTable& env_;
  std::vector<at::Tensor> batch_;
  uint64_t seed_;
  int64_t first_, steps_ = 0;
};

constexpr int64_t kBoards = 6;

// Every seat plays random orders of the policy's form. The seed chooses the boards: environment i of a seed plays the same one,
// in whatever batch it stands.
class OrbitWarsSubject final : public BatterySubject {
 public:
  OrbitWarsSubject(int64_t count, uint64_t seed, int64_t first) : n_(count), first_(first), seed_(seed) {
    static const BoardBank bank = make_board_bank(consecutive_seeds(11, kBoards));
    for (const at::Tensor& t : bank) bank_.push_back(t);
    state_ = make_state(n_, 128, at::kCPU);
    moves_ = make_moves(n_, 2, kMaxPlanets, at::kCPU);
    seats_ = at::arange(2, at::kInt).expand({n_, 2}).contiguous();
    out_ = {at::zeros({n_, 2, kFeatureSlots, kPlanetFeatures}), at::zeros({n_, 2, kGlobalFeatures}),
            at::zeros({n_, 2, kFeatureSlots}, at::kBool), at::zeros({n_, 2, kFeatureSlots}, at::kBool)};
    shaping_.dense_coef_ship = 0.1;
  }
  void reset() override {
    const int64_t begin = first_ + int64_t(seed_ % kBoards);
    ops::reset_(state_, bank_, at::ones({n_}, at::kBool), at::arange(begin, begin + n_, at::kInt).remainder_(kBoards), 2);
    observe();
  }
  void step(uint64_t action_seed) override {
    const at::Tensor target = at::empty({n_, 2, kFeatureSlots}, at::kInt), x = at::empty({n_, 2, kFeatureSlots});
    for (int64_t i = 0; i < target.numel(); ++i) {
      const int64_t row = 2 * kFeatureSlots, env = first_ + i / row;
      target.data_ptr<int32_t>()[i] = int32_t(action_bits(action_seed, env, steps_, 2 * (i % row)) % (kFeatureSlots + 1));
      x.data_ptr<float>()[i] = unit_float(action_bits(action_seed, env, steps_, 2 * (i % row) + 1));
    }
    ++steps_;
    ops::decode_(state_, bank_, seats_, target, x, {}, moves_);
    const at::Tensor before = at::empty({n_, 2, kStandingColumns}, at::kDouble);
    ops::standing_(state_, bank_, seats_, before);
    ops::step_(state_, bank_, moves_, {});
    ops::reward_(state_, bank_, seats_, 2, before, at::ones({n_}, at::kBool), shaping_, reward_, terminated_, outcome_);
    observe();
  }
  std::vector<at::Tensor> seen() const override {
    return {at::cat({out_.planets.flatten(1), out_.globals.flatten(1)}, 1), reward_, terminated_, at::zeros_like(terminated_)};
  }
  std::vector<at::Tensor> state() const override { return state_; }
  std::pair<float, float> reward_bounds() const override { return {-2.0f, 2.0f}; }

 private:
  void observe() { ops::observe_(state_, bank_, seats_, 0, out_); }

  int64_t n_, first_, steps_ = 0;
  uint64_t seed_;
  std::vector<at::Tensor> bank_, state_;
  MoveTensors moves_;
  ObservationTensors out_;
  ShapingWeights shaping_;
  at::Tensor seats_, reward_ = at::zeros({n_, 2}), terminated_ = at::zeros({n_, 2}, at::kBool), outcome_ = at::zeros({n_, 2}, at::kInt);
};

}  // namespace

std::vector<BatteryEntry> battery_entries() {
  load_env_library(ORBIT_LIB_DIR "/dice_walk.so");
  std::vector<BatteryEntry> entries{{"orbit_wars", [](int64_t count, uint64_t seed, int64_t first) -> std::unique_ptr<BatterySubject> {
                                       return std::make_unique<OrbitWarsSubject>(count, seed, first);
                                     }}};
  for (const std::string& name : env_names())
    for (const bool in_double : {false, true})
      entries.push_back({name + (in_double ? "_double" : "_float"),
                         [name, in_double](int64_t count, uint64_t seed, int64_t first) -> std::unique_ptr<BatterySubject> {
                           return std::make_unique<SmallEnvSubject>(find_env(name), in_double, count, seed, first);
                         }});
  return entries;
}

}  // namespace orbit
