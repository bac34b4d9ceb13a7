// orbit_parity inspect: what is in a checkpoint file, and whether all of it can be read.
#pragma once
#include <string>

namespace orbit {

struct InspectRequest {
  std::string file;
  std::string key;      // of the state_dict, where several fit
  std::string json;     // also one JSON object a value to this file; "-": to standard output, in place of the text
  std::string rewrite;  // write what was read to this file
};

// Prints the tree with names, shapes, dtypes and bytes, and which of our policies the weights fit (policy_fit.h).
// Compares every checksum; returns 0. Damage is a UserError.
int inspect(const InspectRequest& request);

}  // namespace orbit
