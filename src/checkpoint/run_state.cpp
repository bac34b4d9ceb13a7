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
constexpr int64_t kVersion = 3;

void copy_tensor(const PtValue& from, const at::Tensor& to, const std::string& what, const std::string& path) {
  const at::Tensor t = to_tensor(from);
  if (t.sizes() != to.sizes() || t.scalar_type() != to.scalar_type())
    throw UserError(path + ": " + what + " has another shape or dtype than this config makes; was it written by another run?");
  to.copy_(t);
}

PtValue updates_value(const TrainState& state, const RolloutBatch& batch) {
  const UpdateProgress& progress = state.updates;
  PtValue rollout = PtValue::dict();
  batch.for_each([&](const std::string& name, const at::Tensor& t) { rollout.set(name, from_tensor(t)); });
  PtValue last_good = PtValue::list();
  for (const at::Tensor& t : state.last_good) last_good.append(from_tensor(t));
  PtValue value = PtValue::dict();
  value.set("epoch", progress.epoch);
  value.set("minibatch", progress.minibatch);
  value.set("sums", from_tensor(progress.sums));
  value.set("stopped", from_tensor(progress.stopped));
  value.set("diverged", from_tensor(progress.diverged));
  value.set("last_good", last_good);
  value.set("rollout", rollout);
  return value;
}

PtValue pool_value(const OpponentPool& pool) {
  PtValue members = PtValue::list();
  for (const PoolMember& member : pool.members()) {
    PtValue entry = PtValue::dict();
    entry.set("iteration", member.iteration);
    entry.set("win_rate", member.win_rate);
    entry.set("model", state_dict_value(member.weights));
    members.append(entry);
  }
  return members;
}

void load_pool(const PtValue& members, OpponentPool& pool, const std::string& path) {
  std::vector<PoolMember> all;
  for (const PtValue& entry : members.items()) {
    PoolMember member = pool.empty_member();
    member.iteration = entry.at("iteration").as_int();
    member.win_rate = entry.at("win_rate").as_double();
    load_by_name(member.weights, find_state_dict(entry.at("model"), path), {}, path);
    all.push_back(std::move(member));
  }
  pool.restore(std::move(all));
}
}  // namespace

void save_run_state(const std::string& path, const TrainState& s, const RolloutBatch& batch) {
  at::NoGradGuard no_gradients;
  PtValue value = PtValue::dict();
  value.set("format", kFormat);
  value.set("version", kVersion);
  value.set("model", state_dict_value(s.policy->named_state()));
  value.set("reference", s.reference ? state_dict_value(s.reference->named_state()) : PtValue());
  value.set("opponent_pool", s.pool ? pool_value(*s.pool) : PtValue());
  value.set("optimizer", optimizer_value(*s.optimizer));
  value.set("lr_scale", from_tensor(s.optimizer->lr_scale()));
  value.set("reward_norm", s.reward_norm ? state_dict_value(s.reward_norm->state()) : PtValue());
  value.set("iteration", s.iteration);
  value.set("samples", s.samples);
  value.set("best_score", s.best_score);
  value.set("best_stage", s.best_stage);
  value.set("setbacks", s.setbacks);
  value.set("task", state_dict_value(s.task));
  value.set("updates", s.updates.under_way ? updates_value(s, batch) : PtValue());
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
  load_by_name(s.policy->named_state(), find_state_dict(value.at("model"), path), {}, path);
  if (s.reference && !value.at("reference").is_none())
    load_by_name(s.reference->named_state(), find_state_dict(value.at("reference"), path), {}, path);
  // Null or absent where the run has not played a pool so far.
  if (const PtValue* members = value.find("opponent_pool"); s.pool && members && !members->is_none()) load_pool(*members, *s.pool, path);
  const std::vector<std::string> names = names_of(s.policy->named_parameters());
  load_optimizer(value.at("optimizer"), names, names, *s.optimizer, path);
  copy_tensor(value.at("lr_scale"), s.optimizer->lr_scale(), "lr_scale", path);
  if (s.reward_norm && !value.at("reward_norm").is_none())
    load_by_name(s.reward_norm->state(), find_state_dict(value.at("reward_norm"), path), {}, path);
  s.iteration = value.at("iteration").as_int();
  s.samples = value.at("samples").as_int();
  s.best_score = value.at("best_score").as_double();
  s.best_stage = value.at("best_stage").as_string();
  s.setbacks = value.at("setbacks").as_int();
  const PtValue& task = value.at("task");
  for (const auto& [name, t] : s.task) copy_tensor(task.at(name.c_str()), t, "task." + name, path);
  UpdateProgress& progress = s.updates;
  progress.under_way = false;
  const PtValue& updates = value.at("updates");
  if (updates.is_none()) return;
  progress.under_way = true;
  progress.epoch = updates.at("epoch").as_int();
  progress.minibatch = updates.at("minibatch").as_int();
  copy_tensor(updates.at("sums"), progress.sums, "updates.sums", path);
  copy_tensor(updates.at("stopped"), progress.stopped, "updates.stopped", path);
  copy_tensor(updates.at("diverged"), progress.diverged, "updates.diverged", path);
  s.remember();
  const auto& last_good = updates.at("last_good").items();
  if (last_good.size() != s.last_good.size())
    throw UserError(path + ": was saved in the middle of an iteration, in which training.kl_beta and training.opponent cannot begin or "
                    "cease to need the start weights; go on as before for an iteration");
  for (size_t i = 0; i < last_good.size(); ++i) copy_tensor(last_good[i], s.last_good[i], "updates.last_good", path);
  const PtValue& rollout = updates.at("rollout");
  batch.for_each([&](const std::string& name, const at::Tensor& t) { copy_tensor(rollout.at(name.c_str()), t, "rollout." + name, path); });
}

void save_weights(const std::string& path, const Policy& policy) {
  at::NoGradGuard no_gradients;
  write_pt(path, state_dict_value(policy.named_state()));
}

}  // namespace orbit
