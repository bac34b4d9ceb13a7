// The text of a file, gzipped or plain (its content tells which).
#pragma once
#include <string>

namespace orbit {

// Throws UserError where the file cannot be read, is cut short or damaged, or unpacks to more than 1 GiB.
std::string read_text(const std::string& path);

}  // namespace orbit
