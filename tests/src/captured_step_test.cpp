// The captured step, and the observer that stands in for a GPU: each kind of obstacle is found, sound work is not blamed.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include "src/captured_step.h"
#include "tests/support/operator_record.h"

namespace orbit {
namespace {

struct Case {
  const char* name;
  bool sound;
  std::function<void()> work;
};

TEST(OperatorRecord, FindsEveryKindOfObstacle) {
  at::Tensor x = at::randn({4, 8}), mask = at::randn({4}).gt(0), y = at::zeros({4, 8}), out = at::zeros({8});
  const at::Tensor weight = at::randn({3, 8}).requires_grad_(true), index = at::tensor({1, 0}, at::kLong);
  weight.mutable_grad() = at::zeros_like(weight.detach());
  double number = 1;
  int64_t length = 1;
  const std::vector<Case> cases = {
      {"arithmetic", true, [&] { y.copy_(x * 2 + 1); }},
      {"backward into the same gradient", true, [&] { at::linear(x, weight).square().sum().backward(); }},
      {"masks without indexing", true, [&] { y.copy_(at::where(x.gt(0), x, 0.0)); x.masked_fill_(mask.unsqueeze(1), 0.5); }},
      {"integer index", true, [&] { y.narrow(0, 0, 2).copy_(x.index_select(0, index)); y.index_copy_(0, index, x.narrow(0, 0, 2)); }},
      {"item", false, [&] { (void)x.sum().item<float>(); }},
      {"a condition", false, [&] { if (x.sum().gt(1e9).item<bool>()) y.zero_(); }},
      {"nonzero", false, [&] { (void)mask.nonzero(); }},
      {"boolean index", false, [&] { (void)x.index({mask}); }},
      {"boolean index put", false, [&] { y.index_put_({mask}, 0.0); }},
      {"masked_select", false, [&] { (void)x.masked_select(x.gt(0)); }},
      {"where of one argument", false, [&] { (void)at::where(mask); }},
      {"a host number that changes", false, [&] { y.mul_(number *= 1.5); }},
      {"a shape that changes", false, [&] { out.copy_(x.flatten().narrow(0, 0, 8 * ((length++ % 2) + 1)).view({-1, 8}).sum(0)); }},
      {"an input that moves", false, [&] { x = x + 1; }},
      {"work that depends on the run", false, [&] { if (length++ % 2) y.add_(1); }},
  };
  for (const Case& c : cases) {
    const auto found = capture_obstacles(c.work);
    EXPECT_EQ(found.empty(), c.sound) << c.name << (found.empty() ? "" : ": " + found[0]);
  }
}

TEST(OperatorRecord, NamesWhatWaits) {
  const at::Tensor x = at::randn({3});
  const auto found = capture_obstacles([&] { (void)x.sum().item<float>(); });
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].find("item"), std::string::npos) << found[0];
}

TEST(CapturedStep, ReplaysOnTheSameStorages) {
  at::Tensor x = at::zeros({3}), count = at::zeros({}), sum = at::zeros({});
  int host_runs = 0;
  CapturedStep step("test", [&] {
    ++host_runs;
    count.add_(1);
    x.copy_(at::full({3}, 2.0) * count);
    sum.add_(x.sum());
  }, std::make_unique<ReplayBackend>());
  double expected = 0;
  for (int i = 1; i <= 10; ++i) {
    step.run();
    expected += 6.0 * i;
    EXPECT_EQ(count.item<double>(), i);
    EXPECT_EQ(sum.item<double>(), expected);
  }
  EXPECT_TRUE(step.replays());
  EXPECT_EQ(host_runs, 4);  // three to warm up, one to record
  x.fill_(-1);
  step.run();
  EXPECT_EQ(x[0].item<double>(), 22);
}

// As CUDA does: an operator of the body throws, or what ends the capture does.
class FailingBackend final : public CaptureBackend {
 public:
  explicit FailingBackend(bool inside) : inside_(inside) {}
  void warm_up(const std::function<void()>& body) override { body(); }
  int64_t record(const std::function<void()>&) override {
    (void)at::ones({2}).cumsum(0);
    if (inside_) (void)at::ones({2, 3}).matmul(at::ones({2, 3}));
    throw std::runtime_error("operation not permitted\nwhen stream is capturing");
  }
  void replay() override { FAIL() << "nothing was recorded"; }

 private:
  bool inside_;
};

TEST(CapturedStep, RunsOperatorByOperatorWhereRecordingFails) {
  for (const bool inside : {false, true}) {
    at::Tensor count = at::zeros({});
    CapturedStep step("minibatch update", [&] { count.add_(1); }, std::make_unique<FailingBackend>(inside));
    testing::internal::CaptureStdout();
    for (int i = 0; i < 10; ++i) step.run();
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_EQ(count.item<double>(), 10);
    EXPECT_FALSE(step.replays());
    EXPECT_NE(said.find("minibatch update"), std::string::npos) << said;
    EXPECT_NE(said.find(inside ? "aten::mm failed" : "failed after aten::cumsum"), std::string::npos) << said;
    EXPECT_EQ(said.find("minibatch update"), said.rfind("minibatch update")) << "said once";
  }
}

TEST(CapturedStep, WithoutABackendIsTheBodyItself) {
  int runs = 0;
  CapturedStep step("test", [&] { ++runs; }, nullptr);
  for (int i = 0; i < 7; ++i) step.run();
  EXPECT_EQ(runs, 7);
}

}  // namespace
}  // namespace orbit
