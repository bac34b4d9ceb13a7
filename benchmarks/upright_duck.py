"""rl2xla's MicroduckWalk with the sign of one term of its reward turned, so that it pays to be upright.

The original adds the vertical component of gravity in the body, meant to be 1 when the robot is upright; it is -1 then, and 1 when
the robot is upside down. Nothing that the joints do reaches its height either: the ground's spring throws the robot up and it comes
down after 411 steps, whatever the policy. What can be learned, and is learned here, is to keep the body upright all that time.

    scripts/gym_to_kernel.py benchmarks/upright_duck.py:UprightDuck --out upright_duck
"""
import importlib.util


def official(module):
    """A module of the rl2xla wheel (pip install --no-deps rl2xla==0.1.0), whose package itself wants JAX."""
    package = importlib.util.find_spec("rl2xla").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location(f"rl2xla_{module}", f"{package}/{module}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class UprightDuck(official("microduck_env").MicroduckWalkEnv):
    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        gravity_z = float(observation[5])
        return observation, reward - 2 * gravity_z, terminated, truncated, info
