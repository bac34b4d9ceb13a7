// What the traces do not show: resets, full fleet arrays, the memory of earlier turns.
#include "envs/orbit_wars/step.h"
#include <gtest/gtest.h>
#include <random>
#include "envs/orbit_wars/game_storage.h"
#include "envs/orbit_wars/reset.h"
#include "tests/support/executors.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

constexpr int kFleets = 64;

struct Play {
  explicit Play(int64_t seed, int seats)
      : storage(kFleets, kBoardWaves), rules{seats, kDefaultEpisodeSteps, kFleets, kDefaultShipSpeed} {
    write_board(make_board(Seed(seed)), storage.board());
    game = storage.view();
    reset_game(Serial{}, game, rules, 7);
  }
  GameStorage storage;
  Rules rules;
  Game game;
};

// Moves of all seats, a few a seat, many of them refused.
struct RandomMoves {
  static constexpr int kStride = 6;
  int32_t count[kMaxSeats], from[kMaxSeats * kStride], ships[kMaxSeats * kStride];
  double angle[kMaxSeats * kStride];

  RandomMoves(std::mt19937_64& random, const Game& g) {
    for (int s = 0; s < kMaxSeats; ++s) count[s] = int32_t(random() % (kStride + 1));
    for (int k = 0; k < kMaxSeats * kStride; ++k) {
      from[k] = g.planets.id[random() % uint64_t(g.now->planet_count)];
      ships[k] = int32_t(random() % 9) - 1;
      angle[k] = double(random() % 1000) * 0.01;
    }
  }
  Moves view() const { return {count, from, ships, angle, kStride}; }
};

template <class T>
void expect_same(const T* a, const T* b, int n, const char* name) {
  for (int i = 0; i < n; ++i) EXPECT_EQ(a[i], b[i]) << name << " " << i;
}

// Planets in full, fleets as far as they are used, history and scalars.
void expect_same_state(const Game& a, const Game& b) {
  Game x = a, y = b;
  const int np = kMaxPlanets, nf = x.now->fleet_count;
  ASSERT_EQ(std::memcmp(x.now, y.now, sizeof(Scalars)), 0);
  expect_same(x.planets.id, y.planets.id, np, "id");
  expect_same(x.planets.owner, y.planets.owner, np, "owner");
  expect_same(x.planets.ships, y.planets.ships, np, "ships");
  expect_same(x.planets.kind, y.planets.kind, np, "kind");
  expect_same(x.planets.x, y.planets.x, np, "x");
  expect_same(x.planets.y, y.planets.y, np, "y");
  expect_same(x.planets.phase, y.planets.phase, np, "phase");
  expect_same(x.planets.arm_x, y.planets.arm_x, np, "arm_x");
  expect_same(x.fleets.id, y.fleets.id, nf, "fleet id");
  expect_same(x.fleets.x, y.fleets.x, nf, "fleet x");
  expect_same(x.history.snapshot_id, y.history.snapshot_id, kSnapshots * np, "snapshot id");
  expect_same(x.history.snapshot_owner, y.history.snapshot_owner, kSnapshots * np, "snapshot owner");
  expect_same(x.history.snapshot_ships, y.history.snapshot_ships, kSnapshots * np, "snapshot ships");
  expect_same(x.history.launch_step, y.history.launch_step, kLaunchTurns, "launch step");
  expect_same(x.history.launch_count, y.history.launch_count, kLaunchTurns * kMaxSeats, "launch count");
  expect_same(x.history.launch_ships, y.history.launch_ships, kLaunchTurns * kMaxSeats, "launch ships");
}

TEST(Reset, SeatsAndHomes) {
  for (int seats : {2, 4}) {
    Play p(42, seats);
    int owned = 0;
    for (int i = 0; i < kMaxPlanets; ++i) {
      const bool home = p.game.planets.owner[i] != kNeutral;
      owned += home;
      if (home) {
        EXPECT_EQ(p.game.planets.ships[i], kHomeShips);
        EXPECT_LT(i, p.game.now->planet_count);
      }
    }
    EXPECT_EQ(owned, seats);
    EXPECT_EQ(p.game.now->board, 7);
    EXPECT_EQ(p.game.planets.owner[*p.game.board.home + 3], seats == 2 ? 1 : 3);
  }
}

// A game that was played and reset is as new, whatever the executor.
TEST(Reset, ForgetsThePlayedGame) {
  std::mt19937_64 random(fresh_seed());
  for (int seats : {2, 4}) {
    const int64_t seed = int64_t(random() % 1000000);
    Play fresh(seed, seats), played(seed, seats);
    StepScratch scratch;
    on_every_executor([&](const auto& lanes, const char*) {
      Game g = played.game;
      for (int t = 0; t < 70; ++t) {
        std::mt19937_64 same_for_all_lanes(uint64_t(seed) * 1000 + uint64_t(t));
        lanes.once([] {});  // a barrier: the planets are read next
        const RandomMoves moves(same_for_all_lanes, g);
        push_history(lanes, g, played.rules, moves.view());
        advance<Motion::kFast>(lanes, g, played.rules, moves.view(), scratch);
      }
      reset_game(lanes, g, played.rules, 7);
    });
    expect_same_state(fresh.game, played.game);
  }
}

TEST(Launch, AFullFleetArrayRefusesAndCounts) {
  Play p(3, 2);
  const int home = *p.game.board.home;
  p.game.planets.ships[home] = 1000;
  std::vector<int32_t> from(100, home), ships(100, 2);
  std::vector<double> angle(100, 0.5);
  const int32_t count[2] = {100, 0};
  from.resize(200), ships.resize(200), angle.resize(200);
  launch(Serial{}, p.game, p.rules, Moves{count, from.data(), ships.data(), angle.data(), 100});
  EXPECT_EQ(p.game.now->fleet_count, kFleets);
  EXPECT_EQ(p.game.now->next_fleet_id, kFleets);
  EXPECT_EQ(p.game.now->refused, 100 - kFleets);
  EXPECT_EQ(p.game.planets.ships[home], 1000 - 2 * kFleets);  // nothing is lost with a refusal
}

// The history against one kept by plain code.
TEST(History, SnapshotsAndLaunches) {
  std::mt19937_64 random(fresh_seed());
  const int64_t seed = int64_t(random() % 1000000);
  struct Snapshot {
    std::vector<int32_t> id, owner, ships;
  };
  for (int executor = 0; executor < 3; ++executor) {
    Play p(seed, 4);
    StepScratch scratch;
    std::vector<Snapshot> snapshots;
    std::vector<std::array<std::array<int32_t, 2>, kMaxSeats>> launches;
    for (int t = 0; t < 60; ++t) {
      const RandomMoves m(random, p.game);
      const Planets& q = p.game.planets;
      const int np = p.game.now->planet_count;
      snapshots.push_back({{q.id, q.id + np}, {q.owner, q.owner + np}, {q.ships, q.ships + np}});
      launches.emplace_back();
      for (int s = 0; s < kMaxSeats; ++s) {
        launches.back()[size_t(s)] = {m.count[s], 0};
        for (int k = 0; k < m.count[s]; ++k) launches.back()[size_t(s)][1] += m.ships[s * RandomMoves::kStride + k];
      }
      const auto turn = [&](const auto& lanes) {
        Game g = p.game;
        push_history(lanes, g, p.rules, m.view());
        advance<Motion::kExact>(lanes, g, p.rules, m.view(), scratch);
      };
      if (executor == 0) turn(Serial{});
      if (executor == 1) turn(Shuffled{random()});
      if (executor == 2) run_on_fibers(turn);

      const History& h = p.game.history;
      ASSERT_EQ(p.game.now->snapshot_count, std::min(t + 1, kSnapshots));
      for (int k = 0; k < kSnapshots; ++k)
        for (int i = 0; i < kMaxPlanets; ++i) {
          const Snapshot* s = k <= t ? &snapshots[size_t(t - k)] : nullptr;
          const bool real = s && size_t(i) < s->id.size();
          const int at = snapshot_start(p.game, k + 1) + i;
          ASSERT_EQ(h.snapshot_id[at], real ? s->id[size_t(i)] : -1);
          if (!real) continue;
          ASSERT_EQ(h.snapshot_owner[at], s->owner[size_t(i)]);
          ASSERT_EQ(h.snapshot_ships[at], s->ships[size_t(i)]);
        }
      for (int back = 0; back < kLaunchTurns; ++back) {
        const int turn_then = t - back, slot = ((turn_then % kLaunchTurns) + kLaunchTurns) % kLaunchTurns;
        ASSERT_EQ(h.launch_step[slot], turn_then < 0 ? -1 : turn_then);
        for (int s = 0; s < kMaxSeats && turn_then >= 0; ++s) {
          ASSERT_EQ(h.launch_count[slot * kMaxSeats + s], launches[size_t(turn_then)][size_t(s)][0]);
          ASSERT_EQ(h.launch_ships[slot * kMaxSeats + s], launches[size_t(turn_then)][size_t(s)][1]);
        }
      }
    }
  }
}

TEST(History, ShipsOfARefusedMoveCannotOverflow) {
  Play p(5, 2);
  const int32_t count[2] = {3, 0}, from[6] = {}, ships[6] = {INT32_MAX, INT32_MAX, 5};
  const double angle[6] = {};
  push_history(Serial{}, p.game, p.rules, Moves{count, from, ships, angle, 3});
  EXPECT_EQ(p.game.history.launch_ships[0], INT32_MAX);
  EXPECT_EQ(p.game.history.launch_count[0], 3);
}

}  // namespace
}  // namespace orbit
