#include "tests/extensions/env_library/dice_walk.h"
#include "extensions/env_loops.h"

ORBIT_ENVIRONMENT_LIBRARY(orbit::DiceWalk)
