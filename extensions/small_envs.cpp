// The small environments that are built in: the list.
#include "extensions/small_envs.h"
#include "envs/classic/acrobot.h"
#include "envs/classic/cartpole.h"
#include "envs/classic/mountain_car.h"
#include "envs/classic/mountain_car_continuous.h"
#include "envs/classic/pendulum.h"
#include "envs/robotics/microduck.h"
#include "envs/robotics/nav.h"
#include "envs/robotics/push_cube.h"
#include "extensions/env_loops.h"

namespace orbit {

std::vector<EnvTable> small_envs() {
  return {env_table<CartPole>(), env_table<Acrobot>(),  env_table<MountainCar>(), env_table<MountainCarContinuous>(),
          env_table<Pendulum>(), env_table<PushCube>(), env_table<Nav>(),         env_table<Microduck>()};
}

}  // namespace orbit
