// The recurrent policy: the unit as formulas, sequences that give in the update what the rollout gave step by step, over ends and
// cuts of episodes, and a task that cannot be solved without memory.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include "src/policy/normalised_policy.h"
#include "src/policy/rnn_policy.h"
#include "src/ppo/advantage.h"
#include "src/ppo/minibatch_order.h"
#include "src/ppo/rollout.h"
#include "src/ppo/update.h"
#include "src/recurrent_task.h"
#include "src/small_env_task.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/operator_record.h"

namespace orbit {
namespace {

const MakeBackend eagerly = [] { return std::unique_ptr<CaptureBackend>(); };
bool never() { return false; }

// A cue, +1 or -1, is shown in the first step of an episode alone; in its last one the choice that names it pays 1.
class RecallTask final : public Task {
 public:
  static constexpr int64_t kSteps = 5;
  RecallTask(int64_t rows, uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)), age_(at::zeros({rows}, at::kLong)), cue_(draw(rows)), turn_(at::zeros({}, at::kLong)) {}

  int64_t rows() const override { return age_.size(0); }
  at::Device device() const override { return at::kCPU; }
  std::vector<TensorSpec> observation() const override { return {{"observation", {2}, at::kFloat, ""}}; }
  std::vector<TensorSpec> action() const override { return {{"action", {1}, at::kLong, ""}}; }
  bool continues() const override { return true; }
  void begin_rollout() override {}
  void observe(at::TensorList out) override {
    out[0].select(1, 0).copy_(at::where(age_.eq(0), cue_, 0.0));
    out[0].select(1, 1).copy_(age_.eq(kSteps - 1));
  }
  void active(const at::Tensor& out) override { out.fill_(true); }
  void step(at::TensorList action, const StepOutcome& out, at::TensorList) override {
    const at::Tensor last = age_.eq(kSteps - 1), right = action[0].select(1, 0).eq(cue_.gt(0).to(at::kLong));
    out.reward.copy_(last.logical_and(right));
    out.terminated.copy_(last);
    out.truncated.zero_();
    out.outcome.zero_();
    cue_.copy_(at::where(last, draw(rows()), cue_));
    age_.copy_(at::where(last, 0, age_ + 1));
    turn_.add_(1);
  }
  const at::Tensor& turn() const override { return turn_; }

 private:
  at::Tensor draw(int64_t rows) { return at::randint(2, {rows}, generator_, at::kFloat) * 2 - 1; }
  at::Generator generator_;
  at::Tensor age_, cue_, turn_;
};

constexpr double kRecalls = 0.95;

// Share of episodes that end well, of the last ten rollouts of a training, which is over once it recalls: seeds differ in when.
double recall_after_training(bool remembers, uint64_t seed, int64_t most_iterations) {
  RecallTask game(64, seed);
  RecurrentTask recurrent(game, 16);
  Task& task = remembers ? static_cast<Task&>(recurrent) : game;
  RnnPolicyConfig rnn{.hidden = 16, .memory = 16};
  MlpPolicyConfig mlp;
  mlp.hidden = {16};
  const auto policy = remembers ? make_rnn_policy(rnn, ActionSpace::categorical(2), 2, seed, at::kCPU)
                                : make_mlp_policy(mlp, ActionSpace::categorical(2), 2, seed, at::kCPU);
  RolloutBatch batch = make_rollout_batch(20, task);
  AdamWOptions o;
  o.lr = {3e-3}, o.weight_decay = 0;
  AdamW optimizer(policy->named_parameters(), o);
  UpdateOptions u;
  u.epochs = 4, u.minibatch_size = 320, u.sequence_length = remembers ? 10 : 1, u.normalise_minibatch = true;
  u.loss.entropy_coef = {0.01};
  UpdateProgress progress(at::kCPU);
  Rollout rollout({20, true, seed}, task, *policy, batch, eagerly);
  Update update(u, *policy, nullptr, optimizer, batch, progress, eagerly);
  double share = 0, right = 0, episodes = 0;
  for (int64_t i = 0; i < most_iterations && share <= kRecalls; ++i) {
    rollout.collect(never);
    const Advantages a = compute_gae(batch, 0.99, 0.95);
    progress.begin();
    update.run(a.advantage, a.ret, i, never);
    right += batch.reward.sum().item<double>();
    episodes += batch.terminated.sum().item<double>();
    if (i % 10 == 9) share = right / episodes, right = episodes = 0;
  }
  return share;
}

TEST(RnnPolicy, RecallsWhatItSawStepsAgo) {
  const uint64_t seed = fresh_seed();
  EXPECT_GT(recall_after_training(true, seed, 300), kRecalls);
  EXPECT_LT(recall_after_training(false, seed, 80), 0.65);  // a network without memory can but guess
}

TEST(RnnPolicy, TheUnitWrittenOut) {
  at::manual_seed(int64_t(fresh_seed()));
  const auto policy = make_rnn_policy({.hidden = 4, .memory = 3, .orthogonal = false}, ActionSpace::categorical(2), 5, 1, at::kCPU);
  std::map<std::string, at::Tensor> w;
  std::string names;
  for (const auto& [name, t] : policy->named_parameters()) w[name] = t.detach(), names += name + " ";
  EXPECT_EQ(names, "embed.weight embed.bias gru.weight_ih_l0 gru.weight_hh_l0 gru.bias_ih_l0 gru.bias_hh_l0 actor.weight actor.bias critic.weight critic.bias ");
  const at::Tensor x = at::randn({6, 5}), h = at::randn({6, 3}), begins = at::zeros({6}, at::kBool);
  const at::Tensor e = (x.matmul(w["embed.weight"].t()) + w["embed.bias"]).tanh();
  const auto in = (e.matmul(w["gru.weight_ih_l0"].t()) + w["gru.bias_ih_l0"]).chunk(3, 1), own = (h.matmul(w["gru.weight_hh_l0"].t()) + w["gru.bias_hh_l0"]).chunk(3, 1);
  const at::Tensor reset = (in[0] + own[0]).sigmoid(), update = (in[1] + own[1]).sigmoid(), fresh = (in[2] + reset * own[2]).tanh();
  const at::Tensor next = (1 - update) * fresh + update * h;
  const Prediction p = policy->predict({x, h, begins});
  EXPECT_LT((p.actions->greedy().action[1] - next).abs().max().item<double>(), 1e-6);
  EXPECT_LT((p.value - (next.matmul(w["critic.weight"].t()) + w["critic.bias"]).squeeze(1)).abs().max().item<double>(), 1e-6);
}

struct Play {
  SmallEnvTask env;
  RecurrentTask task;
  std::unique_ptr<Policy> policy;
  RolloutBatch batch;
  Rollout rollout;

  Play(uint64_t seed, bool normalised)
      : env({.name = "cartpole", .environments = 7, .seed = seed, .time_limit = 11}), task(env, 8), policy(make(seed, normalised, task)),
        batch(make_rollout_batch(24, task)), rollout({24, true, seed}, task, *policy, batch, eagerly) {}
  static std::unique_ptr<Policy> make(uint64_t seed, bool normalised, const Task& task) {
    auto policy = make_rnn_policy({.hidden = 6, .memory = 8, .orthogonal = false}, ActionSpace::categorical(2), 4, seed, at::kCPU);
    if (!normalised) return policy;
    policy = normalise_observations(std::move(policy), task.observation(), at::kCPU);
    policy->learn_statistics({at::randn({5, 20, 4}), at::rand({5, 20, 8}), at::ones({5, 20}, at::kBool)}, at::ones({5, 20}, at::kBool));
    return policy;
  }
};

TEST(RnnPolicy, SequencesGiveWhatTheRolloutGave) {
  const uint64_t seed = fresh_seed();
  for (const bool normalised : {false, true}) {
    Play p(seed, normalised);
    for (int k = 0; k < 3; ++k) p.rollout.collect(never);
    ASSERT_GT(p.batch.terminated.logical_or(p.batch.truncated).narrow(0, 0, 23).sum().item<int64_t>(), 0);
    for (const int64_t length : {1, 4, 12, 24}) {
      // (T, R) -> sequences of `length` steps, one row's each
      const auto sequences = [&](const at::Tensor& t) {
        return t.unflatten(0, {-1, length}).movedim(2, 1).flatten(0, 2).contiguous();
      };
      std::vector<at::Tensor> seen;
      for (const auto& [name, t] : p.batch.observation) seen.push_back(sequences(t));
      if (length > 1) seen[1].unflatten(0, {-1, length}).narrow(1, 1, length - 1).fill_(NAN);  // only the first of each may be used
      const Prediction now = p.policy->predict_sequences(seen, length);
      const at::Tensor log_prob = now.actions->score({sequences(p.batch.action[0].second), sequences(p.batch.action[1].second)}).log_prob;
      EXPECT_LT((log_prob - sequences(p.batch.log_prob)).abs().max().item<double>(), 1e-5) << length;
      EXPECT_LT((now.value - sequences(p.batch.value)).abs().max().item<double>(), 1e-5) << length;
    }
  }
}

// The update's own choice of rows: before the first step of the optimizer every ratio is 1.
TEST(RnnPolicy, TheFirstMinibatchMovesNothing) {
  const uint64_t seed = fresh_seed();
  Play p(seed, false);
  p.rollout.collect(never);
  AdamWOptions o;
  o.lr = {0.0}, o.weight_decay = 0;
  AdamW optimizer(p.policy->named_parameters(), o);
  UpdateProgress progress(at::kCPU);
  for (const int64_t length : {4, 12}) {
    UpdateOptions u;
    u.epochs = 2, u.minibatch_size = 48, u.sequence_length = length, u.seed = seed;
    Update update(u, *p.policy, nullptr, optimizer, p.batch, progress, eagerly);
    progress.begin();
    update.run(at::randn({24, 7}), p.batch.value, 0, never);
    EXPECT_EQ(progress.sums[kApplied].item<double>(), 2 * 4);  // 168 rows
    EXPECT_NEAR(progress.sums[kApproxKl].item<double>(), 0, 1e-5);
    EXPECT_LT(progress.sums[kValueLoss].item<double>(), 1e-8);
    EXPECT_EQ(progress.sums[kClipFraction].item<double>(), 0);
  }
}

TEST(RnnPolicy, AnEpochHoldsEverySequenceOnce) {
  const int64_t steps = 12, rows = 5, length = 4, minibatch = 16;
  const at::Tensor order = sequence_order(steps, rows, length, minibatch, fresh_seed(), 2, 1);
  ASSERT_EQ(order.numel(), 64);  // 60, and a sequence of padding
  const at::Tensor sequences = order.view({-1, length});
  EXPECT_TRUE((sequences.narrow(1, 1, length - 1) - sequences.narrow(1, 0, length - 1)).eq(rows).all().item<bool>());
  EXPECT_TRUE(sequences.select(1, 0).floor_divide(rows).remainder(length).eq(0).all().item<bool>());
  EXPECT_TRUE(std::get<0>(order.narrow(0, 0, steps * rows).sort()).equal(at::arange(steps * rows, at::kLong)));
  EXPECT_FALSE(order.equal(sequence_order(steps, rows, length, minibatch, 1, 2, 2)));
}

TEST(RecurrentTask, MemoryEndsWithTheEpisode) {
  const uint64_t seed = fresh_seed();
  Play p(seed, false);
  p.rollout.collect(never);
  const at::Tensor memory = p.batch.observation[1].second, begins = p.batch.observation[2].second, next = p.batch.action[1].second;
  const at::Tensor ended = p.batch.terminated.logical_or(p.batch.truncated).narrow(0, 0, 23);
  EXPECT_TRUE(begins.select(0, 0).all().item<bool>());
  EXPECT_TRUE(begins.narrow(0, 1, 23).equal(ended));
  EXPECT_TRUE(memory.narrow(0, 1, 23).equal(at::where(ended.unsqueeze(2), 0.0, next.narrow(0, 0, 23))));
  EXPECT_EQ(memory.select(0, 0).abs().max().item<double>(), 0);
  p.rollout.collect(never);  // and goes on from one rollout to the next
  EXPECT_TRUE(p.batch.observation[1].second.select(0, 0).abs().sum().item<double>() > 0);
}

TEST(RnnPolicy, CanBeCaptured) {
  Play p(1, true);
  for (int k = 0; k < 4; ++k) p.rollout.collect(never);
  std::vector<at::Tensor> seen;
  for (const auto& [name, t] : p.batch.observation) seen.push_back(t.flatten(0, 1));
  const at::Tensor action = p.batch.action[0].second.flatten(0, 1), memory = p.batch.action[1].second.flatten(0, 1);
  const auto obstacles = capture_obstacles([&] {
    const Prediction now = p.policy->predict_sequences(seen, 4);
    (now.actions->score({action, memory}).log_prob + now.value).sum().backward();
  });
  EXPECT_TRUE(obstacles.empty()) << obstacles[0];
}

}  // namespace
}  // namespace orbit
