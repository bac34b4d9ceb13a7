// Every recorded game, played again by every executor in every motion mode.
#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include "envs/common/lanes_fibers.h"
#include "envs/common/lanes_shuffled.h"
#include "src/parity/trace_check.h"
#include "src/parity/trace_file.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

std::vector<std::string> data_files(const std::string& folder, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ORBIT_TEST_DATA) + "/" + folder)) {
    const std::string path = entry.path().string();
    if (path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0)
      files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> recorded_games() {
  std::vector<std::string> files = data_files("traces", ".jsonl.gz");
  for (const std::string& path : data_files("replays", ".gz")) files.push_back(path);
  return files;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename().string();
  name.resize(name.size() - 3);
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

std::string describe(const Trace& trace, const TraceResult& result) {
  if (!result.first) return trace.name;
  const Difference& d = *result.first;
  return trace.name + " t " + std::to_string(d.t) + " " + d.field + ": expected " + d.expected + ", found " + d.found;
}

// One turn on the real warp executor. Every lane has its own copy of the view, as on a GPU.
template <Motion M>
void play_turn_on_fibers(Game& game, const Rules& rules, const Moves& moves, StepScratch& scratch) {
  run_on_fibers([&](const auto& lanes) {
    Game own = game;
    advance<M>(lanes, own, rules, moves, scratch);
  });
}

class Traces : public testing::TestWithParam<std::string> {};

TEST_P(Traces, SerialExactIsBitEqual) {
  for (const Trace& trace : read_traces(GetParam())) {
    const TraceResult result = check_trace(trace, play_turn_serial<Motion::kExact>);
    EXPECT_EQ(result.mismatches, 0) << describe(trace, result);
    EXPECT_TRUE(result.bit_equal()) << trace.name << ": positions differ by up to " << result.max_gap;
    EXPECT_EQ(result.states, int(trace.turns.size()) + !trace.scenario);
  }
}

TEST_P(Traces, SerialFastAndFloat) {
  for (const Trace& trace : read_traces(GetParam())) {
    const TraceResult result = check_trace(trace, play_turn_serial<Motion::kFast>);
    EXPECT_EQ(result.mismatches, 0) << describe(trace, result);
    EXPECT_LT(result.max_gap, 1e-12) << trace.name;
    const TraceResult single = check_trace(trace, play_turn_serial<Motion::kFloat>);
    EXPECT_EQ(single.mismatches, 0) << describe(trace, single);
    EXPECT_LT(single.max_gap, 1e-12) << trace.name;
  }
}

TEST_P(Traces, Shuffled) {
  Shuffled lanes(fresh_seed());
  for (const Trace& trace : read_traces(GetParam())) {
    const TraceResult exact = check_trace(trace, [&](Game& g, const Rules& rules, const Moves& moves, StepScratch& scratch) {
      advance<Motion::kExact>(lanes, g, rules, moves, scratch);
    });
    EXPECT_TRUE(exact.bit_equal()) << describe(trace, exact);
    const TraceResult fast = check_trace(trace, [&](Game& g, const Rules& rules, const Moves& moves, StepScratch& scratch) {
      advance<Motion::kFast>(lanes, g, rules, moves, scratch);
    });
    EXPECT_EQ(fast.mismatches, 0) << describe(trace, fast);
    const TraceResult single = check_trace(trace, [&](Game& g, const Rules& rules, const Moves& moves, StepScratch& scratch) {
      advance<Motion::kFloat>(lanes, g, rules, moves, scratch);
    });
    EXPECT_EQ(single.mismatches, 0) << describe(trace, single);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Traces, testing::ValuesIn(recorded_games()), test_name);

// Fibres are slow: a subset that reaches every rule; everything with ORBIT_FULL_TESTS=1.
std::vector<std::string> fiber_games() {
  if (std::getenv("ORBIT_FULL_TESTS")) return recorded_games();
  std::vector<std::string> files;
  for (const std::string& path : recorded_games())
    for (const char* name : {"scenarios", "chaos-2p-a", "comet-2p-a", "config-short-4p", "78273612.json"})
      if (path.find(name) != std::string::npos) files.push_back(path);
  return files;
}

class FiberTraces : public testing::TestWithParam<std::string> {};

TEST_P(FiberTraces, EveryMode) {
  for (const Trace& trace : read_traces(GetParam())) {
    const TraceResult exact = check_trace(trace, play_turn_on_fibers<Motion::kExact>);
    EXPECT_TRUE(exact.bit_equal()) << describe(trace, exact);
    const TraceResult fast = check_trace(trace, play_turn_on_fibers<Motion::kFast>);
    EXPECT_EQ(fast.mismatches, 0) << describe(trace, fast);
    const TraceResult single = check_trace(trace, play_turn_on_fibers<Motion::kFloat>);
    EXPECT_EQ(single.mismatches, 0) << describe(trace, single);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FiberTraces, testing::ValuesIn(fiber_games()), test_name);

}  // namespace
}  // namespace orbit
