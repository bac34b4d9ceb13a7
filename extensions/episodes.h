// Where episodes end, and what came of them, one environment at a time, kept on the device. Torch-free.
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

// Sums over the episodes that have ended, one row of them per agent: the columns of `totals`.
enum EpisodeTotal { kEpisodes, kEpisodesTerminated, kEpisodeLength, kEpisodeReturn, kEpisodeReturnSquared, kEpisodesWon, kEpisodesDrawn,
                    kEpisodeTotals };

// N environments, R agents in each. An episode of all agents of an environment ends together.
struct EpisodesView {
  const float* reward;      // (N, R) of the step just made
  const bool* terminated;   // (N, R) the task's own rules ended the episode with it
  const bool* active;       // (N) false: no step was made there
  const int32_t* outcome;   // (N, R) +1 won, 0 drawn, -1 lost, where terminated; nullptr for tasks without
  int32_t agents;           // R
  int32_t time_limit;       // steps after which an episode is truncated; 0: never
  int32_t* length;          // (N) steps of the running episode
  float* ret;               // (N, R) its undiscounted return
  bool* truncated;          // (N, R) out: cut by the time limit. terminated and truncated are never both set: termination wins
  bool* finished;           // (N) out: the episode ended, either way; a reset is due
  int32_t* final_length;    // (N) of the last episode that ended
  float* final_return;      // (N, R)
  double* totals;           // (N, R, kEpisodeTotals): a row an agent, so that no sum depends on an order
};

// outcome: +1 won, 0 drawn, -1 lost; nullptr for tasks without.
ORBIT_FN void add_episode(double* totals, int32_t length, float ret, bool terminated, const int32_t* outcome) {
  totals[kEpisodes] += 1;
  totals[kEpisodesTerminated] += terminated;
  totals[kEpisodeLength] += length;
  totals[kEpisodeReturn] += ret;
  totals[kEpisodeReturnSquared] += double(ret) * ret;
  totals[kEpisodesWon] += terminated && outcome && *outcome > 0;
  totals[kEpisodesDrawn] += terminated && outcome && *outcome == 0;
}

ORBIT_FN void track_episode(const EpisodesView& e, int64_t env) {
  const int64_t first = env * e.agents;
  bool terminated = false;
  for (int64_t a = first; a < first + e.agents; ++a) {
    e.truncated[a] = false;
    terminated |= e.active[env] && e.terminated[a];
  }
  e.finished[env] = false;
  if (!e.active[env]) return;
  const int32_t length = e.length[env] = smaller(e.length[env], INT32_MAX - 1) + 1;
  const bool truncated = !terminated && e.time_limit > 0 && length >= e.time_limit;
  const bool finished = e.finished[env] = terminated || truncated;
  for (int64_t a = first; a < first + e.agents; ++a) {
    const float ret = e.ret[a] += e.reward[a];
    e.truncated[a] = truncated;
    if (!finished) continue;
    add_episode(e.totals + a * kEpisodeTotals, length, ret, terminated, e.outcome ? e.outcome + a : nullptr);
    e.final_return[a] = ret;
    e.ret[a] = 0;
  }
  if (!finished) return;
  e.final_length[env] = length;
  e.length[env] = 0;
}

}  // namespace orbit
