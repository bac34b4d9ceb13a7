#include "tests/extensions/env_library/dice_walk.h"
#include "extensions/env_kernels.h"

ORBIT_ENVIRONMENT_KERNELS(orbit::DiceWalk)
