// The directory of a zip archive whose records are stored uncompressed, as torch.save writes them, over bytes in memory.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbit {

struct ZipRecord {
  std::string_view name;  // in the archive's bytes
  uint64_t header = 0;    // place of its local header
  std::span<const uint8_t> bytes;
  uint32_t crc = 0;
};

// Every offset, size and name in the directory is checked against the bytes before it is used; records may not overlap, so that
// a small file cannot pose as a large one. zip64 included; compressed, encrypted or split archives are refused.
class ZipArchive {
 public:
  explicit ZipArchive(std::span<const uint8_t> archive);  // throws DamagedFile; the bytes must outlive the object

  const std::vector<ZipRecord>& records() const { return records_; }  // in the order of the directory
  const ZipRecord* find(std::string_view name) const;

 private:
  struct Directory {
    uint64_t offset, size, count;
  };
  Directory find_directory() const;
  Directory find_directory64(uint64_t end_record) const;
  size_t read_entry(const Directory& directory, uint64_t at);
  void check_overlaps() const;

  std::span<const uint8_t> archive_;
  std::vector<ZipRecord> records_;
  std::unordered_map<std::string_view, size_t> index_;
};

// The CRC-32 of zip files.
uint32_t crc32_of(std::span<const uint8_t> bytes, uint32_t before = 0);

}  // namespace orbit
