// The numbers of a minibatch on a GPU: one thread, which spares three dozen launches of scalar operators.
#include <cuda_runtime.h>
#include "extensions/minibatch_launch.h"

namespace orbit {
namespace {
__global__ void schedule_kernel(Schedule schedule, const float* steps_done, const float* scale, float* value) {
  write_scheduled(schedule, steps_done, scale, value);
}
__global__ void judge_minibatch_kernel(MinibatchRecord record, double loss_limit) { judge_minibatch(record, loss_limit); }
__global__ void record_minibatch_kernel(MinibatchRecord record, double target_kl) { record_minibatch(record, target_kl); }
}  // namespace

int launch_schedule(const Schedule& schedule, const float* steps_done, const float* scale, float* value, void* stream) {
  schedule_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(schedule, steps_done, scale, value);
  return int(cudaGetLastError());
}
int launch_judge_minibatch(const MinibatchRecord& record, double loss_limit, void* stream) {
  judge_minibatch_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(record, loss_limit);
  return int(cudaGetLastError());
}
int launch_record_minibatch(const MinibatchRecord& record, double target_kl, void* stream) {
  record_minibatch_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(record, target_kl);
  return int(cudaGetLastError());
}

}  // namespace orbit
