#include "src/bench/playback.h"
#include <algorithm>
#include <thread>
#include "src/parity/trace_file.h"

namespace orbit {

Recording::Recording(const Trace& trace, int max_fleets)
    : start_(start_of(trace, max_fleets)), rules_{trace.seats, trace.episode_steps, max_fleets, trace.ship_speed} {
  for (const TraceTurn& turn : trace.turns) {
    moves_.emplace_back(turn, trace.seats);
    fleets_ += double(turn.fleets.size());
  }
}

std::vector<std::unique_ptr<Recording>> load_recordings(const std::vector<std::string>& files) {
  std::vector<Trace> traces;
  int capacity = kDefaultMaxFleets;
  for (const std::string& file : files)
    for (Trace& trace : read_traces(file)) {
      capacity = std::max(capacity, fleet_capacity(trace));
      traces.push_back(std::move(trace));
    }
  std::vector<std::unique_ptr<Recording>> recordings;
  for (const Trace& trace : traces) recordings.push_back(std::make_unique<Recording>(trace, capacity));
  return recordings;
}

Playback::Playback(const std::vector<std::unique_ptr<Recording>>& recordings, int num_envs) : recordings_(recordings) {
  double fleets = 0;
  for (const auto& r : recordings) {
    steps_ += r->turns();
    fleets += r->fleets();
  }
  mean_fleets_ = fleets / double(steps_);
  steps_ *= num_envs;
  const GameStorage& start = recordings[0]->start();
  for (int i = 0; i < num_envs; ++i) storage_.emplace_back(start.max_fleets(), start.view().board.path_rows);
}

void Playback::play_slice(size_t begin, size_t end) {
  struct Environment {
    Game game;
    size_t number;  // of the recording, counted from the environment's own first one
    int turn;
  };
  std::vector<Environment> environments;
  for (size_t i = begin; i < end; ++i) environments.push_back({storage_[i].view(), i, 0});
  StepScratch scratch;
  const size_t count = recordings_.size();
  for (size_t playing = environments.size(); playing > 0;)
    for (size_t i = begin; i < end; ++i) {
      Environment& e = environments[i - begin];
      if (e.number == i + count) continue;
      const Recording& r = *recordings_[e.number % count];
      if (e.turn == 0) storage_[i].copy_from(r.start());
      advance<Motion::kFast>(Serial{}, e.game, r.rules(), r.moves(e.turn), scratch);
      if (++e.turn < r.turns()) continue;
      e.turn = 0;
      playing -= ++e.number == i + count;
    }
}

void Playback::play(int threads) {
  const size_t n = storage_.size(), parts = std::min(size_t(threads), n);
  std::vector<std::thread> workers;
  for (size_t p = 1; p < parts; ++p)
    workers.emplace_back([this, n, p, parts] { play_slice(n * p / parts, n * (p + 1) / parts); });
  play_slice(0, n / parts);
  for (std::thread& w : workers) w.join();
}

}  // namespace orbit
