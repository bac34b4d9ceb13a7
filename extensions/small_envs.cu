// CUDA kernels of the small environments that are built in. No Torch header.
#include "envs/classic/acrobot.h"
#include "envs/classic/cartpole.h"
#include "envs/classic/mountain_car.h"
#include "envs/classic/mountain_car_continuous.h"
#include "envs/classic/pendulum.h"
#include "envs/robotics/microduck.h"
#include "envs/robotics/nav.h"
#include "envs/robotics/push_cube.h"
#include "extensions/env_kernels.h"

ORBIT_ENVIRONMENT_KERNELS(orbit::CartPole)
ORBIT_ENVIRONMENT_KERNELS(orbit::Acrobot)
ORBIT_ENVIRONMENT_KERNELS(orbit::MountainCar)
ORBIT_ENVIRONMENT_KERNELS(orbit::MountainCarContinuous)
ORBIT_ENVIRONMENT_KERNELS(orbit::Pendulum)
ORBIT_ENVIRONMENT_KERNELS(orbit::PushCube)
ORBIT_ENVIRONMENT_KERNELS(orbit::Nav)
ORBIT_ENVIRONMENT_KERNELS(orbit::Microduck)
