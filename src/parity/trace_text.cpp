#include "src/parity/trace_text.h"
#include <zlib.h>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>
#include "src/common/error.h"

namespace orbit {

std::string read_text(const std::string& path) {
  constexpr size_t kLimit = size_t(1) << 30;
  errno = 0;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose_r);
  if (!file) throw UserError(path + ": cannot be opened: " + (errno ? std::strerror(errno) : "out of memory"));
  std::string text;
  std::vector<char> buffer(1 << 18);
  int got;
  while ((got = gzread(file.get(), buffer.data(), unsigned(buffer.size()))) > 0) {
    text.append(buffer.data(), size_t(got));
    if (text.size() > kLimit) throw UserError(path + ": unpacks to more than 1 GiB, which no trace or replay does");
  }
  int code = Z_OK;
  const char* message = gzerror(file.get(), &code);
  if (code == Z_ERRNO) throw UserError(path + ": cannot be read: " + std::strerror(errno));
  if (code == Z_BUF_ERROR) throw UserError(path + ": the gzip data is cut short; copy the file again");
  if (code != Z_OK && code != Z_STREAM_END) throw UserError(path + ": the gzip data is damaged (" + message + ")");
  return text;
}

}  // namespace orbit
