// What a compiled small environment shows to the trainer: a table of its sizes and functions, in plain C types. A library that
// was built by itself (orbit_train --env-library) exports one; its contract number and size are checked before anything else.
#pragma once
#include <cstddef>
#include <cstdint>
#include "envs/common/env_contract.h"

namespace orbit {

// Grows with every change of env_contract.h, EnvBatchView or EnvTable: a library of another number is refused.
constexpr int32_t kEnvContract = 2;

// Why an environment's numbers can't be used; bits of `fault`, which stay set until someone clears them.
enum EnvFault : uint8_t { kFaultReward = 1, kFaultObservation = 2, kFaultAction = 4, kFaultDraws = 8 };

// N environments as raw pointers. Real is float or double, the same for all: see EnvTable.
struct EnvBatchView {
  // What lives on between steps.
  void* real;        // (fields, N) Real: state, environments side by side so that a loop over them becomes SIMD
  int32_t* integer;  // (fields, N): state of type int32_t and bool
  int32_t* episode;  // (N) number of the running episode, from 1; names its draws
  int32_t* length;   // (N) its steps so far
  float* ret;        // (N) its undiscounted return so far
  // Of the step just made.
  void* reward;              // (N) Real
  bool* terminated;          // (N)
  bool* truncated;           // (N) cut by a limit; never set together with terminated
  float* observation;        // (N, D) of the running episode: where one ended, of the first state of the next
  float* final_observation;  // (N, D) the last one of an episode; written where one ended
  uint8_t* fault;            // (N) EnvFault bits
  // Of the episodes that have ended: see episodes.h.
  int32_t* final_length;     // (N)
  float* final_return;       // (N)
  double* totals;            // (N, kEpisodeTotals)

  int64_t count;  // N
  int64_t first;  // number of the first environment; names its draws
  uint64_t seed;
  int32_t time_limit;       // steps; 0: never
  const double* given;      // (N, given_count) numbers in place of draws; nullptr: none
  int64_t given_count;
};

struct EnvFunctions {
  // On the CPU, for the environments begin .. end - 1. action: (N, A) int64_t or float.
  void (*reset)(const EnvBatchView& batch, int64_t begin, int64_t end);
  void (*step)(const EnvBatchView& batch, const void* action, int64_t begin, int64_t end);
  void (*observe)(const EnvBatchView& batch, int64_t begin, int64_t end);
  // On a CUDA stream (cudaStream_t), for all; each returns a cudaError_t. nullptr in a build without CUDA.
  int (*launch_reset)(const EnvBatchView& batch, void* stream);
  int (*launch_step)(const EnvBatchView& batch, const void* action, void* stream);
  int (*launch_observe)(const EnvBatchView& batch, void* stream);
};

struct EnvTable {
  int32_t contract = kEnvContract;
  int32_t table_size = sizeof(EnvTable);
  const char* name = nullptr;
  ActionKind action_kind{};
  int32_t action_size = 0, observation_size = 0, time_limit = 0, real_fields = 0, integer_fields = 0;
  bool truncates_itself = true;
  Bounds reward_bounds;
  const Bounds* action_bounds = nullptr;       // action_size of them
  const Bounds* observation_bounds = nullptr;  // observation_size of them
  // Calls visit(context, name, size, whole) for each field of the state, in order: `size` rows of integer or real.
  void (*visit_fields)(void* context, void (*visit)(void* context, const char* name, int32_t size, bool whole)) = nullptr;
  EnvFunctions in_float{}, in_double{};
};

}  // namespace orbit
