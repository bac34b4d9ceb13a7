#include "src/bench/small_env_bench.h"
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/stack.h>
#include <c10/core/InferenceMode.h>
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"
#include "extensions/ops.h"
#include "src/bench/timing.h"
#include "src/common/error.h"

namespace orbit {
namespace {

constexpr int kActionSets = 64;  // drawn beforehand, used in turn; one pass steps through them once

bool worth_measuring(int num_envs, int threads) { return threads == 1 || num_envs >= threads * kEnvsPerTask; }

std::vector<at::Tensor> random_actions(const EnvTable& env, int64_t n) {
  std::vector<at::Tensor> sets;
  for (int k = 0; k < kActionSets; ++k) {
    std::vector<at::Tensor> columns;
    for (int32_t a = 0; a < env.action_size; ++a) {
      const Bounds b = env.action_bounds[a];
      if (env.action_kind == ActionKind::kContinuous) columns.push_back(at::rand({n}) * (b.high - b.low) + b.low);
      else columns.push_back(at::randint(int64_t(b.high) + 1, {n}, at::kLong));
    }
    sets.push_back(at::stack(columns, 1));
  }
  return sets;
}

}  // namespace

int small_env_rows(const SmallEnvLoad& load) {
  int rows = 0;
  for (int n : load.num_envs)
    for (int threads : load.threads) rows += worth_measuring(n, threads);
  return rows;
}

void bench_small_env(const SmallEnvLoad& load, BenchTable& table) {
  c10::InferenceMode no_gradients;  // as in a rollout
  const EnvTable& env = find_env(load.environment);
  for (int n : load.num_envs) {
    const std::vector<at::Tensor> batch = make_env_batch(env, n, load.in_double, at::kCPU), actions = random_actions(env, n);
    ops::env_reset_(load.environment, batch, 1);
    for (int threads : load.threads) {
      if (!worth_measuring(n, threads)) continue;
      at::set_num_threads(threads);
      const Rate rate = measure_rate(double(n) * kActionSets, load.seconds, [] {}, [&] {
        for (const at::Tensor& action : actions) ops::env_step_(load.environment, batch, action, 1);
      });
      int64_t bytes = 0;
      for (const at::Tensor& t : batch) bytes += int64_t(t.nbytes());
      table.add({{"bench", "env"},
                 {"environment", load.environment},
                 {"num_envs", n},
                 {"threads", threads},
                 {"part", "step"},
                 {"precision", load.in_double ? "double" : "float"},
                 {"steps_per_second", rate.per_second},
                 {"spread", rate.spread},
                 {"ns_per_step", 1e9 / rate.per_second},
                 {"cpu_ns_per_step", rate.cpu_nanoseconds},
                 {"bytes_per_env", bytes / n}});
    }
  }
}

}  // namespace orbit
