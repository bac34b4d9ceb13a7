// A run of orbit_wars small enough to go through in a moment, with the policy that captured regions use.
#pragma once
#include <ATen/Parallel.h>
#include <fstream>
#include "src/config/load.h"
#include "src/ppo/advantage.h"
#include "src/setup.h"
#include "tests/support/temporary_folder.h"

namespace orbit {

inline Config tiny_config(const std::vector<std::string>& overrides) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/tiny.yaml";
  std::ofstream(path) << "model: {hidden: 8, attn_heads: 2, inducing_points: 2, encoder_layers: 1, no_op_bias: 0.0}\n"
                         "training: {iterations: 1, episodes_per_iter: 2, horizon: 6, minibatch_size: 4, opponent: self, lr: 1.0e-3}\n"
                         "environment: {board_bank_size: 2, max_fleets: 64}\n"
                         "device: {threads: 1}\n";
  return load_config(path, overrides);
}

struct TinyRun {
  Config config;
  VecEnv env;
  OrbitTask task;
  TrainState state;
  RolloutBatch batch;
  std::unique_ptr<Player> opponent;
  Rollout rollout;
  Update update;

  TinyRun(const Config& c, const MakeBackend& make_backend, Layout layout = Layout::kPadded)
      : config(c),
        env(environment_options(c, c.training.episodes_per_iter), make_bank(c, 0, c.environment.board_bank_size)),
        task(env, learning_seats(c), c.environment.auto_reset),
        state(make_train_state(c, task.rows(), layout)),
        batch(make_rollout_batch(c.training.horizon, task)),
        opponent(make_opponent(c.training.opponent, c, state)),
        rollout(rollout_options(c), task, *state.policy, batch, make_backend),
        update(update_options(c), *state.policy, has_kl_term(c) ? state.reference.get() : nullptr, *state.optimizer, batch, state.updates,
               make_backend) {
    task.set_opponent(opponent.get());
  }
  TinyRun(const TinyRun&) = delete;

  // As the trainer's iteration, without what happens on the host between iterations.
  void iterate() {
    const auto never = [] { return false; };
    state.policy->train(false);
    rollout.collect(never);
    if (state.policy->needs_statistics()) state.policy->learn_statistics(tensors_of(batch.observation), batch.active);
    const Advantages a = compute_gae(batch, config.training.gamma, config.training.gae_lambda);
    const bool normalise = config.training.advantage_norm == "rollout";
    state.policy->train(true);
    state.updates.begin();
    update.run(normalise ? normalise_advantages(a.advantage, batch.active) : a.advantage, a.ret, state.iteration++, never);
  }
};

}  // namespace orbit
