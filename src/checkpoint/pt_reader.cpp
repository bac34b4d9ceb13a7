#include "src/checkpoint/pt_reader.h"
#include <algorithm>
#include <map>
#include <vector>
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/mapped_file.h"
#include "src/checkpoint/unpickler.h"
#include "src/checkpoint/zip_archive.h"
#include "src/common/error.h"

namespace orbit {
namespace {
constexpr uintptr_t kAlignment = 16;  // of the largest element

// The records of one checkpoint: NAME/data.pkl, NAME/data/0, NAME/data/1, ..., and NAME/byteorder.
class Records {
 public:
  Records(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, std::string name)
      : archive_(bytes), owner_(std::move(owner)), name_(std::move(name)) {
    find_folder();
    read_byte_order();
  }

  std::span<const uint8_t> pickle() const {
    const ZipRecord& record = require("data.pkl");
    if (record.crc != 0 && crc32_of(record.bytes) != record.crc) throw DamagedFile("its data.pkl has a wrong checksum");
    return record.bytes;
  }

  std::shared_ptr<const Storage> storage(std::string_view key, uint8_t swap) {
    if (!big_endian_) swap = 1;
    auto& made = storages_[{std::string(key), swap}];
    if (made == nullptr) made = swap == 1 ? view(key) : swapped(*storage(key, 1), swap);
    return made;
  }

 private:
  void find_folder() {
    for (const ZipRecord& record : archive_.records()) {
      const size_t slash = record.name.find('/');
      const bool here = slash != std::string_view::npos && record.name.substr(slash + 1) == "data.pkl";
      if (here) folder_ = record.name.substr(0, slash + 1);
      if (here || record.name == "data.pkl") return;
    }
    throw DamagedFile("it is a zip archive without data.pkl");
  }

  void read_byte_order() {
    const ZipRecord* record = archive_.find(folder_ + "byteorder");
    if (record == nullptr) return;  // files of before PyTorch 2.1 are little-endian
    const std::string_view order(reinterpret_cast<const char*>(record->bytes.data()), record->bytes.size());
    if (order != "little" && order != "big") throw DamagedFile("its byte order is neither little nor big");
    big_endian_ = order == "big";
  }

  const ZipRecord& require(const std::string& name) const {
    const ZipRecord* record = archive_.find(folder_ + name);
    if (record == nullptr) throw DamagedFile("its record " + printable(name) + " is missing");
    return *record;
  }

  // The record in place, or a copy of it if it lies so that no tensor could (archives that were packed by another program).
  std::shared_ptr<const Storage> view(std::string_view key) const {
    const ZipRecord& record = require("data/" + std::string(key));
    Storage storage = {record.bytes, owner_, record.crc, name_ + ", record data/" + printable(key)};
    if (reinterpret_cast<uintptr_t>(record.bytes.data()) % kAlignment != 0) {
      const auto copy = std::make_shared<std::vector<uint8_t>>(record.bytes.begin(), record.bytes.end());
      storage.bytes = *copy;
      storage.owner = copy;
    }
    return std::make_shared<Storage>(std::move(storage));
  }

  // A copy in this machine's order. The checksum is that of the original, so it is compared here.
  static std::shared_ptr<const Storage> swapped(const Storage& storage, uint8_t swap) {
    if (storage.crc != 0 && crc32_of(storage.bytes) != storage.crc) throw DamagedFile(storage.source + " has a wrong checksum");
    auto bytes = std::make_shared<std::vector<uint8_t>>(storage.bytes.begin(), storage.bytes.end());
    for (size_t at = 0; at + swap <= bytes->size(); at += swap) {
      std::reverse(bytes->begin() + std::ptrdiff_t(at), bytes->begin() + std::ptrdiff_t(at + swap));
    }
    return std::make_shared<Storage>(Storage{*bytes, bytes, 0, storage.source});
  }

  ZipArchive archive_;
  std::shared_ptr<const void> owner_;
  std::string name_;
  std::string folder_;
  bool big_endian_ = false;
  std::map<std::pair<std::string, uint8_t>, std::shared_ptr<const Storage>> storages_;
};

bool begins_with(std::span<const uint8_t> bytes, std::string_view start) {
  return bytes.size() >= start.size() &&
         std::equal(start.begin(), start.end(), bytes.begin(), [](char a, uint8_t b) { return uint8_t(a) == b; });
}

// The commonest other things that people have under such a name.
void recognise_others(std::span<const uint8_t> bytes) {
  if (bytes.empty()) throw DamagedFile("it is empty");
  if (begins_with(bytes, "PK\x03\x04")) return;
  if (begins_with(bytes, "version https://git-lfs"))
    throw DamagedFile("it is a git-lfs pointer, not the file itself; run git lfs pull");
  // The magic number 0x1950a86a20f9469cfc6c as a pickle of its own.
  if (begins_with(bytes, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19")) {
    throw DamagedFile("it is of the format before PyTorch 1.6");
  }
  if (begins_with(bytes, "\x80")) throw DamagedFile("it is a bare pickle, not a file of torch.save");
}
}  // namespace

PtValue read_pt_bytes(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, const std::string& name) {
  recognise_others(bytes);
  Records records(bytes, std::move(owner), name);
  return Unpickler(records.pickle(), [&](std::string_view key, uint8_t swap) { return records.storage(key, swap); }).load();
}

PtValue read_pt(const std::string& path) {
  const auto file = MappedFile::open(path);
  try {
    return read_pt_bytes(file->bytes(), file, path);
  } catch (const DamagedFile& e) {
    throw UserError(path + ": cannot be read as a PyTorch checkpoint: " + e.what() +
                    "; fetch it anew, or load it in Python and write it with torch.save of a recent PyTorch");
  }
}

}  // namespace orbit
