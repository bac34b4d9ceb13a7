// Schemas of the operators, in one place.
#include <torch/library.h>

TORCH_LIBRARY(orbit, m) { m.set_python_module("orbit_train"); }
