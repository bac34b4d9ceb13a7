#include "src/common/machine.h"
#include <ATen/detail/CUDAHooksInterface.h>  // asks for CUDA without linking it
#include <torch/headeronly/version.h>
#include <unistd.h>
#include <cmath>
#include <fstream>
#include <thread>
#include "src/common/error.h"

namespace orbit {
namespace {

// What follows `name` and a colon in a file of /proc, "" where it is not there.
std::string proc_value(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == line.npos ? "" : line.substr(begin);
  }
  return "";
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string memory_gib() {
  const std::string kib = proc_value("/proc/meminfo", "MemTotal");
  return kib.empty() ? "" : std::to_string(std::lround(std::stod(kib) / (1024 * 1024)));
}

#ifdef ORBIT_WITH_CUDA
constexpr bool kCudaKernels = true;
#else
constexpr bool kCudaKernels = false;
#endif

}  // namespace

std::vector<std::pair<std::string, std::string>> describe_machine() {
  const at::CUDAHooksInterface& cuda = at::detail::getCUDAHooks();
  return {{"host", host_name()},
          {"cpu", proc_value("/proc/cpuinfo", "model name")},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"memory_gib", memory_gib()},
          {"version", ORBIT_VERSION},
          {"torch", TORCH_VERSION},
          {"compiler", __VERSION__},
          {"build_type", ORBIT_BUILD_TYPE},
          {"cuda_kernels", kCudaKernels ? "yes" : "no"},
          {"cuda_devices", cuda.hasCUDA() ? std::to_string(cuda.deviceCount()) : "0"}};
}

void require_device(const std::string& type) {
  if (type != "cuda") return;
  if (!kCudaKernels)
    throw UserError("device.type is cuda, but this build has no CUDA kernels (no nvcc was found); use --device cpu");
  const at::CUDAHooksInterface& cuda = at::detail::getCUDAHooks();
  if (!cuda.hasCUDA() || cuda.deviceCount() == 0)
    throw UserError("device.type is cuda, but this machine shows no CUDA device; use --device cpu");
}

}  // namespace orbit
