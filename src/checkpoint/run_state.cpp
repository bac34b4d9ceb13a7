#include "src/checkpoint/run_state.h"
#include <ATen/core/grad_mode.h>
#include "src/checkpoint/named_weights.h"
#include "src/checkpoint/optimizer_state.h"
#include "src/checkpoint/pt_reader.h"
#include "src/checkpoint/pt_tensor.h"
#include "src/checkpoint/pt_writer.h"
#include "src/common/error.h"

namespace orbit {
namespace {
constexpr const char* kFormat = "orbit_train run state";
constexpr int64_t kVersion = 1;

void copy_tensor(const PtValue& from, const at::Tensor& to, const std::string& what, const std::string& path) {
  const at::Tensor t = to_tensor(from);
  if (t.sizes() != to.sizes() || t.scalar_type() != to.scalar_type())
    throw UserError(path + ": " + what + " has another shape or dtype than this config makes; was it written by another run?");
  to.copy_(t);
}

PtValue updates_value(const TrainState& state, const RolloutBatch& batch) {
  const UpdateProgress& progress = *state.updates;
  PtValue rollout = PtValue::dict();
  batch.for_each([&](const char* name, const at::Tensor& t) { rollout.set(name, from_tensor(t)); });
  PtValue value = PtValue::dict();
  value.set("epoch", progress.epoch);
  value.set("minibatch", progress.minibatch);
  value.set("sums", from_tensor(progress.sums));
  value.set("stopped", from_tensor(progress.stopped));
  value.set("refused_launches", state.refused_launches);
  value.set("rollout", rollout);
  return value;
}
}  // namespace

void save_run_state(const std::string& path, const TrainState& s, const RolloutBatch& batch) {
  at::NoGradGuard no_gradients;
  PtValue value = PtValue::dict();
  value.set("format", kFormat);
  value.set("version", kVersion);
  value.set("model", state_dict_value(s.policy->named_parameters()));
  value.set("reference", s.reference ? state_dict_value(s.reference->named_parameters()) : PtValue());
  value.set("optimizer", optimizer_value(*s.optimizer));
  value.set("iteration", s.iteration);
  value.set("samples", s.samples);
  value.set("best_score", s.best_score);
  value.set("best_stage", s.best_stage);
  value.set("turn", s.turn);
  value.set("games_begun", from_tensor(s.games_begun));
  value.set("updates", s.updates ? updates_value(s, batch) : PtValue());
  write_pt(path, value);
}

void load_run_state(const std::string& path, TrainState& s, RolloutBatch& batch) {
  at::NoGradGuard no_gradients;
  const PtValue value = read_pt(path);
  const PtValue* format = value.is_dict() ? value.find("format") : nullptr;
  if (!format || !format->is_string() || format->as_string() != kFormat)
    throw UserError(path + ": not a run state; weights alone are loaded with training.resume_from");
  if (value.at("version").as_int() != kVersion)
    throw UserError(path + ": run state version " + std::to_string(value.at("version").as_int()) + ", this program reads version " +
                    std::to_string(kVersion) + "; continue with the program that wrote it");
  load_by_name(s.policy->named_parameters(), find_state_dict(value.at("model"), path), {}, path);
  if (s.reference && !value.at("reference").is_none())
    load_by_name(s.reference->named_parameters(), find_state_dict(value.at("reference"), path), {}, path);
  const std::vector<std::string> names = names_of(s.policy->named_parameters());
  load_optimizer(value.at("optimizer"), names, names, *s.optimizer, path);
  s.iteration = value.at("iteration").as_int();
  s.samples = value.at("samples").as_int();
  s.best_score = value.at("best_score").as_double();
  s.best_stage = value.at("best_stage").as_string();
  s.turn = value.at("turn").as_int();
  copy_tensor(value.at("games_begun"), s.games_begun, "games_begun", path);
  s.updates.reset();
  const PtValue& updates = value.at("updates");
  if (updates.is_none()) return;
  UpdateProgress progress = begin_updates(batch.reward.device());
  progress.epoch = updates.at("epoch").as_int();
  progress.minibatch = updates.at("minibatch").as_int();
  copy_tensor(updates.at("sums"), progress.sums, "updates.sums", path);
  copy_tensor(updates.at("stopped"), progress.stopped, "updates.stopped", path);
  s.refused_launches = updates.at("refused_launches").as_int();
  const PtValue& rollout = updates.at("rollout");
  batch.for_each([&](const char* name, const at::Tensor& t) { copy_tensor(rollout.at(name), t, std::string("rollout.") + name, path); });
  s.updates = progress;
}

void save_weights(const std::string& path, const Policy& policy) {
  at::NoGradGuard no_gradients;
  write_pt(path, state_dict_value(policy.named_parameters()));
}

}  // namespace orbit
