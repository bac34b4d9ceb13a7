#include "src/config/check.h"
#include <algorithm>
#include <set>
#include "src/common/error.h"
#include "src/config/load.h"
#include "src/config/task_settings.h"

namespace orbit {
namespace {

// Opponents of the schema that this version cannot play yet.
const std::set<std::string> kNotYet = {"baseline_jax_lite"};

class Checker {
 public:
  Checker(const Config& config, const std::function<std::string(const std::string&)>& where) : config_(config), where_(where) {}

  void run() const {
    check_task_settings(config_, [&](const std::string& key, const std::string& what) { fail(key, what); });
    if (config_.environment.name == kOrbitWars) {
      sizes();
      opponents();
      boards();
    } else {
      episodes();
    }
    files();
    updates();
    const BcWarmstartConfig& warm = config_.bc_warmstart;
    if (warm.enabled && warm.weights_path.empty()) {
      fail("bc_warmstart.weights_path", "is required where bc_warmstart.enabled is true: the .pt file to start from");
    }
    if (warm.enabled && config_.training.resume_from) {
      fail("training.resume_from", "cannot be used together with bc_warmstart.enabled: both say what to start from");
    }
    if (config_.training.resume_optimizer && !config_.training.resume_from) {
      fail("training.resume_optimizer", "needs training.resume_from, the file that it is in");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw UserError(where_(key) + ": " + key + " " + what);
  }

  void sizes() const {
    const ModelConfig& model = config_.model;
    if (model.hidden % model.attn_heads != 0) {
      fail("model.hidden", "must be a multiple of model.attn_heads, but " + std::to_string(model.hidden) + " is none of " +
                               std::to_string(model.attn_heads));
    }
    if (config_.environment.players == 3) fail("environment.players", "must be 2 or 4: the game has no three-player form");
    if (config_.environment.max_fleets % 16 != 0) fail("environment.max_fleets", "must be a multiple of 16");
    if (config_.evaluation.games % 2 != 0) fail("evaluation.games", "must be even: every board is played from both seats");
  }

  void check_stage(const std::string& key, const std::string& opponent) const {
    if (!kNotYet.contains(opponent)) return;
    fail(key, "names " + opponent + ", which this version cannot play yet; it has " +
                  (key == "training.opponent" ? "self, noop, random, starter, self_snapshot, pool, curriculum, a policy's file"
                                              : "noop, random, starter, self_snapshot, pool, a policy's file"));
  }

  void opponents() const {
    const TrainingConfig& training = config_.training;
    check_stage("training.opponent", training.opponent);
    if (plays_against(training, "pool") && training.opponent_pool && training.opponent_pool->include_lite) {
      fail("training.opponent_pool.include_lite", "asks for baseline_jax_lite, which this version cannot play yet; set it to false");
    }
    if (training.opponent != "curriculum") return;
    if (!training.opponent_curriculum) {
      fail("training.opponent", "curriculum needs the section training.opponent_curriculum (switch_iter, early, late)");
    }
    const OpponentCurriculumConfig& stages = *training.opponent_curriculum;
    const std::string section = "training.opponent_curriculum.";
    check_stage(section + "early", stages.early);
    check_stage(section + "late", stages.late);
    if (stages.mid) check_stage(section + "mid", *stages.mid);
    if (stages.mid.has_value() != stages.mid_switch_iter.has_value()) {
      fail(section + (stages.mid ? "mid" : "mid_switch_iter"), "needs its partner: mid and mid_switch_iter go together");
    }
    if (stages.mid_switch_iter && *stages.mid_switch_iter < stages.switch_iter) {
      fail(section + "mid_switch_iter", "must not lie before switch_iter (" + std::to_string(stages.switch_iter) + ")");
    }
  }

  // No two files of a run folder may share a name.
  void files() const {
    const OutputConfig& output = config_.output;
    if (output.run_dir.empty()) fail("output.run_dir", "is empty; name a folder");
    std::set<std::string> taken = {"config.yaml", "train.log", "last.pt", "report.html"};
    const std::pair<const char*, const std::string*> names[] = {{"weights_filename", &output.weights_filename},
                                                                {"metrics_filename", &output.metrics_filename},
                                                                {"run_meta_filename", &output.run_meta_filename}};
    for (const auto& [key, name] : names) {
      if (!taken.insert(*name).second)
        fail(std::string("output.") + key, "is " + *name + ", which another file of the run folder has");
    }
  }

  void boards() const {
    const int64_t first = config_.environment.board_seed_start, count = config_.environment.board_bank_size;
    const int64_t held_out = config_.evaluation.seed_start, games = config_.evaluation.games / 2;
    if (config_.evaluation.every > 0 && held_out < first + count && first < held_out + games) {
      fail("evaluation.seed_start", "must keep evaluation's boards apart from training's, which are " + std::to_string(first) +
                                        " to " + std::to_string(first + count - 1));
    }
  }

  // Evaluation's draws are named by its seed.
  void episodes() const {
    const int64_t seed = config_.evaluation.seed_start, first = config_.training.seed;
    if (config_.evaluation.every > 0 && first <= seed && seed < first + config_.training.seeds)
      fail("evaluation.seed_start", "must not be the seed of a training run, which has the same episodes");
  }

  void updates() const {
    const TrainingConfig& t = config_.training;
    if (t.minibatch_size % t.accumulation != 0) {
      fail("training.minibatch_size", "must be a multiple of training.accumulation, but " + std::to_string(t.minibatch_size) +
                                          " is none of " + std::to_string(t.accumulation));
    }
    if (config_.model.kind == "rnn") sequences(config_.model.rnn.value_or(RnnConfig{}).sequence_length);
    if (t.clip_eps_schedule && t.clip_eps_schedule->end <= 0) fail("training.clip_eps_schedule.end", "must be more than 0");
    if (t.kl_reference_decay && plays_start_weights(t)) {
      fail("training.kl_reference_decay", "moves the weights at the start, which the opponent self_snapshot plays; choose one of them");
    }
  }

  void sequences(int length) const {
    const TrainingConfig& t = config_.training;
    const std::string steps = "training.horizon " + std::to_string(t.horizon) + " and training.minibatch_size / training.accumulation " +
                              std::to_string(t.minibatch_size / t.accumulation);
    if (t.horizon % length != 0 || t.minibatch_size / t.accumulation % length != 0)
      fail("model.rnn.sequence_length", "is " + std::to_string(length) + ", which does not divide " + steps);
  }

  static bool plays_start_weights(const TrainingConfig& t) {
    if (t.opponent != "curriculum") return t.opponent == "self_snapshot";
    const OpponentCurriculumConfig& c = *t.opponent_curriculum;
    return c.early == "self_snapshot" || c.late == "self_snapshot" || c.mid == "self_snapshot";
  }

  const Config& config_;
  const std::function<std::string(const std::string&)>& where_;
};

}  // namespace

void check_config(const Config& config, const std::function<std::string(const std::string&)>& where) {
  Checker(config, where).run();
}

bool plays_against(const TrainingConfig& training, const std::string& opponent) {
  if (training.opponent != "curriculum" || !training.opponent_curriculum) return training.opponent == opponent;
  const OpponentCurriculumConfig& stages = *training.opponent_curriculum;
  return stages.early == opponent || stages.late == opponent || stages.mid == opponent;
}

std::vector<std::string> ignored_settings(const Config& config) {
  const TrainingConfig& training = config.training;
  std::vector<std::string> lines;
  const auto ignore = [&](const std::string& key, const std::string& why) { lines.push_back(key + " is ignored: " + why); };
  if (training.opponent_curriculum && training.opponent != "curriculum") {
    ignore("training.opponent_curriculum", "training.opponent is " + training.opponent);
  }
  if (training.opponent_pool && !plays_against(training, "pool")) {
    ignore("training.opponent_pool", "no opponent is pool; training.opponent is " + training.opponent);
  }
  if (training.heldout_eval && training.heldout_eval->every > 0) {
    ignore("training.heldout_eval", "not available yet; the section evaluation plays games outside of training");
  }
  if (training.lr_end.has_value() != training.lr_schedule_steps.has_value()) {
    ignore(training.lr_end ? "training.lr_end" : "training.lr_schedule_steps",
           "the two go together; the learning rate is constant");
  }
  const bool kl = training.kl_beta > 0 || training.kl_beta_schedule;
  if (training.kl_reference_decay && !kl) ignore("training.kl_reference_decay", "training.kl_beta is 0");
  if (!config.bc_warmstart.enabled && !config.bc_warmstart.weights_path.empty()) {
    ignore("bc_warmstart.weights_path", "bc_warmstart.enabled is false");
  }
  if (training.shaping_mode != "combined" && (training.coef_ship != 0 || training.coef_planet != 0)) {
    ignore("training.coef_ship and coef_planet", "training.shaping_mode is " + training.shaping_mode + ", not combined");
  }
  return lines;
}

}  // namespace orbit
