// Rollout step, its end and the minibatch update, observed operator by operator under every option: nothing waits for the device,
// no shape depends on data, no storage moves; and a replay of the recorded operators gives the same numbers as the work itself.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include "src/common/error.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/operator_record.h"
#include "tests/support/tiny_run.h"

namespace orbit {
namespace {

// An option and its values; a value is a list of settings.
using Value = std::vector<std::string>;
struct Option {
  std::string name;
  std::vector<Value> values;
};

std::vector<Option> options() {
  const auto of = [](const std::string& key, const std::vector<std::string>& words) {
    Option o{key, {}};
    for (const std::string& w : words) o.values.push_back({key + "=" + w});
    return o;
  };
  const std::string linear = "{end: 0.1, steps: 5}", cosine = "{end: 0.1, steps: 5, shape: cosine}";
  return {
      {"lr", {{"training.lr_end=null"}, {"training.lr_end=1e-4", "training.lr_schedule_steps=5"},
              {"training.lr_end=1e-4", "training.lr_schedule_steps=5", "training.lr_schedule=cosine"}}},
      of("training.clip_eps_schedule", {"null", linear, cosine}),
      of("training.entropy_coef_schedule", {"null", linear, cosine}),
      of("training.kl_beta", {"0.0", "0.1"}),
      of("training.kl_beta_schedule", {"null", linear, cosine}),
      of("training.kl_reference_decay", {"null", "0.9"}),
      of("training.value_clip_eps", {"null", "0.2"}),
      of("training.advantage_norm", {"rollout", "minibatch", "off"}),
      of("training.target_kl", {"null", "0.001"}),
      of("training.accumulation", {"1", "2"}),
      of("training.observation_norm", {"false", "true"}),
      of("training.bootstrap_truncated", {"true", "false"}),
      of("training.opponent", {"self", "noop", "random", "starter", "self_snapshot"}),
      of("training.decoder", {"plain", "strict"}),
      of("training.aim", {"intercept", "bearing"}),
      of("training.greedy", {"argmax", "fire"}),
      of("training.history", {"full", "snapshots", "none"}),
      of("training.shaping_mode", {"ships", "planets", "combined", "ratio", "ratio_prod"}),
      of("training.ppo_epochs", {"2", "1"}),
      of("environment.players", {"2", "4"}),
      of("environment.auto_reset", {"true", "false"}),
      of("environment.episode_steps", {"500", "5"}),
      of("environment.motion", {"fast", "exact"}),
      of("model.head_dropout", {"0.0", "0.2"}),
      of("model.init", {"pytorch", "orthogonal"}),
      of("device.precision", {"float32", "bf16"}),
  };
}

using Choice = std::vector<size_t>;  // the value of each option

std::string text_of(const Choice& choice) {
  std::string text;
  const auto all = options();
  for (size_t i = 0; i < all.size(); ++i)
    if (choice[i] > 0)
      for (const std::string& setting : all[i].values[choice[i]]) text += (text.empty() ? "" : " ") + setting;
  return text.empty() ? "defaults" : text;
}

Config config_of(const Choice& choice) {
  const auto all = options();
  std::vector<std::string> overrides;
  for (size_t i = 0; i < all.size(); ++i)
    for (const std::string& setting : all[i].values[choice[i]]) overrides.push_back(setting);
  try {
    return tiny_config(overrides);
  } catch (const UserError&) {  // the one pair that excludes each other
    overrides.push_back("training.kl_reference_decay=null");
    return tiny_config(overrides);
  }
}

std::vector<Choice> each_value_alone() {
  std::vector<Choice> rows{Choice(options().size(), 0)};
  for (size_t i = 0; i < options().size(); ++i)
    for (size_t v = 1; v < options()[i].values.size(); ++v) {
      rows.emplace_back(options().size(), 0);
      rows.back()[i] = v;
    }
  return rows;
}

// Rows in which every pair of values of two options occurs: each row is the best of some random ones that begin with a pair that
// is still missing.
std::vector<Choice> each_pair(std::mt19937_64& random) {
  const auto all = options();
  std::map<std::array<size_t, 4>, bool> missing;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t k = i + 1; k < all.size(); ++k)
      for (size_t a = 0; a < all[i].values.size(); ++a)
        for (size_t b = 0; b < all[k].values.size(); ++b) missing[{i, k, a, b}] = true;
  const auto covers = [](const Choice& c, const std::array<size_t, 4>& p) { return c[p[0]] == p[2] && c[p[1]] == p[3]; };
  std::vector<Choice> rows;
  while (!missing.empty()) {
    const std::array<size_t, 4> first = missing.begin()->first;
    Choice best;
    size_t most = 0;
    for (int attempt = 0; attempt < 30; ++attempt) {
      Choice c;
      for (const Option& o : all) c.push_back(random() % o.values.size());
      c[first[0]] = first[2], c[first[1]] = first[3];
      size_t count = 0;
      for (const auto& [pair, yes] : missing) count += covers(c, pair);
      if (count > most) most = count, best = c;
    }
    std::erase_if(missing, [&](const auto& entry) { return covers(best, entry.first); });
    rows.push_back(best);
  }
  return rows;
}

// Runs the body under the observer where a captured region would be recorded and replayed, and compares neighbouring runs.
class WatchBackend final : public CaptureBackend {
 public:
  WatchBackend(std::vector<std::string>& obstacles, int& comparisons) : obstacles_(obstacles), comparisons_(comparisons) {}
  void warm_up(const std::function<void()>& body) override { body(); }
  int64_t record(const std::function<void()>& body) override {
    body_ = body;
    last_ = record_operators(body_);
    fresh_ = true;
    return int64_t(last_.calls.size());
  }
  void replay() override {
    if (std::exchange(fresh_, false)) return;
    OperatorRecord now = record_operators(body_);
    for (const std::string& o : capture_obstacles(last_, now)) obstacles_.push_back(o);
    last_ = std::move(now);
    ++comparisons_;
  }

 private:
  std::vector<std::string>& obstacles_;
  int& comparisons_;
  std::function<void()> body_;
  OperatorRecord last_;
  bool fresh_ = false;
};

void expect_capturable(const Choice& choice) {
  SCOPED_TRACE(text_of(choice));
  std::vector<std::string> obstacles;
  int comparisons = 0, regions = 0;
  TinyRun run(config_of(choice), [&] {
    ++regions;
    return std::make_unique<WatchBackend>(obstacles, comparisons);
  });
  for (int i = 0; i < 5; ++i) run.iterate();
  EXPECT_EQ(regions, 3);
  EXPECT_GE(comparisons, 5 * 6 - 4 + 1 + 1);  // rollout steps, ends, at least an update an iteration; the first four are not compared
  ASSERT_TRUE(obstacles.empty()) << obstacles.size() << " obstacles, the first: " << obstacles[0];
}

TEST(Capture, EveryOptionValueAlone) {
  at::set_num_threads(1);
  for (const Choice& c : each_value_alone()) expect_capturable(c);
}

TEST(Capture, EveryPairOfOptionValues) {
  at::set_num_threads(1);
  std::mt19937_64 random(fresh_seed());
  const std::vector<Choice> rows = each_pair(random);
  std::printf("%zu combinations cover all pairs\n", rows.size());
  for (const Choice& c : rows) expect_capturable(c);
}

// The tensors after a few iterations: everything learned, the last rollout, and the sums of its updates.
std::vector<at::Tensor> outcome_of(const Config& config, const MakeBackend& make_backend) {
  at::manual_seed(1);  // dropout
  TinyRun run(config, make_backend);
  for (int i = 0; i < 6; ++i) run.iterate();
  std::vector<at::Tensor> all;
  for (const at::Tensor& t : run.state.learned()) all.push_back(t.detach().clone());
  run.batch.for_each([&](const std::string&, const at::Tensor& t) { all.push_back(t.clone()); });
  all.push_back(run.state.updates.sums.clone());
  return all;
}

void expect_same_replayed(const Choice& choice) {
  SCOPED_TRACE(text_of(choice));
  const Config config = config_of(choice);
  const auto eager = outcome_of(config, [] { return std::unique_ptr<CaptureBackend>(); });
  const auto replayed = outcome_of(config, [] { return std::make_unique<ReplayBackend>(); });
  ASSERT_EQ(eager.size(), replayed.size());
  for (size_t i = 0; i < eager.size(); ++i) ASSERT_TRUE(eager[i].equal(replayed[i])) << "tensor " << i;
}

TEST(Capture, AReplayGivesTheSameNumbers) {
  at::set_num_threads(1);
  std::mt19937_64 random(fresh_seed());
  expect_same_replayed(Choice(options().size(), 0));
  for (int i = 0; i < 12; ++i) {
    Choice c;
    for (const Option& o : options()) c.push_back(random() % o.values.size());
    expect_same_replayed(c);
  }
}

}  // namespace
}  // namespace orbit
