#include "envs/orbit_wars/python_random.h"
#include <algorithm>
#include <array>
#include "envs/orbit_wars/sha512.h"

namespace orbit {
namespace {

constexpr int kMiddle = 397;

// init_genrand(19650218), from which every init_by_array starts.
std::array<uint32_t, 624> start_state() {
  std::array<uint32_t, 624> s;
  s[0] = 19650218u;
  for (uint32_t j = 1; j < s.size(); ++j) s[j] = 1812433253u * (s[j - 1] ^ (s[j - 1] >> 30)) + j;
  return s;
}

uint32_t twist(uint32_t high, uint32_t low, uint32_t other) {
  const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return other ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}

}  // namespace

RandomKey text_key(std::string_view text) {
  const std::array<uint8_t, 64> digest = sha512(text);
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  std::reverse(bytes.begin(), bytes.end());
  RandomKey key((bytes.size() + 3) / 4, 0);
  for (size_t i = 0; i < bytes.size(); ++i) key[i / 4] |= uint32_t(bytes[i]) << 8 * (i % 4);
  while (key.size() > 1 && key.back() == 0) key.pop_back();
  return key;
}

PythonRandom::PythonRandom(const RandomKey& key) {
  static const std::array<uint32_t, kWords> start = start_state();
  std::copy(start.begin(), start.end(), state_);
  size_t i = 1, j = 0;
  const auto next = [&] {
    if (++i == kWords) {
      state_[0] = state_[kWords - 1];
      i = 1;
    }
  };
  for (size_t k = std::max<size_t>(kWords, key.size()); k > 0; --k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525u)) + key[j] + uint32_t(j);
    next();
    if (++j == key.size()) j = 0;
  }
  for (int k = kWords - 1; k > 0; --k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941u)) - uint32_t(i);
    next();
  }
  state_[0] = 0x80000000u;
}

void PythonRandom::refill() {
  for (int j = 0; j < kWords - kMiddle; ++j) state_[j] = twist(state_[j], state_[j + 1], state_[j + kMiddle]);
  for (int j = kWords - kMiddle; j < kWords - 1; ++j) state_[j] = twist(state_[j], state_[j + 1], state_[j + kMiddle - kWords]);
  state_[kWords - 1] = twist(state_[kWords - 1], state_[0], state_[kMiddle - 1]);
  at_ = 0;
}

}  // namespace orbit
