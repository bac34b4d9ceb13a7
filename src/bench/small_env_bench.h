// orbit_bench env for small environments: random actions through the step operator, resets included.
#pragma once
#include <string>
#include <vector>
#include "src/bench/bench_table.h"

namespace orbit {

struct SmallEnvLoad {
  std::string environment;
  std::vector<int> num_envs, threads;
  bool in_double = false;
  double seconds = 0;  // least time of a measurement
};

// Measurements that a load asks for; a second thread gets no work where there are few environments, so those are left out.
int small_env_rows(const SmallEnvLoad& load);
void bench_small_env(const SmallEnvLoad& load, BenchTable& table);

}  // namespace orbit
