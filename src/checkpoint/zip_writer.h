// Writes zip archives as PyTorch lays them out: records uncompressed, their bytes aligned to 64 so that they can be mapped.
#pragma once
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace orbit {

class ZipWriter {
 public:
  static constexpr uint64_t kZip64From = 0xFFFFFFFF;
  // Sizes and places from `zip64_from` on are written in the wide form (tests lower it). Throws std::system_error when the file
  // cannot be written.
  explicit ZipWriter(const std::string& path, uint64_t zip64_from = kZip64From);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  void add(const std::string& name, std::span<const uint8_t> bytes);
  void finish();  // writes the directory and closes the file

 private:
  struct Entry {
    std::string name;
    uint64_t header, size;
    uint32_t crc;
  };
  void write(const void* data, size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }
  std::string directory_entry(const Entry& entry) const;
  void write_end(uint64_t directory);

  std::FILE* file_;
  uint64_t zip64_from_;
  uint64_t at_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace orbit
