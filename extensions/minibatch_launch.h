// The CUDA side of minibatch_record.h and schedule.h; defined in minibatch_kernels.cu. Torch-free. Each returns a cudaError_t.
#pragma once
#include "extensions/minibatch_record.h"
#include "extensions/schedule.h"

namespace orbit {

// *value = scheduled(schedule, *steps_done), times *scale unless it is null.
int launch_schedule(const Schedule& schedule, const float* steps_done, const float* scale, float* value, void* stream);
int launch_judge_minibatch(const MinibatchRecord& record, double loss_limit, void* stream);
int launch_record_minibatch(const MinibatchRecord& record, double target_kl, void* stream);

}  // namespace orbit
