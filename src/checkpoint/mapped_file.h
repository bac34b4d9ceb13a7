// A file's bytes in memory without reading them first.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace orbit {

// A private mapping: it may be written to, which changes this process's copy of the page and never the file.
class MappedFile {
 public:
  // Throws UserError if there is no such regular file or it cannot be read.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return {static_cast<const uint8_t*>(address_), size_}; }

 private:
  MappedFile(void* address, size_t size) : address_(address), size_(size) {}
  void* address_;
  size_t size_;
};

}  // namespace orbit
