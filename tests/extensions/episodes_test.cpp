// Episodes as they end, against a plain account of the same stream of rewards and flags.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include "extensions/episodes.h"
#include "extensions/ops.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

struct Stream {
  int64_t n, r;
  at::Tensor reward = at::zeros({n, r}), terminated = at::zeros({n, r}, at::kBool), active = at::ones({n}, at::kBool),
             outcome = at::zeros({n, r}, at::kInt);
};

TEST(Episodes, AccountMatchesAPlainOne) {
  std::mt19937_64 random(fresh_seed());
  const int64_t n = 5, r = 2, limit = 9;
  Stream s{n, r};
  EpisodeTensors e = make_episodes(n, r, at::kCPU);
  std::vector<std::vector<double>> running(n);  // rewards of agent 0
  std::map<int64_t, std::vector<std::pair<double, int64_t>>> ended;
  int64_t terminations = 0, truncations = 0;
  for (int step = 0; step < 200; ++step) {
    for (int64_t i = 0; i < n; ++i) {
      const bool on = random() % 10 != 0, end = random() % 12 == 0;
      s.active[i] = on;
      s.terminated[i].fill_(end);
      for (int64_t k = 0; k < r; ++k) s.reward[i][k] = double(random() % 7) - 3;
    }
    ops::track_episodes_(s.reward, s.terminated, s.active, s.outcome, limit, e);
    for (int64_t i = 0; i < n; ++i) {
      const bool on = s.active[i].item<bool>(), end = on && s.terminated[i][0].item<bool>();
      if (on) running[i].push_back(s.reward[i][0].item<double>());
      const bool cut = on && !end && int64_t(running[i].size()) == limit;
      ASSERT_EQ(e.truncated[i][1].item<bool>(), cut) << "environment " << i << ", step " << step;
      ASSERT_EQ(e.finished[i].item<bool>(), end || cut);
      if (!end && !cut) continue;
      double total = 0;
      for (double x : running[i]) total += x;
      ended[i].emplace_back(total, int64_t(running[i].size()));
      ASSERT_EQ(e.final_return[i][0].item<double>(), total);
      ASSERT_EQ(e.final_length[i].item<int64_t>(), int64_t(running[i].size()));
      running[i].clear();
      terminations += end;
      truncations += cut;
    }
  }
  ASSERT_GT(terminations, 0);
  ASSERT_GT(truncations, 0);
  const at::Tensor sums = e.totals.select(1, 0).sum(0);
  double total = 0, squares = 0, length = 0, count = 0;
  for (const auto& [env, list] : ended)
    for (const auto& [ret, steps] : list) count += 1, total += ret, squares += ret * ret, length += double(steps);
  EXPECT_EQ(sums[kEpisodes].item<double>(), count);
  EXPECT_EQ(sums[kEpisodesTerminated].item<double>(), double(terminations));
  EXPECT_EQ(sums[kEpisodeLength].item<double>(), length);
  EXPECT_EQ(sums[kEpisodeReturn].item<double>(), total);
  EXPECT_EQ(sums[kEpisodeReturnSquared].item<double>(), squares);
}

TEST(Episodes, TerminationWinsOverTheTimeLimit) {
  Stream s{2, 1};
  EpisodeTensors e = make_episodes(2, 1, at::kCPU);
  s.terminated[0] = true;
  s.outcome.fill_(1);
  ops::track_episodes_(s.reward, s.terminated, s.active, s.outcome, 1, e);
  EXPECT_FALSE(e.truncated[0].item<bool>());
  EXPECT_TRUE(e.truncated[1].item<bool>());
  EXPECT_TRUE(e.finished.all().item<bool>());
  EXPECT_EQ(e.totals[0][0][kEpisodesWon].item<double>(), 1);
  EXPECT_EQ(e.totals[1][0][kEpisodesWon].item<double>(), 0) << "a truncated episode has no outcome";
}

TEST(Episodes, NoLimitAndNoOutcome) {
  Stream s{1, 1};
  EpisodeTensors e = make_episodes(1, 1, at::kCPU);
  for (int step = 0; step < 100; ++step) ops::track_episodes_(s.reward, s.terminated, s.active, {}, 0, e);
  EXPECT_FALSE(e.finished.item<bool>());
  EXPECT_EQ(e.length.item<int>(), 100);
}

}  // namespace
}  // namespace orbit
