// The file of a board bank: a header, then every tensor, each at a multiple of 64 bytes, as it lies in memory.
#include <ATen/ops/from_blob.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include "extensions/board_bank.h"
#include "extensions/board_bank_layout.h"

namespace orbit {
namespace {

constexpr char kMagic[16] = "orbit-boards\n";
constexpr int32_t kVersion = 1;
constexpr int32_t kByteOrder = 0x01020304;  // reads otherwise on a machine of the other kind
constexpr size_t kAlign = 64;

struct Header {
  char magic[16];
  int32_t byte_order, version, path_rows, max_planets, max_path, max_waves;
  int64_t boards;
  char reserved[16];
};
static_assert(sizeof(Header) == kAlign, "the first tensor follows the header at a multiple of 64");

size_t padded(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

std::string system_error() { return std::strerror(errno); }

// A file's bytes, mapped privately: writing to them changes no file.
struct Mapping {
  char* bytes = nullptr;
  size_t size = 0;
  explicit Mapping(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse(path, "cannot open the board bank: " + system_error());
    struct stat status {};
    fstat(file, &status);
    size = size_t(status.st_size);
    void* at = size > 0 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (at == MAP_FAILED) refuse(path, "is no board bank");
    bytes = static_cast<char*>(at);
  }
  ~Mapping() { munmap(bytes, size); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
};

void check_header(const Header& h, const std::string& path) {
  if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0) refuse(path, "is no board bank");
  if (h.byte_order != kByteOrder || h.version != kVersion)
    refuse(path, "is a board bank of version " + std::to_string(h.version) + ", this program reads version " +
                     std::to_string(kVersion));
  const bool sizes = h.max_planets == kMaxPlanets && h.max_path == kMaxPath && h.max_waves == kMaxWaves;
  const bool rows = h.path_rows == kBoardWaves || h.path_rows == kMaxWaves * kWaveMembers;
  if (!sizes || !rows || h.boards <= 0 || h.boards > 1 << 30)
    refuse(path, "is a damaged board bank, or one of other sizes");
}

// What a turn uses as an index must be one.
void check_rows(const BoardBank& bank, int path_rows, const std::string& path) {
  for (int64_t row = 0; row < bank[0].size(0); ++row) {
    const BoardArrays b = board_arrays(bank, row);
    bool good = *b.planet_count >= 0 && *b.planet_count <= kMaxPlanets - kWaveMembers && *b.home >= 0 && *b.home < kMaxPlanets;
    for (int q = 0; q < path_rows; ++q) good &= b.path_length[q] >= 0 && b.path_length[q] <= kMaxPath;
    if (!good) refuse(path, "is a damaged board bank: row " + std::to_string(row) + " is no board");
  }
}

}  // namespace

void save_board_bank(const BoardBank& bank, const std::string& path) {
  const int64_t path_rows = bank.at(3).size(1);
  Header h{};
  std::memcpy(h.magic, kMagic, sizeof kMagic);
  h.byte_order = kByteOrder;
  h.version = kVersion;
  h.path_rows = int32_t(path_rows);
  h.max_planets = kMaxPlanets;
  h.max_path = kMaxPath;
  h.max_waves = kMaxWaves;
  h.boards = bank[0].size(0);

  const std::string part = path + ".part";
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(part.c_str(), "wb"), std::fclose);
  if (!file) refuse(path, "cannot write the board bank: " + system_error());
  bool written = std::fwrite(&h, sizeof h, 1, file.get()) == 1;
  const char zeros[kAlign] = {};
  for (const at::Tensor& t : bank) {
    const at::Tensor here = t.cpu().contiguous();
    written = written && std::fwrite(here.const_data_ptr(), 1, here.nbytes(), file.get()) == here.nbytes();
    const size_t gap = padded(here.nbytes()) - here.nbytes();
    written = written && std::fwrite(zeros, 1, gap, file.get()) == gap;
  }
  written = std::fclose(file.release()) == 0 && written;
  if (written && std::rename(part.c_str(), path.c_str()) == 0) return;
  const std::string why = system_error();
  std::remove(part.c_str());
  refuse(path, "cannot write the board bank: " + why);
}

BoardBank load_board_bank(const std::string& path) {
  const auto file = std::make_shared<Mapping>(path);
  if (file->size < sizeof(Header)) refuse(path, "is no board bank");
  Header h;
  std::memcpy(&h, file->bytes, sizeof h);
  check_header(h, path);

  BoardBank bank;
  size_t at = sizeof h;
  for (const BankField& f : bank_fields(h.path_rows)) {
    size_t bytes = size_t(h.boards) * c10::elementSize(f.dtype);
    for (int64_t n : f.shape) bytes *= size_t(n);
    if (at + bytes > file->size) refuse(path, "is a board bank that ends too early");
    bank.push_back(at::from_blob(file->bytes + at, f.shape_of(h.boards), [file](void*) {}, f.dtype));
    at += padded(bytes);
  }
  if (at != file->size) refuse(path, "is a board bank with something behind its end");
  check_rows(bank, h.path_rows, path);
  return bank;
}

}  // namespace orbit
