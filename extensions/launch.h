// One entry per operator body for a CUDA device; defined in game_kernels.cu. Torch-free. `stream` is a cudaStream_t.
// Each returns a cudaError_t.
#pragma once
#include "extensions/episodes.h"
#include "extensions/draws.h"
#include "extensions/gae.h"
#include "extensions/game_bodies.h"

namespace orbit {

int launch_reset(const ResetBody& body, void* stream);
template <Motion M>
int launch_step(const StepBody<M>& body, void* stream);  // of every mode
int launch_observe(const ObserveBody& body, void* stream);
int launch_aim(const AimBody& body, void* stream);
int launch_decode(const DecodeBody& body, void* stream);
int launch_scripted(const ScriptedBody& body, void* stream);
int launch_standing(const StandingBody& body, void* stream);
int launch_reward(const RewardBody& body, void* stream);
int launch_draw_boards(const DrawBoardsBody& body, int64_t count, void* stream);
int launch_track_episodes(const EpisodesView& view, int64_t count, void* stream);
int launch_action_draws(const DrawsView& draws, int64_t count, void* stream);
int launch_gae(const GaeInput& input, float* advantage, float* ret, void* stream);

}  // namespace orbit
