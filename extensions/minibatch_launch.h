// The CUDA side of minibatch_record.h; defined in minibatch_kernels.cu. Torch-free. Each returns a cudaError_t.
#pragma once
#include "extensions/minibatch_record.h"

namespace orbit {

int launch_judge_minibatch(const MinibatchRecord& record, double loss_limit, void* stream);
int launch_record_minibatch(const MinibatchRecord& record, double target_kl, void* stream);

}  // namespace orbit
