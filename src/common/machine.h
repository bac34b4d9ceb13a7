// The machine and the build, as run.json and reports name them.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace orbit {

// (name, value): host, cpu, cores, memory_gib, torch, compiler, build_type, cuda_kernels, cuda_devices.
std::vector<std::pair<std::string, std::string>> describe_machine();

// Throws UserError where the device of the config ("cpu", "cuda") is not there.
void require_device(const std::string& type);

}  // namespace orbit
