// A loop over environments, rows or columns on as many threads as Torch uses, none more: it waits while they work.
#pragma once
#include <ATen/Parallel.h>
#include <algorithm>
#include "extensions/thread_team.h"

namespace orbit {

// What a loop within this one may use.
inline int threads_to_share() { return at::in_parallel_region() ? 1 : at::get_num_threads(); }

// f(begin, end) over 0 .. count - 1 in parts of at least `least`, a whole multiple of it, several a thread so that slow parts even out.
// Threads that sleep are woken where there are at least `worth_waking`.
template <class F>
void share_out(int64_t count, int64_t least, const F& f, int64_t worth_waking = 0) {
  constexpr int64_t kPartsAThread = 16;
  if (count <= 0) return;
  const int threads = threads_to_share();
  const int64_t each = (count + threads * kPartsAThread * least - 1) / (threads * kPartsAThread * least) * least;
  if (threads == 1 || count <= each) return f(int64_t(0), count);
  ThreadTeam::run(threads, (count + each - 1) / each, count >= worth_waking,
                  [&](int64_t part, int) { f(part * each, std::min(count, (part + 1) * each)); });
}

}  // namespace orbit
