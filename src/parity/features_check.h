// Holds features, aim and decoders against figures that others wrote (tests/data/features/README.md).
#pragma once
#include <string>
#include <vector>
#include "src/parity/comparison.h"

namespace orbit {

// Folder with cases.npz, and where they are there aim.npz and moves.npz (which may hold the strict decoder's moves too).
// Throws UserError for a folder without cases.npz or a damaged file.
std::vector<Comparison> check_features(const std::string& folder);

}  // namespace orbit
