// Little-endian numbers out of bytes and into them, at any alignment. The caller has checked the bounds.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace orbit {

template <typename T>
T little(std::span<const uint8_t> bytes, uint64_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value = T(value | T(T(bytes[at + i]) << (8 * i)));
  return value;
}
inline uint16_t little16(std::span<const uint8_t> bytes, uint64_t at) { return little<uint16_t>(bytes, at); }
inline uint32_t little32(std::span<const uint8_t> bytes, uint64_t at) { return little<uint32_t>(bytes, at); }
inline uint64_t little64(std::span<const uint8_t> bytes, uint64_t at) { return little<uint64_t>(bytes, at); }

template <typename T>
void put_little(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += char(uint64_t(value) >> (8 * i));
}

}  // namespace orbit
