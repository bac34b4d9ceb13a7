#include "src/checkpoint/zip_archive.h"
#include <zlib.h>
#include <algorithm>
#include <string>
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/little_endian.h"
#include "src/checkpoint/pt_value.h"

// Layouts: APPNOTE.TXT of PKWARE, sections 4.3.7 (local header), 4.3.12 (directory entry), 4.3.14 to 16 (end records), 4.5.3
// (zip64).
namespace orbit {
namespace {
constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kEndRecord = 0x06054b50;
constexpr uint32_t kEndRecord64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr uint64_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr uint64_t kMax32 = 0xFFFFFFFF, kMaxComment = 0xFFFF;

// The zip64 extra field holds, in this order, those of the entry's numbers that did not fit into 32 bits.
void read_zip64(std::span<const uint8_t> extra, uint64_t& size, uint64_t& stored_size, uint64_t& header) {
  while (extra.size() >= 4) {
    const uint16_t tag = little16(extra, 0), length = little16(extra, 2);
    if (uint64_t(length) + 4 > extra.size()) throw DamagedFile("a zip entry's extra field is cut short");
    if (tag == 1) {
      uint64_t at = 4;
      for (uint64_t* number : {&size, &stored_size, &header}) {
        if (*number != kMax32) continue;
        if (at + 8 > uint64_t(length) + 4) throw DamagedFile("a zip64 field is cut short");
        *number = little64(extra, at);
        at += 8;
      }
      return;
    }
    extra = extra.subspan(uint64_t(length) + 4);
  }
}
}  // namespace

uint32_t crc32_of(std::span<const uint8_t> bytes, uint32_t before) {
  return uint32_t(crc32_z(before, bytes.data(), bytes.size()));
}

ZipArchive::ZipArchive(std::span<const uint8_t> archive) : archive_(archive) {
  const Directory directory = find_directory();
  if (directory.offset > archive_.size() || directory.size > archive_.size() - directory.offset) {
    throw DamagedFile("the zip directory lies outside of the file");
  }
  if (directory.count > directory.size / kEntrySize) throw DamagedFile("the zip directory is shorter than its entries");
  records_.reserve(directory.count);
  uint64_t at = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) at += read_entry(directory, at);
  check_overlaps();
}

const ZipRecord* ZipArchive::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &records_[found->second];
}

// The end record is the last thing in the file but for a comment whose length it states.
ZipArchive::Directory ZipArchive::find_directory() const {
  if (archive_.size() < kEndSize) throw DamagedFile("it is cut short: no zip directory at its end");
  const uint64_t last = archive_.size() - kEndSize, first = last > kMaxComment ? last - kMaxComment : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    if (little32(archive_, at) != kEndRecord || at + kEndSize + little16(archive_, at + 20) != archive_.size()) continue;
    const Directory directory = {little32(archive_, at + 16), little32(archive_, at + 12), little16(archive_, at + 10)};
    const bool overflow = directory.offset == kMax32 || directory.size == kMax32 || directory.count == 0xFFFF;
    const bool has_locator = at >= kLocatorSize && little32(archive_, at - kLocatorSize) == kLocator64;
    return overflow && has_locator ? find_directory64(at) : directory;
  }
  throw DamagedFile("it is cut short or no zip archive: no zip directory at its end");
}

ZipArchive::Directory ZipArchive::find_directory64(uint64_t end_record) const {
  const uint64_t at = little64(archive_, end_record - kLocatorSize + 8);
  if (at > archive_.size() || archive_.size() - at < kEnd64Size || little32(archive_, at) != kEndRecord64) {
    throw DamagedFile("the zip64 directory lies outside of the file");
  }
  return {little64(archive_, at + 48), little64(archive_, at + 40), little64(archive_, at + 32)};
}

// Reads the directory entry at `at` and its local header; returns the length of the entry.
size_t ZipArchive::read_entry(const Directory& directory, uint64_t at) {
  const uint64_t end = directory.offset + directory.size;
  if (end - at < kEntrySize || little32(archive_, at) != kDirectoryEntry) throw DamagedFile("a zip directory entry is damaged");
  const uint16_t flags = little16(archive_, at + 8), method = little16(archive_, at + 10);
  const uint16_t name_length = little16(archive_, at + 28), extra_length = little16(archive_, at + 30);
  const uint64_t entry_length = kEntrySize + name_length + extra_length + little16(archive_, at + 32);
  if (end - at < entry_length) throw DamagedFile("a zip directory entry is cut short");
  ZipRecord record;
  const auto name = archive_.subspan(at + kEntrySize, name_length);
  record.name = {reinterpret_cast<const char*>(name.data()), name.size()};
  record.crc = little32(archive_, at + 16);
  uint64_t stored_size = little32(archive_, at + 20), size = little32(archive_, at + 24);
  record.header = little32(archive_, at + 42);
  read_zip64(archive_.subspan(at + kEntrySize + name_length, extra_length), size, stored_size, record.header);

  const std::string quoted = "the record \"" + printable(record.name) + "\"";
  if (method != 0) throw DamagedFile(quoted + " is compressed");
  if ((flags & 1) != 0) throw DamagedFile(quoted + " is encrypted");
  if (size != stored_size) throw DamagedFile(quoted + " has two different sizes");
  const uint64_t limit = directory.offset;  // records lie before the directory
  if (record.header > limit || limit - record.header < kLocalSize || little32(archive_, record.header) != kLocalHeader) {
    throw DamagedFile(quoted + " is not where the directory says");
  }
  const uint64_t local_name = little16(archive_, record.header + 26), local_extra = little16(archive_, record.header + 28);
  const uint64_t start = record.header + kLocalSize + local_name + local_extra;
  if (start > limit || size > limit - start) throw DamagedFile(quoted + " reaches past its end");
  const auto repeated = archive_.subspan(record.header + kLocalSize, local_name);
  if (!std::equal(name.begin(), name.end(), repeated.begin(), repeated.end())) {
    throw DamagedFile(quoted + " has another name in its header");
  }
  record.bytes = archive_.subspan(start, size);
  if (!index_.emplace(record.name, records_.size()).second) throw DamagedFile(quoted + " exists twice");
  records_.push_back(record);
  return entry_length;
}

void ZipArchive::check_overlaps() const {
  std::vector<const ZipRecord*> sorted;
  for (const ZipRecord& record : records_) sorted.push_back(&record);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->header < b->header; });
  for (size_t i = 1; i < sorted.size(); ++i) {
    const auto& before = sorted[i - 1]->bytes;
    const uint64_t end = uint64_t(before.data() - archive_.data()) + before.size();
    if (end > sorted[i]->header) throw DamagedFile("the record \"" + printable(sorted[i]->name) + "\" overlaps another one");
  }
}

}  // namespace orbit
