// Modules of small networks give, under C++'s torch.jit.load, what the network itself gives.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>
#include "src/config/load.h"
#include "src/setup.h"
#include "src/small_env_setup.h"
#include "src/torchscript/policy_source.h"
#include "src/torchscript/script_export.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/temporary_folder.h"

namespace orbit {
namespace {

const std::vector<std::vector<std::string>> kPolicies = {
    {"environment.name=cartpole"},
    {"environment.name=cartpole", "training.observation_norm=true", "model.mlp={trunk: shared, activation: relu, hidden_sizes: [9]}"},
    {"environment.name=pendulum", "training.observation_norm=true", "model.mlp={hidden_sizes: [8, 7, 6]}"},
    {"environment.name=pendulum", "model.mlp={squash: true, trunk: shared}"},
    {"environment.name=acrobot", "model.kind=rnn", "training.observation_norm=true"},
    {"environment.name=push_cube", "model.kind=rnn", "model.rnn={activation: relu, hidden: 5, memory: 6}"},
};

std::vector<at::Tensor> random_observation(const Config& config) {
  std::vector<at::Tensor> seen;
  for (const TensorSpec& s : observation_of(config)) {
    std::vector<int64_t> shape{13};
    shape.insert(shape.end(), s.shape.begin(), s.shape.end());
    seen.push_back(s.dtype == at::kBool ? at::rand(shape) < 0.3 : at::randn(shape) * 3);
  }
  if (is_recurrent(config)) seen[1].masked_fill_(seen[2].unsqueeze(1), 0);  // as RecurrentTask has it where an episode begins
  return seen;
}

TEST(PolicySource, OrbitNormalisesWhatExists) {
  at::manual_seed(int64_t(fresh_seed()));
  const TemporaryFolder folder;
  const std::string file = folder.write("norm.yaml", "training: {iterations: 1, episodes_per_iter: 1, observation_norm: true}\n");
  const Config config = load_config(file, {"model.hidden=16", "model.attn_heads=2", "model.inducing_points=3", "model.encoder_layers=1"});
  const std::shared_ptr<Policy> policy = make_policy(config, Layout::kPadded);
  const std::vector<at::Tensor> seen = random_observation(config);
  std::vector<at::Tensor> steps;
  for (const at::Tensor& t : seen) steps.push_back(t.unsqueeze(0));
  policy->learn_statistics(steps, at::ones({1, 13}, at::kBool));
  policy->train(false);
  write_torchscript(folder.path() + "/policy.ts", policy_source(config), *policy);
  torch::jit::Module module = torch::jit::load(folder.path() + "/policy.ts");
  const auto out = module.forward({seen.begin(), seen.end()}).toTuple()->elements();
  const at::Tensor expected = policy->predict(seen).value;
  EXPECT_LE((out[2].toTensor() - expected).abs().max().item<double>(), 1e-5);
  EXPECT_GT(expected.std().item<double>(), 1e-3) << "the states differ";
}

TEST(PolicySource, RunsAsTheNetworkDoes) {
  at::manual_seed(int64_t(fresh_seed()));
  const TemporaryFolder folder;
  const std::string defaults = folder.write("defaults.yaml", "training: {iterations: 1, episodes_per_iter: 1, horizon: 16}\n");
  for (const auto& settings : kPolicies) {
    const Config config = load_config(defaults, settings);
    const std::shared_ptr<Policy> policy = make_policy(config, Layout::kPadded);
    {
      at::NoGradGuard no_gradients;
      for (const auto& [name, t] : policy->named_parameters()) t.add_(at::randn(t.sizes()) * 0.3);
    }
    std::vector<at::Tensor> seen = random_observation(config);
    if (config.training.observation_norm) {
      std::vector<at::Tensor> steps;
      for (const at::Tensor& t : seen) steps.push_back(t.unsqueeze(0));
      policy->learn_statistics(steps, at::ones({1, 13}, at::kBool));
      seen[0].select(0, 0).mul_(100);  // beyond what normalisation lets through
    }
    policy->train(false);
    const std::string path = folder.path() + "/policy.ts";
    write_torchscript(path, policy_source(config), *policy);
    torch::jit::Module module = torch::jit::load(path);
    std::vector<c10::IValue> inputs(seen.begin(), seen.end());
    const auto out = module.forward(inputs).toTuple()->elements();
    const Prediction expected = policy->predict(seen);
    const auto near = [&](const at::Tensor& a, const at::Tensor& b) {
      ASSERT_EQ(a.sizes(), b.sizes()) << settings[0];
      const double most = 1e-6 * std::max(1.0, b.abs().max().item<double>());
      EXPECT_LE((a - b).abs().max().item<double>(), most) << settings[0] << " " << settings.back();
    };
    near(out[1].toTensor(), expected.value);
    const std::vector<at::Tensor> greedy = expected.actions->greedy().action;
    if (is_recurrent(config)) near(out[2].toTensor(), greedy[1]);
    const at::Tensor first = out[0].toTensor();
    if (action_space_of(small_env_of(config)).discrete()) {
      ASSERT_TRUE(first.argmax(1, true).equal(greedy[0])) << settings[0];
      near(first.log_softmax(1).gather(1, greedy[0]).squeeze(1), expected.actions->score(greedy).log_prob);
    } else if (settings.back().find("squash") == std::string::npos) {
      near(first, greedy[0]);
    } else {
      near(first.tanh() * 2, greedy[0]);  // torques from -2 to 2
    }
  }
}

}  // namespace
}  // namespace orbit
