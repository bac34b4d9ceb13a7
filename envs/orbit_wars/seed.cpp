#include "envs/orbit_wars/seed.h"
#include <algorithm>
#include <stdexcept>

namespace orbit {
namespace {

// number = number * 10 + digit
void append_digit(RandomKey& number, uint32_t digit) {
  uint64_t carry = digit;
  for (uint32_t& word : number) {
    carry += uint64_t(word) * 10;
    word = uint32_t(carry);
    carry >>= 32;
  }
  if (carry) number.push_back(uint32_t(carry));
}

}  // namespace

Seed::Seed(std::string_view decimal) : magnitude_{0} {
  const bool negative = !decimal.empty() && decimal[0] == '-';
  std::string_view digits = decimal.substr(negative ? 1 : 0);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    throw std::runtime_error("seed \"" + std::string(decimal) +
                             "\" is not a whole number; write decimal digits, with a minus sign or without");
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  for (char c : digits) append_digit(magnitude_, uint32_t(c - '0'));
  text_ = digits;
  if (negative && digits != "0") text_.insert(text_.begin(), '-');
}

RandomKey Seed::wave_key(int step) const { return text_key("orbit_wars-comet-" + text_ + "-" + std::to_string(step)); }

}  // namespace orbit
