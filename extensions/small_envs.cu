// CUDA kernels of the small environments that are built in. No Torch header.
#include "envs/classic/cartpole.h"
#include "extensions/env_kernels.h"

ORBIT_ENVIRONMENT_KERNELS(orbit::CartPole)
