// Reads trace files (JSON lines, several traces a file) and Kaggle replay files (one JSON object); tests/data/traces/README.md
// has the trace format.
#pragma once
#include <string>
#include <vector>
#include "src/parity/trace.h"
#include "src/parity/trace_json.h"

namespace orbit {

// A trace or a replay, plain or gzipped; its content tells which. Throws UserError naming file and line.
std::vector<Trace> read_traces(const std::string& path);

// Bounds of what a file may hold, so that states fit their 32-bit fields and the sweep's single-precision test.
constexpr int64_t kMaxId = 1000000000;
constexpr int64_t kMaxTraceShips = 1000000000;
constexpr double kMaxCoordinate = 1000.0;
constexpr double kMaxAngle = 1e300;

// Rows that traces and replays share.
PlanetRow read_planet_row(const JsonValue& row);
FleetRow read_fleet_row(const JsonValue& row);
CometGroup read_comet_group(const JsonValue& group);
StartState read_start(const JsonValue& start);
void read_configuration(const JsonValue& configuration, Trace& trace);
int32_t read_id(const JsonValue& id);

}  // namespace orbit
