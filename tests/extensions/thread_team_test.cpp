// Every part of a loop is done once, whatever threads do meanwhile: sleep, wake, come late, are used by others, or do not exist.
#include "extensions/thread_team.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>
#include "extensions/share_out.h"
#include "src/common/threads_in_scope.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

// Whether a loop of so many parts did each once, on threads with numbers of their own.
bool does_each_once(int threads, int64_t parts, bool wake) {
  std::vector<std::atomic<int>> done(static_cast<size_t>(parts));
  std::vector<std::atomic<int>> busy(static_cast<size_t>(threads));
  std::atomic<bool> apart{true};
  ThreadTeam::run(threads, parts, wake, [&](int64_t part, int thread) {
    if (thread < 0 || thread >= threads || busy[size_t(thread)]++ != 0) apart = false;
    ++done[size_t(part)];
    --busy[size_t(thread)];
  });
  for (const auto& d : done)
    if (d != 1) return false;
  return apart;
}

TEST(ThreadTeam, DoesEachPartOnceWhetherThreadsSleepOrAwaitTheNextLoop) {
  const uint64_t seed = fresh_seed();
  std::mt19937 random(seed);
  for (int loop = 0; loop < 20000; ++loop) {
    if (random() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    ASSERT_TRUE(does_each_once(1 + int(random() % 6), int64_t(random() % 20), random() % 2 == 0)) << "loop " << loop;
  }
  for (const int64_t parts : {16383, 16384, 50000}) ASSERT_TRUE(does_each_once(3, parts, true)) << parts;
}

TEST(ShareOut, CutsAnyLoopIntoPartsThatCoverIt) {
  std::mt19937_64 random(fresh_seed());
  const ThreadsInScope threads(3);
  for (int n = 0; n < 500; ++n) {
    const int64_t count = n == 0 ? 0 : int64_t(random() % 200), least = n == 0 ? 0 : 1 + int64_t(random() % 20);
    std::vector<std::atomic<int>> done(static_cast<size_t>(count));
    share_out(count, least, [&](int64_t begin, int64_t end) {
      if (least > 0 && begin % least != 0) ADD_FAILURE() << "a part begins at " << begin << ", at least " << least << " each";
      for (int64_t i = begin; i < end; ++i) ++done[size_t(i)];
    });
    for (const auto& d : done) ASSERT_EQ(d, 1) << count << " in parts of at least " << least;
  }
}

TEST(ThreadTeam, LoopsWithinPartsAndOfOtherThreadsRunBesideIt) {
  std::atomic<bool> right{true};
  const auto loops = [&] {
    for (int loop = 0; loop < 2000; ++loop)
      ThreadTeam::run(3, 5, true, [&](int64_t, int) {
        if (loop % 10 == 0 && !does_each_once(2, 3, true)) right = false;
      });
    for (int loop = 0; loop < 2000; ++loop)
      if (!does_each_once(3, 7, loop % 2 == 0)) right = false;
  };
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) others.emplace_back(loops);
  for (std::thread& t : others) t.join();
  EXPECT_TRUE(right);
}

TEST(ThreadTeam, TheFirstExceptionComesBackAfterAllPartsAndTheNextLoopRuns) {
  for (int loop = 0; loop < 200; ++loop) {
    std::atomic<int> done{0};
    EXPECT_THROW(ThreadTeam::run(2, 8, true,
                                 [&](int64_t part, int) {
                                   ++done;
                                   if (part % 3 == 1) throw std::runtime_error("part");
                                 }),
                 std::runtime_error);
    EXPECT_EQ(done, 8);
    EXPECT_TRUE(does_each_once(2, 8, true));
  }
}

TEST(ThreadTeam, AProcessThatForkedDoesAllByItself) {
  ASSERT_TRUE(does_each_once(4, 16, true));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = true;
    for (int loop = 0; loop < 100; ++loop) right = right && does_each_once(4, 16, true);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace orbit
