#include "src/common/error.h"
#include <cstdio>

namespace orbit {
namespace {
int fail(const std::string& program, const std::string& what, int code) {
  std::string line = what.substr(0, what.find('\n'));
  std::fprintf(stderr, "%s: %s\n", program.c_str(), line.c_str());
  return code;
}
}  // namespace

int run_program(const std::string& program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const UserError& e) {
    return fail(program, e.what(), 2);
  } catch (const std::exception& e) {
    return fail(program, e.what(), 1);
  }
}
}  // namespace orbit
