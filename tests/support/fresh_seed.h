// A new seed on every run, printed; ORBIT_TEST_SEED=N repeats a run.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace orbit {

inline uint64_t fresh_seed() {
  const char* given = std::getenv("ORBIT_TEST_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("repeat with ORBIT_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace orbit
