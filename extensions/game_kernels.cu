// CUDA side of the operators: one warp per environment runs the body that the CPU loop runs. No Torch header.
#include <cuda_runtime.h>
#include "extensions/launch.h"

namespace orbit {
namespace {

// Warps a block: four, where their scratch fits into the 48 KiB that need no opt-in; the features' scratch is large.
template <class Body>
constexpr int kWarps = 4 * sizeof(typename Body::Scratch) <= 48 * 1024 ? 4 : 1;

// Blocks a multiprocessor must hold, 0 for the compiler's choice. For a turn that choice is 64 registers, a few too few.
template <class Body>
constexpr int kBlocks = 0;
template <Motion M>
constexpr int kBlocks<StepBody<M>> = 6;

template <class Body>
__global__ void __launch_bounds__(32 * kWarps<Body>, kBlocks<Body>) body_kernel(const Body body, int64_t count) {
  using Scratch = typename Body::Scratch;
  __shared__ alignas(16) unsigned char scratch[kWarps<Body> * sizeof(Scratch)];  // raw: shared memory runs no constructors
  const int warp = int(threadIdx.x) / 32;
  const int64_t env = int64_t(blockIdx.x) * kWarps<Body> + warp;
  if (env >= count) return;  // whole warps leave: env is uniform in a warp
  body(Warp<CudaWarp>{}, env, reinterpret_cast<Scratch*>(scratch)[warp]);
}

template <class Body>
int launch(const Body& body, int64_t count, void* stream) {
  if (count == 0) return 0;
  constexpr int warps = kWarps<Body>;
  const unsigned blocks = unsigned((count + warps - 1) / warps);
  body_kernel<Body><<<blocks, 32 * warps, 0, static_cast<cudaStream_t>(stream)>>>(body, count);
  return int(cudaGetLastError());
}

__global__ void draw_boards_kernel(const DrawBoardsBody body, int64_t count) {
  const int64_t env = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (env < count) body(env);
}

__global__ void track_episodes_kernel(const EpisodesView view, int64_t count) {
  const int64_t env = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (env < count) track_episode(view, env);
}

__global__ void action_draws_kernel(const DrawsView draws, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) fill_draw(draws, i);
}

__global__ void gae_kernel(const GaeInput input, float* advantage, float* ret) {
  const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column < input.rows) gae_column(input, column, advantage, ret);
}

}  // namespace

int launch_reset(const ResetBody& b, void* stream) { return launch(b, b.batch.count, stream); }
template <Motion M>
int launch_step(const StepBody<M>& b, void* stream) { return launch(b, b.batch.count, stream); }
template int launch_step(const StepBody<Motion::kExact>&, void*);
template int launch_step(const StepBody<Motion::kFast>&, void*);
template int launch_step(const StepBody<Motion::kFloat>&, void*);
int launch_observe(const ObserveBody& b, void* stream) { return launch(b, b.batch.count, stream); }
int launch_aim(const AimBody& b, void* stream) { return launch(b, b.batch.count, stream); }
int launch_decode(const DecodeBody& b, void* stream) { return launch(b, b.batch.count, stream); }
int launch_scripted(const ScriptedBody& b, void* stream) { return launch(b, b.batch.count, stream); }
int launch_standing(const StandingBody& b, void* stream) { return launch(b, b.batch.count, stream); }
int launch_reward(const RewardBody& b, void* stream) { return launch(b, b.batch.count, stream); }
int launch_draw_boards(const DrawBoardsBody& b, int64_t count, void* stream) {
  if (count == 0) return 0;
  draw_boards_kernel<<<unsigned((count + 127) / 128), 128, 0, static_cast<cudaStream_t>(stream)>>>(b, count);
  return int(cudaGetLastError());
}
int launch_track_episodes(const EpisodesView& view, int64_t count, void* stream) {
  if (count == 0) return 0;
  track_episodes_kernel<<<unsigned((count + 127) / 128), 128, 0, static_cast<cudaStream_t>(stream)>>>(view, count);
  return int(cudaGetLastError());
}
int launch_action_draws(const DrawsView& draws, int64_t count, void* stream) {
  if (count == 0) return 0;
  action_draws_kernel<<<unsigned((count + 127) / 128), 128, 0, static_cast<cudaStream_t>(stream)>>>(draws, count);
  return int(cudaGetLastError());
}
int launch_gae(const GaeInput& in, float* advantage, float* ret, void* stream) {
  if (in.rows == 0) return 0;
  gae_kernel<<<unsigned((in.rows + 127) / 128), 128, 0, static_cast<cudaStream_t>(stream)>>>(in, advantage, ret);
  return int(cudaGetLastError());
}

}  // namespace orbit
