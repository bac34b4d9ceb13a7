#include "tests/extensions/env_library/bad_numbers.h"
#include "extensions/env_loops.h"

ORBIT_ENVIRONMENT_LIBRARY(orbit::BadNumbers)
