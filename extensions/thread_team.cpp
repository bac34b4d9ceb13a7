#include "extensions/thread_team.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace orbit {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::microseconds(300);  // what a trainer does between two loops takes less; to wake a thread, some 50
constexpr int kMissesOfABusyMachine = 4;
// Loops until threads are trusted again to come in time; twice as many each time that they soon fail once more.
constexpr uint64_t kLeastDistrust = 16, kMostDistrust = 4096;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Until done() or for as long as patience lasts.
template <class F>
bool await(const F& done) {
  const Clock::time_point end = Clock::now() + kPatience;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax();
    }
  } while (Clock::now() < end);
  return false;
}

// A loop in one word: its number (36 bits), its threads (14) and its parts (14).
struct Loop {
  static constexpr int64_t kMostParts = (1 << 14) - 1;
  uint64_t word = 0;
  uint64_t number() const { return word >> 28; }
  int threads() const { return int(word >> 14 & kMostParts); }
  int64_t parts() const { return int64_t(word & kMostParts); }
  int64_t first_part_of(int thread) const { return parts() * thread / threads(); }
  static Loop of(uint64_t number, int threads, int64_t parts) { return {number << 28 | uint64_t(threads) << 14 | uint64_t(parts)}; }
};

// Parts begin .. end - 1 of a loop that nobody has claimed, in one word: number of the loop (36 bits), begin and end (14 each).
struct Range {
  uint64_t word = 0;
  uint64_t loop() const { return word >> 28; }
  int64_t begin() const { return int64_t(word >> 14 & Loop::kMostParts); }
  int64_t end() const { return int64_t(word & Loop::kMostParts); }
  static Range of(uint64_t loop, int64_t begin, int64_t end) { return {loop << 28 | uint64_t(begin) << 14 | uint64_t(end)}; }
};

// Threads live as long as the process and are never joined: they may not exist (fork), and hold nothing. What one thread needs at the
// same time lies in one cache line: another core's takes a quarter of a microsecond to come.
struct Shared {
  // What is on offer, for those who await it.
  alignas(64) std::atomic<uint64_t> offer{0};
  void (*call)(const void*, int64_t, int) = nullptr;  // this and the next: written while no part is unclaimed, read by who has claimed one
  const void* work = nullptr;
  std::atomic<bool> patient{false};  // threads that find nothing more to do await the next loop
  // What a thread has left of the last loop in which anyone claimed a part of its own.
  struct alignas(64) {
    std::atomic<uint64_t> word{0};
  } ranges[ThreadTeam::kMostThreads];
  alignas(64) std::atomic<int32_t> unfinished{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  // Sleepers.
  alignas(64) std::atomic<int32_t> sleeping{0}, bell{0};
  // The caller's.
  alignas(64) std::atomic<bool> taken{false};
  uint64_t loops = 0;
  int threads = 1, misses = 0;
  uint64_t distrusted_until = 0, distrust = kLeastDistrust;
  Clock::time_point last_end{};

  // A part of a thread's range, -1 if there is none left in this loop: from the front for the thread itself, from the end for others.
  int64_t claim(Loop loop, int owner, bool front) {
    std::atomic<uint64_t>& range = ranges[owner].word;
    Range left, before{range.load(std::memory_order_acquire)};
    do {
      left = before;
      if (left.loop() != loop.number()) {  // of an earlier loop, unless this one has ended: it cannot while nobody has claimed these
        if (offer.load(std::memory_order_acquire) != loop.word) return -1;
        left = Range::of(loop.number(), loop.first_part_of(owner), loop.first_part_of(owner + 1));
      }
      if (left.begin() == left.end()) return -1;
      left = Range::of(loop.number(), left.begin() + front, left.end() - !front);
    } while (!range.compare_exchange_weak(before.word, left.word, std::memory_order_acq_rel, std::memory_order_acquire));
    return front ? left.begin() - 1 : left.end();
  }

  void do_part(int64_t part, int thread) {
    try {
      call(work, part, thread);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }

  // Does what is unclaimed of a loop, its own range first. Returns how many parts it did.
  int64_t work_off(Loop loop, int thread) {
    const int threads_of_it = loop.threads();
    int32_t done = 0;
    for (int k = 0; k < threads_of_it && thread < threads_of_it; ++k)
      for (int64_t part; (part = claim(loop, (thread + k) % threads_of_it, k == 0)) >= 0; ++done) do_part(part, thread);
    if (done > 0 && unfinished.fetch_sub(done, std::memory_order_acq_rel) == done) unfinished.notify_one();
    return done;
  }

  void serve(int thread) {
    sleeping.fetch_sub(1, std::memory_order_seq_cst);  // counted as asleep until it runs
    for (;;) {
      const uint64_t seen = offer.load(std::memory_order_acquire);
      const auto changed = [&] { return offer.load(std::memory_order_seq_cst) != seen; };
      work_off(Loop{seen}, thread);
      if (changed()) continue;
      if (patient.load(std::memory_order_relaxed) && await(changed)) continue;
      const int32_t heard = bell.load(std::memory_order_seq_cst);
      sleeping.fetch_add(1, std::memory_order_seq_cst);
      if (!changed()) bell.wait(heard);
      sleeping.fetch_sub(1, std::memory_order_seq_cst);
    }
  }
};

Shared& shared() {
  static Shared& only = *new Shared;
  return only;
}

}  // namespace

void ThreadTeam::run_work(int threads, int64_t parts, bool wake, Call call, const void* work) {
  if (parts > Loop::kMostParts) {
    const int64_t each = (parts + Loop::kMostParts - 1) / Loop::kMostParts;
    return run(threads, (parts + each - 1) / each, wake, [&](int64_t group, int thread) {
      for (int64_t part = group * each; part < std::min(parts, (group + 1) * each); ++part) call(work, part, thread);
    });
  }
  threads = int(std::min<int64_t>({threads, parts, kMostThreads}));
  Shared& s = shared();
  if (threads <= 1 || s.taken.exchange(true, std::memory_order_acquire)) {
    for (int64_t part = 0; part < parts; ++part) call(work, part, 0);
    return;
  }
  for (; s.threads < threads; ++s.threads, ++s.sleeping) std::thread(&Shared::serve, &s, s.threads).detach();
  const bool follows = Clock::now() - s.last_end < kPatience && s.loops >= s.distrusted_until;
  s.call = call, s.work = work;
  s.patient.store(follows, std::memory_order_relaxed);
  s.unfinished.store(int32_t(parts), std::memory_order_relaxed);
  const bool awake = s.sleeping.load(std::memory_order_relaxed) == 0;
  const Loop loop = Loop::of(++s.loops, threads, parts);
  s.offer.store(loop.word, std::memory_order_seq_cst);
  if ((wake || follows) && s.sleeping.load(std::memory_order_seq_cst) > 0) {
    s.bell.fetch_add(1, std::memory_order_seq_cst);
    s.bell.notify_all();
  }
  const bool alone = s.work_off(loop, 0) == parts;
  const auto finished = [&] { return s.unfinished.load(std::memory_order_acquire) == 0; };
  if (!await(finished))
    for (int32_t left; (left = s.unfinished.load(std::memory_order_acquire)) != 0;) s.unfinished.wait(left, std::memory_order_acquire);
  // Threads that were awake and yet came too late were not running: something else has their cores.
  s.misses = follows && awake && alone ? s.misses + 1 : 0;
  if (s.misses == kMissesOfABusyMachine) {
    const bool again = s.loops - s.distrusted_until < 4 * s.distrust;
    s.distrust = again ? std::min(2 * s.distrust, kMostDistrust) : kLeastDistrust;
    s.distrusted_until = s.loops + s.distrust;
    s.misses = 0;
  }
  std::exception_ptr failure;
  if (s.failed.load(std::memory_order_relaxed)) {
    failure = std::exchange(s.failure, nullptr);
    s.failed.store(false, std::memory_order_relaxed);
  }
  s.last_end = Clock::now();
  s.taken.store(false, std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace orbit
