// SHA-512 (FIPS 180-4). CPython mixes it into the seed of a generator that is seeded with text.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace orbit {

std::array<uint8_t, 64> sha512(std::string_view message);

}  // namespace orbit
