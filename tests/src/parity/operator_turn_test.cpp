#include "src/parity/operator_turn.h"
#include <gtest/gtest.h>
#include "src/parity/trace_check.h"
#include "src/parity/trace_file.h"

namespace orbit {
namespace {

// The operators play recorded games to the bit, hand-made states (with a path for each comet) included.
TEST(OperatorTurn, RecordedGames) {
  for (const char* name :
       {"traces/scenarios.jsonl.gz", "traces/comet-2p-a.jsonl.gz", "traces/chaos-4p-a.jsonl.gz", "replays/78358874.json.gz"})
    for (const Trace& trace : read_traces(std::string(ORBIT_TEST_DATA) + "/" + name)) {
      const TraceResult result = check_trace(trace, OperatorTurn());
      EXPECT_TRUE(result.bit_equal()) << trace.name << (result.first ? ": " + result.first->field : "");
    }
}

}  // namespace
}  // namespace orbit
