// What happens to one small environment in each operator, written once for CPU loops and CUDA kernels. Torch-free.
#pragma once
#include <utility>
#include "extensions/env_table.h"
#include "extensions/episodes.h"

namespace orbit {

// A state comes from and goes to the rows of its fields; both walk the fields in the same order.
template <class Real>
struct LoadFields {
  const Real* real;
  const int32_t* integer;
  int64_t count;
  ORBIT_FN void operator()(const char*, Real& v) { v = *real, real += count; }
  ORBIT_FN void operator()(const char*, int32_t& v) { v = *integer, integer += count; }
  ORBIT_FN void operator()(const char*, bool& v) { v = *integer != 0, integer += count; }
  template <class T, size_t size>
  ORBIT_FN void operator()(const char* name, T (&v)[size]) {
    for (size_t i = 0; i < size; ++i) (*this)(name, v[i]);
  }
};
template <class Real>
struct StoreFields {
  Real* real;
  int32_t* integer;
  int64_t count;
  ORBIT_FN void operator()(const char*, Real& v) { *real = v, real += count; }
  ORBIT_FN void operator()(const char*, int32_t& v) { *integer = v, integer += count; }
  ORBIT_FN void operator()(const char*, bool& v) { *integer = v, integer += count; }
  template <class T, size_t size>
  ORBIT_FN void operator()(const char* name, T (&v)[size]) {
    for (size_t i = 0; i < size; ++i) (*this)(name, v[i]);
  }
};

template <template <class> class Env, class Real>
struct EnvBodies {
  using E = Env<Real>;
  using State = typename E::State;
  using Action = typename ActionOf<E::kActionKind>::Type;
  static constexpr bool kWhole = E::kActionKind != ActionKind::kContinuous;

  ORBIT_FN static void load(const EnvBatchView& v, int64_t env, State& s) {
    LoadFields<Real> f{static_cast<const Real*>(v.real) + env, v.integer + env, v.count};
    E::fields(s, f);
  }
  ORBIT_FN static void store(const EnvBatchView& v, int64_t env, State& s) {
    StoreFields<Real> f{static_cast<Real*>(v.real) + env, v.integer + env, v.count};
    E::fields(s, f);
  }
  ORBIT_FN static Draws draws(const EnvBatchView& v, int64_t env, int32_t step) {
    const double* given = v.given ? v.given + env * v.given_count : nullptr;
    return Draws(v.seed, uint32_t(v.first + env), uint32_t(v.episode[env]), uint32_t(step), given, v.given_count);
  }

  // Whether all are finite; infinity times zero is not zero.
  ORBIT_FN static bool finite(const float* row) {
    float sum = 0;
    for (int i = 0; i < E::kObservationSize; ++i) sum += row[i] * 0.0f;
    return sum == 0.0f;
  }
  ORBIT_FN static void observe_into(const EnvBatchView& v, int64_t env, const State& s, float* out) {
    float row[E::kObservationSize];
    E::observe(s, row);
    for (int i = 0; i < E::kObservationSize; ++i) out[env * E::kObservationSize + i] = row[i];
    v.fault[env] |= finite(row) ? 0 : kFaultObservation;
  }

  // The next episode begins; its draws go on where `draw` is.
  ORBIT_FN static void begin(const EnvBatchView& v, int64_t env, Draws& draw) {
    State s{};
    E::reset(s, draw);
    store(v, env, s);
    v.length[env] = 0;
    v.ret[env] = 0;
    if (draw.exhausted()) v.fault[env] |= kFaultDraws;
  }

  ORBIT_FN static void reset_one(const EnvBatchView& v, int64_t env) {
    v.episode[env] = int32_t(uint32_t(v.episode[env]) + 1);  // a batch that a caller damaged may wrap around
    Draws draw = draws(v, env, 0);
    begin(v, env, draw);
  }

  // Whole numbers outside their bounds are faults, and brought inside. The bounds are constants here, since device code can't
  // index the array.
  template <int... i>
  ORBIT_FN static void load_action(const void* actions, int64_t env, Action* out, uint8_t& fault, std::integer_sequence<int, i...>) {
    if constexpr (kWhole) {
      const int64_t* given = static_cast<const int64_t*>(actions) + env * E::kActionSize;
      ((out[i] = whole_action<int32_t(E::kActionBounds[i].high)>(given[i], fault)), ...);
    } else {
      ((out[i] = static_cast<const float*>(actions)[env * E::kActionSize + i]), ...);
    }
  }
  template <int32_t last>
  ORBIT_FN static int32_t whole_action(int64_t given, uint8_t& fault) {
    fault |= (given < 0) | (given > last) ? kFaultAction : 0;
    return int32_t(clamp<int64_t>(given, 0, last));
  }

  // The environment's own step, and the flags. What ended is not begun anew here: see end_one.
  ORBIT_FN static void advance_one(const EnvBatchView& v, const void* actions, int64_t env) {
    State s;
    load(v, env, s);
    uint8_t fault = 0;
    Action action[E::kActionSize];
    load_action(actions, env, action, fault, std::make_integer_sequence<int, E::kActionSize>());
    const int32_t length = smaller(v.length[env], INT32_MAX - 1) + 1;
    Draws draw = draws(v, env, length);
    const Transition<Real> t = E::step(s, action, draw);
    store(v, env, s);
    v.length[env] = length;
    v.ret[env] += float(t.reward);
    static_cast<Real*>(v.reward)[env] = t.reward;
    v.terminated[env] = t.terminated != 0;
    const bool by_itself = TruncatesItself<E>::value && t.truncated != 0;
    v.truncated[env] = (t.terminated == 0) & (by_itself | ((v.time_limit > 0) & (length >= v.time_limit)));
    fault |= t.reward * Real(0) == Real(0) ? 0 : kFaultReward;
    fault |= draw.exhausted() ? kFaultDraws : 0;
    v.fault[env] |= fault;
  }

  // After advance_one, where an episode ended: its last observation and statistics are kept and the next begins. Given
  // numbers go to either the step or the reset that follows it; a step that draws and ends begins at the first again.
  ORBIT_FN static void end_one(const EnvBatchView& v, int64_t env) {
    State s;
    load(v, env, s);
    observe_into(v, env, s, v.final_observation);
    v.final_length[env] = v.length[env];
    v.final_return[env] = v.ret[env];
    add_episode(v.totals + env * kEpisodeTotals, v.length[env], v.ret[env], v.terminated[env], nullptr);
    reset_one(v, env);
  }

  ORBIT_FN static void observe_one(const EnvBatchView& v, int64_t env) {
    State s;
    load(v, env, s);
    observe_into(v, env, s, v.observation);
  }
};

}  // namespace orbit
