#include "src/checkpoint/mapped_file.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include "src/common/error.h"

namespace orbit {

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // do not wait for the writer of a pipe
  if (file < 0) throw UserError(path + ": cannot be opened (" + std::strerror(errno) + "); check the path");
  struct stat status = {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file);
    throw UserError(path + ": is not a regular file; name a checkpoint file");
  }
  const size_t size = size_t(status.st_size);
  if (size == 0) {  // nothing to map
    ::close(file);
    return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  }
  void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  const int error = errno;
  ::close(file);
  if (address == MAP_FAILED) throw UserError(path + ": cannot be mapped into memory (" + std::strerror(error) + ")");
  return std::shared_ptr<const MappedFile>(new MappedFile(address, size));
}

MappedFile::~MappedFile() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

}  // namespace orbit
