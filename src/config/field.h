// The vocabulary of the schema: what a key's value may be. Used beside the fields in config.h.
#pragma once
#include <limits>
#include <string>
#include <vector>

namespace orbit {

// Legal numbers; `low` itself is excluded where open_low is set. Never NaN or infinite.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool open_low = false;
};
inline Range between(double low, double high) { return {low, high, false}; }
inline Range at_least(double low) { return {.low = low}; }
inline Range above(double low) { return {.low = low, .open_low = true}; }
inline Range any_number() { return {}; }

// Legal words.
using Choices = std::vector<std::string>;
// Among them: any name of a file that holds a policy.
inline const char* const kPolicyFile = "a .pt, .safetensors or .ts file";
inline bool is_policy_file(const std::string& word) {
  return word.ends_with(".pt") || word.ends_with(".safetensors") || word.ends_with(".ts");
}

// Free text; a file name is text without a slash.
enum class Text { kAny, kFileName };

}  // namespace orbit
