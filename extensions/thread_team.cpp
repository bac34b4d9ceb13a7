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
constexpr auto kPatience = std::chrono::microseconds(100);  // twice what it takes to wake a thread
constexpr int kMissesOfABusyMachine = 4, kLoopsOfDistrust = 2000;

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

// What there is to claim, in one word: number of the loop (24 bits), its threads (8), parts not yet claimed (32).
struct Offer {
  uint64_t word;
  int threads() const { return int(word >> 32 & 0xFF); }
  int64_t unclaimed() const { return int64_t(word & 0xFFFFFFFF); }
  static uint64_t of(uint64_t loop, int threads, int64_t parts) { return loop << 40 | uint64_t(threads) << 32 | uint64_t(parts); }
};

// Threads live as long as the process and are never joined: they may not exist (fork), and hold nothing.
struct Shared {
  alignas(64) std::atomic<uint64_t> offer{0};
  alignas(64) std::atomic<int32_t> unfinished{0};
  // Of the loop on offer; written while nothing is on offer, read by who has claimed a part.
  alignas(64) void (*call)(const void*, int64_t, int) = nullptr;
  const void* work = nullptr;
  int64_t parts = 0;
  std::atomic<bool> patient{false};  // threads that find nothing more to do await the next loop
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  // Sleepers.
  alignas(64) std::atomic<int32_t> sleeping{0}, bell{0};
  // The caller's.
  alignas(64) std::atomic<bool> taken{false};
  uint64_t loop = 0;
  int threads = 1, misses = 0;
  uint64_t distrusted_until = 0;
  Clock::time_point last_end{};

  // Claims parts and does them, until there are none for this thread. Returns how many it did.
  int64_t work_off(int thread) {
    for (int64_t done = 0;; ++done) {
      uint64_t word = offer.load(std::memory_order_acquire);
      do {
        if (Offer{word}.unclaimed() == 0 || thread >= Offer{word}.threads()) return done;
      } while (!offer.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel, std::memory_order_acquire));
      try {
        call(work, parts - Offer{word}.unclaimed(), thread);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
      if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished.notify_one();
    }
  }

  void serve(int thread) {
    sleeping.fetch_sub(1, std::memory_order_seq_cst);  // counted as asleep until it runs
    for (;;) {
      work_off(thread);
      const uint64_t seen = offer.load(std::memory_order_acquire);
      const auto changed = [&] { return offer.load(std::memory_order_seq_cst) != seen; };
      if (Offer{seen}.unclaimed() > 0 && thread < Offer{seen}.threads()) continue;
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
  threads = int(std::min<int64_t>({threads, parts, kMostThreads}));
  Shared& s = shared();
  if (threads <= 1 || s.taken.exchange(true, std::memory_order_acquire)) {
    for (int64_t part = 0; part < parts; ++part) call(work, part, 0);
    return;
  }
  for (; s.threads < threads; ++s.threads, ++s.sleeping) std::thread(&Shared::serve, &s, s.threads).detach();
  const bool follows = Clock::now() - s.last_end < kPatience && s.loop >= s.distrusted_until;
  s.call = call, s.work = work, s.parts = parts;
  s.patient.store(follows, std::memory_order_relaxed);
  s.unfinished.store(int32_t(parts), std::memory_order_relaxed);
  const bool awake = s.sleeping.load(std::memory_order_relaxed) == 0;
  s.offer.store(Offer::of(++s.loop, threads, parts), std::memory_order_seq_cst);
  if ((wake || follows) && s.sleeping.load(std::memory_order_seq_cst) > 0) {
    s.bell.fetch_add(1, std::memory_order_seq_cst);
    s.bell.notify_all();
  }
  const bool alone = s.work_off(0) == parts;
  const auto finished = [&] { return s.unfinished.load(std::memory_order_acquire) == 0; };
  if (!await(finished))
    for (int32_t left; (left = s.unfinished.load(std::memory_order_acquire)) != 0;) s.unfinished.wait(left, std::memory_order_acquire);
  // Threads that were awake and yet came too late were not running: something else has their cores.
  s.misses = follows && awake && alone ? s.misses + 1 : 0;
  if (s.misses == kMissesOfABusyMachine) s.misses = 0, s.distrusted_until = s.loop + kLoopsOfDistrust;
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
