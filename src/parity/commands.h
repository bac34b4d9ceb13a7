// The commands of orbit_parity. Each takes the arguments after its own name (argv[0] is that name) and returns the exit code.
#pragma once
#include <string>

namespace orbit {

int env_command(int argc, char** argv);
int features_command(int argc, char** argv);
int policy_command(int argc, char** argv);
int gae_command(int argc, char** argv);
int update_command(int argc, char** argv);
int sample_command(int argc, char** argv);
int inspect_command(int argc, char** argv);

// Prints what --help or --version asked for; exit code 0.
int print_help(const std::string& text);

}  // namespace orbit
