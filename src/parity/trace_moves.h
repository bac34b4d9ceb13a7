// A seat's action as a file holds it, turned into moves as the official game does (rules 6.3 and 9).
#pragma once
#include <vector>
#include "src/parity/trace.h"
#include "src/parity/trace_json.h"

namespace orbit {

// Anything but a list is no moves; an item whose length is not 3 is skipped. Throws UserError on what makes the official game
// raise whatever the state: an item without length, ships that Python's int() refuses.
std::vector<TraceMove> read_moves(const JsonValue& action);

}  // namespace orbit
