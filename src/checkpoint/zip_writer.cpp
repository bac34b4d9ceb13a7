#include "src/checkpoint/zip_writer.h"
#include <cerrno>
#include <system_error>
#include <utility>
#include "src/checkpoint/little_endian.h"
#include "src/checkpoint/zip_archive.h"

namespace orbit {
namespace {
constexpr uint64_t kAlignment = 64, kLocalSize = 30;
constexpr uint16_t kVersion = 45;     // the first with zip64
constexpr uint16_t kUtf8 = 1 << 11;   // names are UTF-8
constexpr uint32_t kNoTime = 0x00210000;  // 1 January 1980, the earliest of the format: equal contents, equal files

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }
}  // namespace

ZipWriter::ZipWriter(const std::string& path, uint64_t zip64_from)
    : file_(std::fopen(path.c_str(), "wb")), zip64_from_(zip64_from) {
  if (file_ == nullptr) fail();
}

ZipWriter::~ZipWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void ZipWriter::write(const void* data, size_t size) {
  if (size != 0 && std::fwrite(data, 1, size, file_) != size) fail();
  at_ += size;
}

void ZipWriter::add(const std::string& name, std::span<const uint8_t> bytes) {
  const Entry entry = {name, at_, bytes.size(), crc32_of(bytes)};
  const bool wide = entry.size >= zip64_from_;
  std::string extra;
  if (wide) {
    put_little<uint16_t>(extra, 1);
    put_little<uint16_t>(extra, 16);
    put_little<uint64_t>(extra, entry.size);
    put_little<uint64_t>(extra, entry.size);
  }
  // A field of padding ("FB", as PyTorch names it) puts the bytes on the alignment.
  const uint64_t unpadded = at_ + kLocalSize + name.size() + extra.size() + 4;
  const auto padding = uint16_t((kAlignment - unpadded % kAlignment) % kAlignment);
  extra += "FB";
  put_little(extra, padding);
  extra.append(padding, 'Z');

  std::string header;
  put_little<uint32_t>(header, 0x04034b50);
  put_little(header, kVersion);
  put_little(header, kUtf8);
  put_little<uint16_t>(header, 0);  // stored
  put_little(header, kNoTime);
  put_little(header, entry.crc);
  const auto size = wide ? 0xFFFFFFFFu : uint32_t(entry.size);
  put_little(header, size);
  put_little(header, size);
  put_little(header, uint16_t(name.size()));
  put_little(header, uint16_t(extra.size()));
  write(header + name + extra);
  write(bytes.data(), bytes.size());
  entries_.push_back(entry);
}

std::string ZipWriter::directory_entry(const Entry& entry) const {
  const bool wide_size = entry.size >= zip64_from_, wide_header = entry.header >= zip64_from_;
  std::string extra;
  if (wide_size || wide_header) {
    put_little<uint16_t>(extra, 1);
    put_little(extra, uint16_t((wide_size ? 16 : 0) + (wide_header ? 8 : 0)));
    if (wide_size) put_little(extra, entry.size);
    if (wide_size) put_little(extra, entry.size);
    if (wide_header) put_little(extra, entry.header);
  }
  std::string out;
  put_little<uint32_t>(out, 0x02014b50);
  put_little(out, kVersion);
  put_little(out, kVersion);
  put_little(out, kUtf8);
  put_little<uint16_t>(out, 0);  // stored
  put_little(out, kNoTime);
  put_little(out, entry.crc);
  const auto size = wide_size ? 0xFFFFFFFFu : uint32_t(entry.size);
  put_little(out, size);
  put_little(out, size);
  put_little(out, uint16_t(entry.name.size()));
  put_little(out, uint16_t(extra.size()));
  put_little<uint16_t>(out, 0);  // comment
  put_little<uint16_t>(out, 0);  // disk
  put_little<uint16_t>(out, 0);  // attributes
  put_little<uint32_t>(out, 0);
  put_little(out, wide_header ? 0xFFFFFFFFu : uint32_t(entry.header));
  return out + entry.name + extra;
}

void ZipWriter::write_end(uint64_t directory) {
  const uint64_t count = entries_.size(), size = at_ - directory, end64 = at_;
  const bool wide = count >= 0xFFFF || directory >= zip64_from_ || size >= zip64_from_;
  std::string out;
  if (wide) {
    put_little<uint32_t>(out, 0x06064b50);
    put_little<uint64_t>(out, 44);  // what follows of this record
    put_little(out, kVersion);
    put_little(out, kVersion);
    put_little<uint64_t>(out, 0);  // both disks
    for (uint64_t number : {count, count, size, directory}) put_little(out, number);
    put_little<uint32_t>(out, 0x07064b50);
    put_little<uint32_t>(out, 0);
    put_little(out, end64);
    put_little<uint32_t>(out, 1);  // disks
  }
  put_little<uint32_t>(out, 0x06054b50);
  put_little<uint32_t>(out, 0);  // both disks
  const auto narrow_count = wide ? uint16_t(0xFFFF) : uint16_t(count);
  put_little(out, narrow_count);
  put_little(out, narrow_count);
  put_little(out, wide ? 0xFFFFFFFFu : uint32_t(size));
  put_little(out, wide ? 0xFFFFFFFFu : uint32_t(directory));
  put_little<uint16_t>(out, 0);  // comment
  write(out);
}

void ZipWriter::finish() {
  const uint64_t directory = at_;
  for (const Entry& entry : entries_) write(directory_entry(entry));
  write_end(directory);
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

}  // namespace orbit
