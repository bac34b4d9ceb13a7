// Trains a policy: orbit_train --config FILE.
#include <cstdio>
#include "src/common/error.h"

int main() {
  return orbit::run_program("orbit_train", [] {
    std::puts("orbit_train " ORBIT_VERSION);
    return 0;
  });
}
