// Threads for loops so short that waking a sleeping thread would take as long as the loop: a turn of 64 games, the gradient of a few
// hundred rows. Torch-free.
//
// Parts of a loop are claimed one by one, by the caller too, who waits for no thread that has claimed none. So a thread that is late,
// or gone after a fork, costs nothing but its help. Each thread begins with parts of its own, the same in every loop of as many, so
// that they stay in its cache, and then takes from the others. Where loops follow each other within kPatience, threads wait for the
// next one awake; otherwise, and on a machine too busy to let them run at once, they sleep. Torch's own threads can do either, but not
// by turns.
#pragma once
#include <cstdint>

namespace orbit {

class ThreadTeam {
 public:
  static constexpr int kMostThreads = 64;

  // f(part, thread) for each part of 0 .. parts - 1, once, on up to `threads` threads numbered from 0, the caller's. Returns when all
  // are done; rethrows the first exception, after which parts may be left out. wake: sleeping threads are called even where no loop
  // went just before. Calls from within a part, or while another thread's loop is under way, do all on the caller's.
  template <class F>
  static void run(int threads, int64_t parts, bool wake, const F& f) {
    const auto call = [](const void* work, int64_t part, int thread) { (*static_cast<const F*>(work))(part, thread); };
    run_work(threads, parts, wake, call, &f);
  }

 private:
  using Call = void (*)(const void* work, int64_t part, int thread);
  static void run_work(int threads, int64_t parts, bool wake, Call call, const void* work);
};

}  // namespace orbit
