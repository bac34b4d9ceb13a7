#include "src/config/task_settings.h"
#include <algorithm>
#include "extensions/env_registry.h"
#include "src/common/error.h"
#include "src/config/load.h"
#include "src/config/nearest.h"

namespace orbit {
namespace {

using Keys = std::vector<std::string>;

const Keys kOfOrbitWars = {
    "model.hidden", "model.attn_heads", "model.inducing_points", "model.encoder_layers", "model.head_dropout", "model.ship_log_std_init",
    "model.no_op_bias", "model.init", "training.shaping_mode", "training.shaping_coef", "training.coef_ship", "training.coef_planet",
    "training.dense_coef_ship", "training.dense_coef_planet", "training.shaping_clip", "training.time_bonus_coef",
    "training.time_penalty_coef", "training.opponent", "training.opponent_curriculum", "training.opponent_pool", "training.heldout_eval",
    "training.decoder", "training.aim", "training.greedy", "training.self_target", "training.history", "environment.players",
    "environment.auto_reset", "environment.episode_steps", "environment.max_fleets", "environment.motion",
    "environment.board_seed_start", "environment.board_bank_size", "environment.board_bank_start", "environment.board_bank_growth",
    "environment.board_bank_file", "evaluation.opponents"};
const Keys kOfSmallEnvironments = {"model.mlp", "model.rnn", "environment.library", "environment.time_limit", "environment.precision",
                                   "device.fused"};

// The first of the keys, or of those in a section of that name, whose value is not the default.
std::string first_set(const Config& config, const Keys& keys) {
  for (const SettingChange& change : changes(settings_of(Config{}), settings_of(config)))
    for (const std::string& key : keys)
      if (change.key == key || change.key.starts_with(key + ".")) return key;
  return "";
}

}  // namespace

void check_task_settings(const Config& config, const std::function<void(const std::string&, const std::string&)>& fail) {
  const std::string& name = config.environment.name;
  const bool orbit_wars = name == kOrbitWars;
  const Keys kinds = orbit_wars ? Keys{"orbit_v1"} : Keys{"mlp", "rnn"};  // the first is the default
  const std::string kind = config.model.kind.value_or(kinds[0]);
  if (!orbit_wars && !config.environment.library) {  // a library is loaded when the run begins
    Keys known = env_names();
    known.insert(known.begin(), kOrbitWars);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_word(name, known);
      std::string list;
      for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
      fail("environment.name", "is \"" + name + "\", which is none of " + list + "; others come with --env-library FILE" +
                                   (near.empty() ? "" : ". Did you mean \"" + near + "\"?"));
    }
  }
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    fail("model.kind", "is " + kind + ", but the network for " + name + " is " + kinds[0] + (kinds.size() > 1 ? " or " + kinds[1] : ""));
  if (const std::string key = first_set(config, orbit_wars ? kOfSmallEnvironments : kOfOrbitWars); !key.empty())
    fail(key, orbit_wars ? "is for the small environments; environment.name is orbit_wars"
                         : "is for orbit_wars alone; environment.name is " + name);
  if (kind == "rnn" && config.device.precision != "float32")
    fail("device.precision", "is " + config.device.precision + ", but model.kind rnn computes in float32 alone");
  for (const auto& [other, is_set] : {std::pair{"mlp", config.model.mlp.has_value()}, {"rnn", config.model.rnn.has_value()}})
    if (is_set && kind != other) fail(std::string("model.") + other, "is set, but model.kind is " + kind);
}

}  // namespace orbit
