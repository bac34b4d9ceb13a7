// The log of a run: lines to standard output and, once a file is named, to that file too. A small interface of its own, since
// spdlog's fmt and Torch's cannot be included in one file.
#pragma once
#include <string>

namespace orbit {

void log_info(const std::string& line);
void log_warning(const std::string& line);
// From now on no line but warnings: where standard output is a program's result.
void log_warnings_only();
// Also write every line, with its time, to this file (appended). Throws UserError if it cannot be opened.
void log_to_file(const std::string& path);

}  // namespace orbit
