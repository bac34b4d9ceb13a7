#include "envs/orbit_wars/timeline.h"
#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <vector>
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

struct State {
  int owner, ships;
};

// Turn by turn, as the specification tells it.
std::vector<State> roll(State now, int production, const Arrivals& a) {
  std::vector<State> line{now};
  for (int turn = 1; turn <= kHorizon; ++turn) {
    if (now.owner != kNeutral) now.ships += production;
    if (a.turns >> turn & 1) {
      std::vector<std::pair<int, int>> parties;
      for (int o = 0; o < kOwners; ++o) parties.push_back({a.ships[turn][o], o - 1});
      std::sort(parties.rbegin(), parties.rend());
      const int left = parties[0].first - parties[1].first;
      if (left > 0 && parties[0].second == now.owner) now.ships += left;
      else if (left > now.ships) now = {parties[0].second, left - now.ships};
      else now.ships -= left;
    }
    line.push_back(now);
  }
  return line;
}

bool holds(int seat, int ships, int production, const Arrivals& a) {
  const auto line = roll({seat, ships}, production, a);
  return std::all_of(line.begin(), line.end(), [&](const State& s) { return s.owner == seat; });
}

int keep_by_bisection(int seat, int ships, int production, const Arrivals& a) {
  if (!holds(seat, ships, production, a)) return ships;
  int lo = 0, hi = ships;
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (holds(seat, mid, production, a)) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

TEST(Timeline, ArrivalsAndClosedFormsEqualTurnByTurn) {
  std::mt19937_64 random(fresh_seed());
  const auto draw = [&](int low, int high) { return int(low + int64_t(random() % uint64_t(high - low + 1))); };
  int falls = 0, recaptures = 0, kept = 0;
  for (int round = 0; round < 50000; ++round) {
    const int owner = draw(-1, 3), ships = draw(0, 3) ? draw(0, 60) : 0, production = draw(0, 5);
    Arrivals a;
    for (int k = draw(0, 9); k > 0; --k) add_arrival(a, draw(0, 2) ? draw(1, kHorizon) : draw(1, 4), draw(-1, 3), draw(1, 60));
    const Outlook got = outlook(owner, ships, production, a);
    const auto line = roll({owner, ships}, production, a);
    ASSERT_EQ(got.loss, line[3].owner == owner ? std::max(0, ships - line[3].ships) : ships);
    ASSERT_EQ(got.surplus, line[kHorizon].owner == owner ? line[kHorizon].ships : 0);
    for (int seat = 0; seat < kMaxSeats; ++seat) {
      int fall = 0;
      for (int turn = kHorizon; turn > 0; --turn)
        if (line[size_t(turn) - 1].owner == seat && line[size_t(turn)].owner != seat) fall = turn;
      ASSERT_EQ(got.fall[seat], fall);
      falls += fall > 0;
    }
    if (owner == kNeutral) continue;
    int low = ships;
    for (const State& s : line) low = s.owner == owner ? std::min(low, s.ships) : low;
    ASSERT_EQ(got.low, low);
    ASSERT_EQ(got.keep, keep_by_bisection(owner, ships, production, a));
    recaptures += got.fall[owner] > 0 && line[kHorizon].owner == owner;
    kept += got.keep > 0 && got.keep < ships;
  }
  EXPECT_GT(falls, 5000);
  EXPECT_GT(recaptures, 500);
  EXPECT_GT(kept, 1000);
}

}  // namespace
}  // namespace orbit
