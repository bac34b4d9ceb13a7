// What a small environment must provide: a class template over the type of its arithmetic (float or double) as below; one SIMD
// lane of a CPU loop, or one CUDA thread, runs one instance. The smallest to copy is envs/classic/mountain_car.h.
//
//   template <class Real>
//   struct Name {
//     static constexpr const char* kName;                      // in configs and messages; lower case
//     static constexpr ActionKind kActionKind;
//     static constexpr int kActionSize, kObservationSize;
//     static constexpr int kTimeLimit;                         // steps after which an episode is truncated; 0: never
//     static constexpr bool kTruncatesItself;                  // optional, true where it is missing: see below
//     static constexpr Bounds kActionBounds[kActionSize];      // of whole numbers: {0, last choice}
//     static constexpr Bounds kObservationBounds[kObservationSize];
//     static constexpr Bounds kRewardBounds;
//     struct State { ... };                                    // of Real, int32_t, bool and arrays of them, nothing else
//     template <class F> ORBIT_FN static void fields(State& s, F& f);              // f("field", s.field) for each, in order
//     ORBIT_FN static void reset(State& s, Draws& draw);                           // the first state of an episode
//     ORBIT_FN static Transition<Real> step(State& s, const Action* action, Draws& draw);  // Action: int32_t or float
//     ORBIT_FN static void observe(const State& s, float* out);                    // kObservationSize numbers
//   };
//
// kTruncatesItself = false promises that step never sets `truncated`, which is then ignored: the trainer needs room for fewer last
// observations, and values fewer of them.
//
// Around it the caller counts steps, sets `truncated` at the time limit, begins the next episode and keeps statistics. Whole
// numbers as actions are within their bounds when step sees them; others come as they are, and are clipped by the environment
// if its rules say so. Write choices between values as `a ? b : c`: a branch or a loop of unknown length keeps the compiler from
// running environments side by side.
#pragma once
#include <limits>
#include <type_traits>
#include "envs/common/draws.h"
#include "envs/common/real_math.h"
#if defined(__cpp_concepts)  // CUDA files are C++17; the same environments are checked where the CPU loops are compiled
#include <concepts>
#endif

namespace orbit {

enum class ActionKind : int32_t { kDiscrete, kMultiDiscrete, kContinuous };

struct Bounds {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

// What a step did. The flags are 0 or 1 in a whole number, since the compiler keeps a struct with bools in memory, and then a
// loop over environments is no SIMD loop.
template <class Real>
struct Transition {
  Real reward;
  int32_t terminated;     // the environment's own rules end the episode
  int32_t truncated = 0;  // something that is no rule cuts it; the time limit is the caller's
};

template <ActionKind kind>
struct ActionOf {
  using Type = int32_t;
};
template <>
struct ActionOf<ActionKind::kContinuous> {
  using Type = float;
};

template <class E, class = void>
struct TruncatesItself : std::true_type {};
template <class E>
struct TruncatesItself<E, std::void_t<decltype(E::kTruncatesItself)>> : std::bool_constant<E::kTruncatesItself> {};

#if defined(__cpp_concepts)
template <class E>
concept HasConstants = requires {
  { E::kName } -> std::convertible_to<const char*>;
  { E::kActionKind } -> std::convertible_to<ActionKind>;
  { E::kActionSize } -> std::convertible_to<int>;
  { E::kObservationSize } -> std::convertible_to<int>;
  { E::kTimeLimit } -> std::convertible_to<int>;
};
template <class E>
concept HasBounds = requires {
  { E::kRewardBounds } -> std::convertible_to<Bounds>;
  requires sizeof(E::kActionBounds) == size_t(E::kActionSize) * sizeof(Bounds);
  requires sizeof(E::kObservationBounds) == size_t(E::kObservationSize) * sizeof(Bounds);
};
template <class E>
concept HasState = std::default_initializable<typename E::State>;
template <class E>
concept HasFields = requires(typename E::State& s, void (*f)(const char*, ...)) { E::fields(s, f); };
template <class E>
concept HasReset = requires(typename E::State& s, Draws& draw) { E::reset(s, draw); };
template <class E, class Real>
concept HasStep = requires(typename E::State& s, const typename ActionOf<E::kActionKind>::Type* action, Draws& draw) {
  { E::step(s, action, draw) } -> std::same_as<Transition<Real>>;
};
template <class E>
concept HasObserve = requires(const typename E::State& s, float* out) { E::observe(s, out); };

template <class E, class Real>
concept SmallEnvironment =
    HasConstants<E> && HasBounds<E> && HasState<E> && HasFields<E> && HasReset<E> && HasStep<E, Real> && HasObserve<E>;

// Names what is missing, in words.
template <class E, class Real>
constexpr bool obeys_contract() {
  static_assert(HasConstants<E>, "needs kName, kActionKind, kActionSize, kObservationSize and kTimeLimit");
  static_assert(HasBounds<E>, "needs kRewardBounds, and a Bounds for each number of kActionBounds and kObservationBounds");
  static_assert(HasState<E>, "needs a plain struct State");
  static_assert(HasFields<E>, "needs: template <class F> static void fields(State&, F&)");
  static_assert(HasReset<E>, "needs: static void reset(State&, Draws&)");
  static_assert(HasStep<E, Real>, "needs: static Transition<Real> step(State&, const int32_t* or float* action, Draws&)");
  static_assert(HasObserve<E>, "needs: static void observe(const State&, float* out)");
  return SmallEnvironment<E, Real>;
}
#endif

}  // namespace orbit
