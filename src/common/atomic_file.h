// Files that are either whole or as they were: written beside the target, flushed to the disk, then renamed over it.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace orbit {

// Calls writer(temporary) with the name of a new, empty file beside `path` and moves it over `path` once its bytes are on the
// disk. Whatever goes wrong, the temporary file is removed and what stood under `path` stays whole. A path that cannot be
// written at all (no such folder, no permission) is a UserError; a full disk and the like a RunError.
void write_atomically(const std::string& path, const std::function<void(const std::string& temporary)>& writer);

void write_text_atomically(const std::string& path, std::string_view text);

// Adds to the end of a file in one write, so that a reader sees whole lines and records; only a killed process or a full disk
// leaves a part. Throws RunError.
void append_at_once(const std::string& path, std::string_view bytes);

}  // namespace orbit
