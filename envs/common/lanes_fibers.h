// Runs the real Warp executor on a CPU: 32 fibres, each with its own locals, switched in random order at every barrier.
// Finds what Shuffled cannot: a local that differs between lanes, a shared scalar written outside once(), a missing barrier.
// Host only, one thread at a time, for tests.
#pragma once
#include <ucontext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>
#include "envs/common/lanes.h"

namespace orbit {

class FiberPool {
 public:
  static FiberPool& get() {
    static FiberPool pool;
    return pool;
  }

  // Every fibre runs body once. Throws std::runtime_error when lanes meet at different barriers (the fibres are abandoned).
  void run(const std::function<void()>& body) {
    body_ = body;
    for (int i = 0; i < 32; ++i) start(i);
    do {
      for (int i : shuffled_lanes()) {
        current_ = i;
        swapcontext(&main_, &context_[i]);
      }
      for (int i = 1; i < 32; ++i)
        if (waits_at_[i] != waits_at_[0])
          throw std::runtime_error("lanes 0 and " + std::to_string(i) + " part: barrier kinds " + std::to_string(waits_at_[0]) +
                                   " and " + std::to_string(waits_at_[i]));
      ++round_;
    } while (waits_at_[0] != kFinished);
  }

  int current() const { return current_; }
  uint64_t* slots() { return slot_[round_ & 1]; }
  void barrier(int kind) {
    waits_at_[current_] = kind;
    swapcontext(&context_[current_], &main_);
  }

 private:
  static constexpr int kFinished = 0, kStackBytes = 256 * 1024;

  static void entry() {
    FiberPool& p = get();
    p.body_();
    p.waits_at_[p.current_] = kFinished;
    swapcontext(&p.context_[p.current_], &p.main_);
  }
  void start(int i) {
    getcontext(&context_[i]);
    context_[i].uc_stack.ss_sp = &stacks_[size_t(i) * kStackBytes];
    context_[i].uc_stack.ss_size = kStackBytes;
    context_[i].uc_link = &main_;
    makecontext(&context_[i], entry, 0);
  }
  std::vector<int> shuffled_lanes() {
    std::vector<int> order(32);
    for (int i = 0; i < 32; ++i) {
      random_ ^= random_ << 13;
      random_ ^= random_ >> 7;
      random_ ^= random_ << 17;
      const int j = int((random_ >> 20) % (i + 1));
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }

  ucontext_t main_, context_[32];
  std::vector<char> stacks_ = std::vector<char>(size_t(32) * kStackBytes);
  std::function<void()> body_;
  int current_ = 0, round_ = 0, waits_at_[32];
  uint64_t slot_[2][32], random_ = 88172645463325252ull;
};

struct FiberWarp {
  int lane() const { return FiberPool::get().current(); }
  void sync() const { FiberPool::get().barrier(1); }
  uint32_t ballot(bool b) const {
    uint64_t* s = FiberPool::get().slots();
    s[lane()] = b;
    FiberPool::get().barrier(2);
    uint32_t m = 0;
    for (int i = 0; i < 32; ++i) m |= uint32_t(s[i]) << i;
    return m;
  }
  template <class T>
  T shfl(T v, int src) const {
    static_assert(sizeof(T) <= 8);
    uint64_t* s = FiberPool::get().slots();
    std::memcpy(&s[lane()], &v, sizeof v);
    FiberPool::get().barrier(3);
    std::memcpy(&v, &s[src], sizeof v);
    return v;
  }
  template <class T>
  void add(T& cell, T v) const { cell += v; }
};

// body(lanes) is run by all 32 lanes together.
template <class Body>
void run_on_fibers(Body body) {
  FiberPool::get().run([&] { body(Warp<FiberWarp>{}); });
}

}  // namespace orbit
