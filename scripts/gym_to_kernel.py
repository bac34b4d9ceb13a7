#!/usr/bin/env python3
"""Turns a NumPy Gymnasium environment into a kernel for CPU and GPU; --help says how. The converter is the package beside this file."""

import sys

from gym_to_kernel.command_line import main

if __name__ == "__main__":
    sys.exit(main())
