// Kaggle replay files: what the game platform or env.toJSON() of the official package writes (rules 10).
#pragma once
#include <string>
#include "src/parity/trace.h"

namespace orbit {

// text: the whole file. Throws UserError where it is no replay of Orbit Wars, or one recorded under older rules.
Trace read_replay(const std::string& text, const std::string& file);

}  // namespace orbit
