// Every collective gives the same on every executor; and the fibres catch the faults that the other executors cannot see.
#include "envs/common/lanes.h"
#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include "tests/support/executors.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

constexpr int kSlots = 160;

struct Numbers {
  alignas(64) int32_t v[kSlots];
  alignas(64) int32_t w[kSlots];
};

Numbers random_numbers(std::mt19937_64& random) {
  Numbers n;
  for (int i = 0; i < kSlots; ++i) n.v[i] = int32_t(random() % 100);
  for (int i = 0; i < kSlots; ++i) n.w[i] = i;
  return n;
}

struct Collected {
  Mask mask;
  int first, sum, count, length, best;
  uint32_t bits, padded_bits;
  bool any;
  Numbers numbers;
  int32_t rank[kSlots], hit[kSlots], padded[kSlots], cell;
};

// Each collective once. All writes go to out, which lanes share.
template <class L>
void collect(const L& lanes, int n, int limit, Collected& out) {
  int32_t* v = out.numbers.v;
  int32_t* w = out.numbers.w;
  const auto low = [&](int i) { return v[i] < limit; };
  const int few = n < 64 ? n : 64;
  const Mask mask = lanes.mask(few, low);
  const int first = lanes.first_where(n, low);
  const bool any = lanes.any(n, low);
  const int sum = lanes.sum(n, [&](int i) { return v[i] * v[i]; });
  const uint32_t bits = lanes.bits_or(n, [&](int i) { return 1u << (v[i] & 31); });
  const Best best = lanes.argmin(n, [&](int i) { return double(v[i] / 10); });
  const int count = lanes.for_each_ranked(n, low, [&](int i, int rank) { out.rank[i] = rank; });
  lanes.for_each_where(n, low, [&](int i) { v[i] += 1000; });
  lanes.for_each_in(mask, [&](int i) { w[i] += 7; });
  lanes.for_each_padded(n, [&](int i) { out.padded[i] = v[i] + i; });
  const uint32_t padded_bits = lanes.bits_or_padded(n, [&](int i) { return i < n ? uint32_t(w[i]) : 0; });
  lanes.for_each(n, [&](int i) { v[i] += w[i]; });
  lanes.first_match(
      n, 40, [&](int row) { return row & 1; }, [&](int odd, int col) { return (v[col] & 1) == odd; },
      [&](int row, int col) { return v[col] % 3 == row % 3; },
      [&](int row, int col) {
        out.hit[row] = 1 + col;
        lanes.add(out.cell, col);
      });
  const auto keep = [&](int i) { return w[i] % 3 != 0; };
  const int length = lanes.compact(n, keep, w, v);
  lanes.once([&] {
    out.mask = mask;
    out.first = first;
    out.any = any;
    out.sum = sum;
    out.bits = bits;
    out.padded_bits = padded_bits;
    out.best = best.index;
    out.count = count;
    out.length = length;
  });
}

void expect_equal(const Collected& a, const Collected& b, int n) {
  EXPECT_EQ(a.mask, b.mask);
  EXPECT_EQ(a.padded_bits, b.padded_bits);
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.any, b.any);
  EXPECT_EQ(a.sum, b.sum);
  EXPECT_EQ(a.bits, b.bits);
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.cell, b.cell);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(a.rank[i], b.rank[i]) << i;
    EXPECT_EQ(a.hit[i], b.hit[i]) << i;
    EXPECT_EQ(a.padded[i], b.padded[i]) << i;
  }
  for (int i = 0; i < a.length; ++i) {
    EXPECT_EQ(a.numbers.v[i], b.numbers.v[i]) << i;
    EXPECT_EQ(a.numbers.w[i], b.numbers.w[i]) << i;
  }
}

TEST(Lanes, ExecutorsAgreeOnEveryCollective) {
  std::mt19937_64 random(fresh_seed());
  for (int round = 0; round < 60; ++round) {
    const int n = int(random() % (kSlots - 15)), limit = int(random() % 110);
    Collected start{};
    start.numbers = random_numbers(random);
    Collected serial = start, shuffled = start, fibers = start;
    collect(Serial{}, n, limit, serial);
    collect(Shuffled(random()), n, limit, shuffled);
    run_on_fibers([&](const auto& lanes) { collect(lanes, n, limit, fibers); });
    expect_equal(serial, shuffled, n);
    expect_equal(serial, fibers, n);
    ASSERT_FALSE(HasFailure()) << "n " << n << " limit " << limit;
  }
}

// Serial itself against plain loops.
TEST(Lanes, SerialMeansWhatItSays) {
  std::mt19937_64 random(fresh_seed());
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + int(random() % 64), limit = int(random() % 110);
    Numbers a = random_numbers(random);
    const auto low = [&](int i) { return a.v[i] < limit; };
    Mask mask = 0;
    int first = -1, best = 0;
    std::vector<int32_t> kept;
    for (int i = 0; i < n; ++i) {
      if (low(i)) mask |= Mask(1) << i;
      if (low(i) && first < 0) first = i;
      if (a.v[i] < a.v[best]) best = i;
      if (low(i)) kept.push_back(a.w[i]);
    }
    const Serial lanes;
    EXPECT_EQ(lanes.mask(n, low), mask);
    EXPECT_EQ(lanes.first_where(n, low), first);
    EXPECT_EQ(lanes.argmin(n, [&](int i) { return double(a.v[i]); }).index, best);
    EXPECT_EQ(lanes.compact(n, low, a.w, a.v), int(kept.size()));
    for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(a.w[i], kept[i]);
  }
}

TEST(Lanes, NothingToDo) {
  on_every_executor([](const auto& lanes, const char* name) {
    const auto never = [](int) { return true; };
    EXPECT_EQ(lanes.argmin(0, [](int) { return 1.0; }).index, -1) << name;
    EXPECT_EQ(lanes.first_where(0, never), -1) << name;
    EXPECT_EQ(lanes.mask(0, never), 0u) << name;
    EXPECT_FALSE(lanes.any(0, never)) << name;
  });
}

// ---- deliberate faults: right under Serial, caught by the fibres

struct Garrison {
  int32_t ships = 100, launched = 0;
};

// Fault: a shared scalar written outside once().
template <class L>
void launch_without_once(const L& lanes, Garrison& g) {
  g.ships -= 3;
  lanes.once([&] { g.launched += 3; });
}

TEST(Faults, WriteOutsideOnce) {
  Garrison serial, shuffled, fibers;
  launch_without_once(Serial{}, serial);
  launch_without_once(Shuffled{}, shuffled);
  EXPECT_EQ(serial.ships, 97);
  EXPECT_EQ(shuffled.ships, 97);
  run_on_fibers([&](const auto& lanes) { launch_without_once(lanes, fibers); });
  EXPECT_NE(fibers.ships, 97);
}

// Fault: a local counted up inside a lambda, then used to branch.
template <class L>
void count_in_lambda(const L& lanes, const Numbers& n, Garrison& g) {
  int found = 0;
  lanes.for_each(40, [&](int i) { found += n.w[i] < 20; });
  if (found == 20) lanes.once([&] { g.launched = found; });
}

TEST(Faults, CountedInsideALambda) {
  std::mt19937_64 random(1);
  const Numbers n = random_numbers(random);
  Garrison serial, shuffled, fibers;
  count_in_lambda(Serial{}, n, serial);
  count_in_lambda(Shuffled{}, n, shuffled);
  EXPECT_EQ(serial.launched, 20);
  EXPECT_EQ(shuffled.launched, 20);
  run_on_fibers([&](const auto& lanes) { count_in_lambda(lanes, n, fibers); });
  EXPECT_NE(fibers.launched, 20);
}

// Fault: lanes that branch on a value of their own meet at different barriers.
TEST(Faults, LanesPart) {
  EXPECT_THROW(run_on_fibers([](const auto& lanes) {
                 int mine = 0;
                 lanes.for_each(16, [&](int) { mine = 1; });
                 if (mine) lanes.once([] {});
               }),
               std::runtime_error);
  int32_t cell = 0;  // and the pool is usable again
  run_on_fibers([&](const auto& lanes) { lanes.once([&] { cell = 5; }); });
  EXPECT_EQ(cell, 5);
}

// Fault: battles fought fleet by fleet, each against what the ones before have left, instead of all of a turn at once.
struct Attack {
  int32_t owner[3], ships[3];
};
template <class L>
void fight_in_order(const L& lanes, const Attack& a, int32_t& owner, int32_t& garrison) {
  lanes.for_each(3, [&](int i) {
    const int32_t left = owner == a.owner[i] ? garrison + a.ships[i] : garrison - a.ships[i];
    if (left < 0) owner = a.owner[i];
    garrison = left < 0 ? -left : left;
  });
}

TEST(Faults, OrderDependentCombat) {
  const Attack attack{{1, 2, 0}, {30, 25, 8}};  // the rules: 1 has 5 more than 2, and takes a garrison of 3 from nobody
  const auto result_of = [&](const auto& lanes) {
    int32_t owner = -1, garrison = 3;
    fight_in_order(lanes, attack, owner, garrison);
    return owner * 1000 + garrison;
  };
  const int serial = result_of(Serial{});
  int caught = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) caught += result_of(Shuffled(seed * 0x9e3779b97f4a7c15ull)) != serial;
  EXPECT_GT(caught, 5);
}

// Fault: no barrier between what is read and what is written.
struct WithoutSync : FiberWarp {
  void sync() const {}
};

TEST(Faults, MissingBarrier) {
  std::mt19937_64 random(fresh_seed());
  int caught = 0;
  for (int round = 0; round < 20; ++round) {
    const Numbers start = random_numbers(random);
    Numbers right = start, wrong = start;
    const int length = Serial{}.compact(kSlots, [&](int i) { return right.v[i] % 2 == 0; }, right.w, right.v);
    FiberPool::get().run([&] {
      const Warp<WithoutSync> lanes{};
      lanes.compact(kSlots, [&](int i) { return wrong.v[i] % 2 == 0; }, wrong.w, wrong.v);
    });
    caught += !std::equal(right.w, right.w + length, wrong.w);
  }
  EXPECT_GT(caught, 15);
}

}  // namespace
}  // namespace orbit
