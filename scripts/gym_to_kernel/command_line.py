"""The command: what is asked for, what was found, exit codes."""

import argparse
import ast
import logging
import os
import sys
import warnings

from . import emit
from .messages import ConversionError

VERSION = "contract 1"


def parser():
    p = argparse.ArgumentParser(
        prog="gym_to_kernel.py",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Turns the Python source of a NumPy Gymnasium environment into a kernel for CPU and GPU.",
        epilog="""examples:
  gym_to_kernel.py CartPole-v1 --out cartpole            a registered id; its time limit becomes truncation
  gym_to_kernel.py my_package.envs:MyEnv --out my_env    a class, as Python imports it from this folder
  gym_to_kernel.py FrozenLake-v1 --set map_name="8x8" --out lake
then
  cmake -S my_env -B my_env/build && cmake --build my_env/build
  orbit_bench env --env-library my_env/build/my_env.so --environment my_env      how fast it is

What translates is listed in scripts/gym_to_kernel/README.md. What does not is an error with file, line and reason, and nothing is
written. Exit codes: 0 written, 1 the files could not be written, 2 bad usage or an environment that can't be converted.""",
    )
    p.add_argument("target", metavar="MODULE:CLASS or ID")
    p.add_argument("--out", required=True, metavar="FOLDER", help="where the header, its registration and a CMakeLists.txt go")
    p.add_argument("--name", help="name of the environment in configs (default: from the class or id)")
    p.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="argument of the constructor, as a Python literal or a string"
    )
    p.add_argument(
        "--time-limit", type=int, metavar="STEPS", help="steps after which an episode is truncated (default: the id's; 0: never)"
    )
    p.add_argument("--list-capacity", type=int, default=32, metavar="N", help="room of a list whose length changes (default 32)")
    return p


def arguments(pairs):
    found = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.isidentifier():
            raise ConversionError(f"--set {pair}: expected NAME=VALUE")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = text
    return found


def convert(target, name=None, constructor=None, time_limit=None, list_capacity=32):
    """(kernel, the environment that it was made from)."""
    from .environment import find
    from .kernel import Builder

    env, limit, found_name = find(target, constructor or {})
    if name is not None and not (name.isidentifier() and name.isascii() and name == name.lower()):
        raise ConversionError(f"--name {name}: lower-case letters, digits and _ only")
    kernel = Builder(env, name or found_name, limit if time_limit is None else time_limit, list_capacity).build()
    return kernel, env


def summary(k):
    rows = [f"  state         {f.ctype:8} {f.name}{f'[{f.size}]' if f.size else ''}: {f.origin}" for f in k.layout.fields]
    kinds = {"kDiscrete": "one whole number", "kMultiDiscrete": "whole numbers", "kContinuous": "floats"}
    low, high = k.spaces.actions[0]
    others = " and others" if len(set(k.spaces.actions)) > 1 else ""
    if k.stored_observation:
        rows.append("                (the observation is kept, since it is made of more than the state)")
    rows.append(f"  action        {len(k.spaces.actions)} {kinds[k.spaces.kind]}, {low:g} .. {high:g}{others}")
    rows.append(f"  observation   {len(k.spaces.observations)} numbers")
    rows.append(f"  random draws  {k.draws['reset']} calls in reset, {k.draws['step']} in step")
    rows.append(f"  time limit    {k.time_limit or 'none'}")
    if k.tables:
        rows.append(f"  tables        {len(k.tables)} of constants, {sum(len(t[1]) for t in k.tables.values())} numbers")
    return "\n".join(rows)


def main(argv=None):
    p = parser()
    options = p.parse_args(argv)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    try:
        if options.list_capacity < 1:
            raise ConversionError("--list-capacity: expected 1 or more")
        if options.time_limit is not None and options.time_limit < 0:
            raise ConversionError("--time-limit: expected 0 or more steps")
        try:
            import gymnasium

            gymnasium.logger.min_level = gymnasium.logger.ERROR
        except ModuleNotFoundError:
            raise ConversionError("gymnasium is not installed: pip install gymnasium") from None
        print(f"reading {options.target}", flush=True)
        kernel, env = convert(options.target, options.name, arguments(options.set), options.time_limit, options.list_capacity)
        contents = emit.files(kernel, options.target, VERSION)
    except ConversionError as e:
        print(f"gym_to_kernel.py: {' '.join(str(e).split())}", file=sys.stderr)
        return 2
    print(f"{kernel.name}, from {type(env).__name__} in {kernel.source}")
    print(summary(kernel))
    try:
        emit.write(options.out, contents)
    except OSError as e:
        print(f"gym_to_kernel.py: {options.out}: {e.strerror}", file=sys.stderr)
        return 1
    print(f"written to {options.out}: {', '.join(contents)}")
    build = os.path.join(options.out, "build")
    print(f"next: cmake -S {options.out} -B {build} && cmake --build {build}")
    return 0
