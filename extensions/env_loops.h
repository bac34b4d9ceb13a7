// The CPU side of a small environment: loops over environments, and its table. Torch-free, so that a library with one
// environment builds in seconds:
//
//   #include "extensions/env_loops.h"
//   #include "my_env.h"
//   ORBIT_ENVIRONMENT_LIBRARY(orbit::MyEnv)
#pragma once
#include "extensions/env_bodies.h"
#include "extensions/env_launch.h"

namespace orbit {

constexpr int64_t kEnvBlock = 512;  // environments whose step, ends and observations follow each other while they are in the cache

template <template <class> class Env, class Real>
struct EnvLoops {
  using Bodies = EnvBodies<Env, Real>;

  static void reset(const EnvBatchView& v, int64_t begin, int64_t end) {
    for (int64_t env = begin; env < end; ++env) Bodies::reset_one(v, env);
    observe(v, begin, end);
  }
  static void step(const EnvBatchView& v, const void* action, int64_t begin, int64_t end) {
    for (; begin < end; begin += kEnvBlock) step_block(v, action, begin, begin + kEnvBlock < end ? begin + kEnvBlock : end);
  }
  static void observe(const EnvBatchView& view, int64_t begin, int64_t end) {
    const EnvBatchView v = view;  // a copy is no alias of what is written
#pragma GCC ivdep
    for (int64_t env = begin; env < end; ++env) Bodies::observe_one(v, env);
  }

 private:
  static void step_block(const EnvBatchView& view, const void* action, int64_t begin, int64_t end) {
    const EnvBatchView v = view;
#pragma GCC ivdep
    for (int64_t env = begin; env < end; ++env) Bodies::advance_one(v, action, env);
    for (int64_t env = begin; env < end; ++env)
      if (v.terminated[env] | v.truncated[env]) Bodies::end_one(v, env);
    observe(v, begin, end);
  }
};

// Counts and names the fields of a state.
template <class Real>
struct FieldVisitor {
  void* context;
  void (*visit)(void*, const char*, int32_t, bool);
  void operator()(const char* name, Real&) { visit(context, name, 1, false); }
  void operator()(const char* name, int32_t&) { visit(context, name, 1, true); }
  void operator()(const char* name, bool&) { visit(context, name, 1, true); }
  template <size_t size>
  void operator()(const char* name, Real (&)[size]) { visit(context, name, int32_t(size), false); }
  template <size_t size>
  void operator()(const char* name, int32_t (&)[size]) { visit(context, name, int32_t(size), true); }
  template <size_t size>
  void operator()(const char* name, bool (&)[size]) { visit(context, name, int32_t(size), true); }
};

template <template <class> class Env, class Real>
EnvFunctions env_functions() {
  static_assert(obeys_contract<Env<Real>, Real>());
  using Loops = EnvLoops<Env, Real>;
  EnvFunctions f{Loops::reset, Loops::step, Loops::observe, nullptr, nullptr, nullptr};
#if defined(ORBIT_WITH_CUDA)
  f.launch_reset = EnvLaunch<Env, Real>::reset;
  f.launch_step = EnvLaunch<Env, Real>::step;
  f.launch_observe = EnvLaunch<Env, Real>::observe;
#endif
  return f;
}

template <template <class> class Env>
EnvTable env_table() {
  using E = Env<double>;
  EnvTable t;
  t.name = E::kName;
  t.action_kind = E::kActionKind;
  t.action_size = E::kActionSize;
  t.observation_size = E::kObservationSize;
  t.time_limit = E::kTimeLimit;
  t.truncates_itself = TruncatesItself<E>::value;
  t.reward_bounds = E::kRewardBounds;
  t.action_bounds = E::kActionBounds;
  t.observation_bounds = E::kObservationBounds;
  t.visit_fields = [](void* context, void (*visit)(void*, const char*, int32_t, bool)) {
    typename E::State state{};
    FieldVisitor<double> f{context, visit};
    E::fields(state, f);
  };
  t.visit_fields(
      &t,
      [](void* table, const char*, int32_t size, bool whole) {
        EnvTable& t = *static_cast<EnvTable*>(table);
        (whole ? t.integer_fields : t.real_fields) += size;
      });
  t.in_float = env_functions<Env, float>();
  t.in_double = env_functions<Env, double>();
  return t;
}

}  // namespace orbit

// Names that the loader looks up in a library.
#define ORBIT_ENVIRONMENT_LIBRARY(...)                                                                  \
  extern "C" __attribute__((visibility("default"))) const orbit::EnvTable* orbit_environment_table() { \
    static const orbit::EnvTable table = orbit::env_table<__VA_ARGS__>();                               \
    return &table;                                                                                      \
  }
