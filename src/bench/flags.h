// What the flags of all benchmarks ask for.
#pragma once
#include <string>
#include "src/common/error.h"

namespace orbit {

// The value of a flag that must be at least 1. Throws UserError.
inline int positive(const std::string& flag, int value) {
  if (value < 1) throw UserError("--" + flag + ": expected at least 1, found " + std::to_string(value));
  return value;
}

}  // namespace orbit
