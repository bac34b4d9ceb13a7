#include "src/common/atomic_file.h"
#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include "src/common/error.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  const std::string what = path + ": cannot be written (" + std::strerror(error) + ")";
  if (error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM || error == EROFS || error == EISDIR ||
      error == ENAMETOOLONG || error == ELOOP) {
    throw UserError(what + "; name a file in an existing folder that you may write to");
  }
  throw RunError(what);
}

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~OpenFile() { close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool close() {  // a full network disk may show only here
    const int open = std::exchange(descriptor_, -1);
    return open < 0 || ::close(open) == 0;
  }

 private:
  int descriptor_;
};

void write_bytes(const std::string& path, std::string_view text) {
  OpenFile file(path, O_WRONLY | O_TRUNC);
  if (!file.is_open()) fail_to_write(path, errno);
  while (!text.empty()) {
    const ssize_t written = ::write(file.descriptor(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(path, errno);
    text.remove_prefix(size_t(written));
  }
  if (!file.close()) fail_to_write(path, errno);
}

void flush_to_disk(const std::string& temporary, const std::string& path) {
  OpenFile file(temporary, O_WRONLY);
  if (!file.is_open() || ::fsync(file.descriptor()) != 0 || !file.close()) fail_to_write(path, errno);
}

// Makes the new name itself last. Some file systems cannot flush a folder; the file is in place all the same.
void flush_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  OpenFile opened(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
  if (opened.is_open()) ::fsync(opened.descriptor());
}

// The file that a chain of links ends in, so that writing through a link keeps the link.
std::string resolve_links(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return path;
  if (!fs::is_regular_file(path, error)) throw UserError(path + ": is not a regular file; name another one to write");
  return fs::is_symlink(path, error) ? fs::canonical(path, error).string() : path;
}
}  // namespace

void write_atomically(const std::string& path, const std::function<void(const std::string&)>& writer) {
  const std::string target = resolve_links(path);
  const std::string temporary = target + ".tmp";  // one fixed name: what a killed process leaves is reused, not collected
  {
    OpenFile created(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (!created.is_open()) fail_to_write(path, errno);
  }
  try {
    writer(temporary);
    flush_to_disk(temporary, path);
    if (std::rename(temporary.c_str(), target.c_str()) != 0) fail_to_write(path, errno);
  } catch (const std::system_error& e) {  // streams and std::filesystem
    std::remove(temporary.c_str());
    throw RunError(path + ": cannot be written (" + e.what() + ")");
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
  flush_folder(target);
}

void append_at_once(const std::string& path, std::string_view bytes) {
  OpenFile file(path, O_WRONLY | O_APPEND | O_CREAT);
  if (!file.is_open()) throw RunError(path + ": cannot be written (" + std::strerror(errno) + ")");
  const ssize_t written = ::write(file.descriptor(), bytes.data(), bytes.size());
  const int error = written < 0 ? errno : ENOSPC;  // a short write is a disk that has just become full
  if (written != ssize_t(bytes.size()) || !file.close()) throw RunError(path + ": cannot be written (" + std::strerror(error) + ")");
}

void write_text_atomically(const std::string& path, std::string_view text) {
  write_atomically(path, [&](const std::string& temporary) { write_bytes(temporary, text); });
}

}  // namespace orbit
