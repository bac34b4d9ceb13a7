// The seed of an episode: any whole number, as the official configuration allows.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include "envs/orbit_wars/python_random.h"

namespace orbit {

class Seed {
 public:
  Seed(int64_t value) : Seed(std::to_string(value)) {}
  // Decimal digits of any number, with a minus sign or without. Throws std::runtime_error on anything else, "5.0" included:
  // the official code lets it pass, and then takes the board of 5 and the comets of the text "5.0".
  explicit Seed(std::string_view decimal);

  const std::string& text() const { return text_; }
  // The board depends on |seed|,
  const RandomKey& board_key() const { return magnitude_; }
  // the wave that a tick spawns on the sign too.
  RandomKey wave_key(int step) const;

 private:
  std::string text_;     // as Python prints the number
  RandomKey magnitude_;  // 32-bit words, least significant first, at least one
};

}  // namespace orbit
