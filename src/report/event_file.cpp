#include "src/report/event_file.h"
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include "src/common/atomic_file.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;

// A file is a sequence of records, all numbers little-endian:
//   length (8 bytes), masked checksum of the length (4), the bytes of an Event (length), their masked checksum (4)
// with CRC-32C, masked so that a checksum of data that holds checksums stays a good one. An Event is a protocol buffer message:
//   Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; SessionLog session_log = 7; }
//   Summary { repeated Value value = 1; }   Value { string tag = 1; float simple_value = 2; }   SessionLog { status = 1; }
constexpr const char* kPrefix = "events.out.tfevents.";
constexpr const char* kVersion = "brain.Event:2";
constexpr uint64_t kSessionStart = 1;  // SessionLog.status

constexpr std::array<uint32_t, 256> crc32c_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? (value >> 1) ^ 0x82f63b78u : value >> 1;  // Castagnoli, reflected
    table[byte] = value;
  }
  return table;
}

uint32_t masked_crc32c(const std::string& data) {
  static constexpr auto kTable = crc32c_table();
  uint32_t crc = ~0u;
  for (const char c : data) crc = kTable[(crc ^ uint8_t(c)) & 0xff] ^ (crc >> 8);
  crc = ~crc;
  return std::rotr(crc, 15) + 0xa282ead8u;
}

std::string little_endian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += char(value >> (8 * i));
  return text;
}

std::string record(const std::string& event) {
  const std::string length = little_endian(event.size(), 8);
  return length + little_endian(masked_crc32c(length), 4) + event + little_endian(masked_crc32c(event), 4);
}

std::string varint(uint64_t value) {
  std::string text;
  for (; value >= 128; value >>= 7) text += char(value | 128);
  return text + char(value);
}

// Fields of a message: a key (number and wire type), then the value.
std::string whole_field(int number, uint64_t value) { return varint(uint64_t(number) << 3) + varint(value); }
std::string double_field(int number, double value) {
  return varint(uint64_t(number) << 3 | 1) + little_endian(std::bit_cast<uint64_t>(value), 8);
}
std::string float_field(int number, float value) {
  return varint(uint64_t(number) << 3 | 5) + little_endian(std::bit_cast<uint32_t>(value), 4);
}
std::string bytes_field(int number, const std::string& value) {
  return varint(uint64_t(number) << 3 | 2) + varint(value.size()) + value;
}

std::string event_head(int64_t step) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return double_field(1, now.count()) + whole_field(2, uint64_t(step));
}

// The present second, or the one after the newest event file's: TensorBoard reads the files of a folder in the order of names.
std::string file_name(const std::string& folder) {
  int64_t second = std::time(nullptr);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    int64_t other = 0;
    if (!name.starts_with(kPrefix)) continue;
    std::from_chars(name.data() + std::char_traits<char>::length(kPrefix), name.data() + name.size(), other);
    second = std::max(second, other + 1);
  }
  return folder + "/" + kPrefix + std::to_string(second) + ".orbit_train";
}

}  // namespace

EventFile::EventFile(const std::string& folder, int64_t first_step) : path_(file_name(folder)) {
  const std::string start = bytes_field(7, whole_field(1, kSessionStart));
  append_at_once(path_, record(event_head(first_step) + bytes_field(3, kVersion)) + record(event_head(first_step) + start));
}

void EventFile::append(const MetricsRow& row) const {
  std::string summary;
  for (const auto& [name, value] : row.values()) {
    if (name == "iteration") continue;
    summary += bytes_field(1, bytes_field(1, metric_section(name) + "/" + name) + float_field(2, float(value)));
  }
  append_at_once(path_, record(event_head(int64_t(row.find("iteration").value_or(0))) + bytes_field(5, summary)));
}

std::string metric_section(const std::string& name) {
  if (name.starts_with("time_") || name.ends_with("_per_second")) return "speed";
  if (name.starts_with("win_rate_") || name.starts_with("evaluation_")) return "evaluation";
  for (const char* rollout : {"samples", "episodes", "episode_return", "episode_length", "finished_games", "win_rate", "draw_rate",
                              "explained_variance", "refused_launches", "opponent_snapshot"})
    if (name == rollout) return "rollout";
  return "update";
}

}  // namespace orbit
