#include "src/torchscript/attribute.h"
#include <algorithm>
#include <cctype>
#include <cstdint>

namespace orbit {

std::string attribute(const std::string& name) {
  std::string text = "self";
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    const std::string part = name.substr(at, end - at);
    text = std::isdigit(uint8_t(part[0])) ? "getattr(" + text + ", \"" + part + "\")" : text + "." + part;
    at = end + 1;
  }
  return text;
}

std::string linear_arguments(const std::string& layer) { return attribute(layer + ".weight") + ", " + attribute(layer + ".bias"); }

}  // namespace orbit
