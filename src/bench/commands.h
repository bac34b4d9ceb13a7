// The commands of orbit_bench. Each takes the arguments after its own name (argv[0] is that name) and returns the exit code.
#pragma once

namespace orbit {

int env_bench(int argc, char** argv);
int rollout_bench(int argc, char** argv);
int train_bench(int argc, char** argv);

}  // namespace orbit
