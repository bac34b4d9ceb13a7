#include "src/parity/commands.h"
#include <cstdio>

namespace orbit {

int print_help(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace orbit
