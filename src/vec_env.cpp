#include "src/vec_env.h"
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include "envs/orbit_wars/standing.h"
#include "src/common/threads_in_scope.h"

namespace orbit {
namespace {
constexpr int64_t kTerminatedColumn = offsetof(Scalars, terminated) / sizeof(int32_t);
constexpr int64_t kRefusedColumn = offsetof(Scalars, refused) / sizeof(int32_t);
}  // namespace

VecEnv::VecEnv(VecEnvOptions options, std::vector<at::Tensor> bank)
    : options_(std::move(options)),
      bank_(std::move(bank)),
      drawn_rows_(bank_[0].size(0)),
      state_(make_state(options_.environments, options_.max_fleets, options_.device)),
      moves_(make_moves(options_.environments, options_.rules.seats, kMaxPlanets, options_.device)),
      games_(at::zeros({options_.environments}, at::TensorOptions().dtype(at::kInt).device(options_.device))),
      board_(at::zeros_like(games_)),
      turn_(at::zeros({}, at::TensorOptions().dtype(at::kLong).device(options_.device))),
      all_(at::ones({options_.environments}, at::TensorOptions().dtype(at::kBool).device(options_.device))),
      refused_(at::zeros_like(turn_)) {}

void VecEnv::start_games() {
  const ThreadsInScope threads(options_.threads);
  refused_.zero_();
  ops::draw_boards_(all_, options_.seed, drawn_rows_, games_, board_);
  ops::reset_(state_, bank_, all_, board_, players());
}
void VecEnv::start_games(const at::Tensor& boards) {
  const ThreadsInScope threads(options_.threads);
  refused_.zero_();
  ops::reset_(state_, bank_, all_, boards, players());
}

void VecEnv::restart_finished() {
  const ThreadsInScope threads(options_.threads);
  const at::Tensor finished = running().logical_not();
  refused_.add_(state_.back().select(1, kRefusedColumn).mul(finished).sum());
  ops::draw_boards_(finished, options_.seed, drawn_rows_, games_, board_);
  ops::reset_(state_, bank_, finished, board_, players());
}

void VecEnv::observe(const at::Tensor& seats, const ObservationTensors& out) const {
  const ThreadsInScope threads(options_.threads);
  ops::observe_(state_, bank_, seats, options_.history, out);
}
void VecEnv::order(const at::Tensor& seats, const at::Tensor& target, const at::Tensor& x) {
  const ThreadsInScope threads(options_.threads);
  ops::decode_(state_, bank_, seats, target, x, options_.decode, moves_);
}
void VecEnv::order_scripted(const at::Tensor& seats, int64_t opponent) {
  const ThreadsInScope threads(options_.threads);
  ops::scripted_moves_(state_, bank_, seats, opponent, options_.seed, turn_, moves_);
}

void VecEnv::step(const at::Tensor& seats, const StepResult& result) {
  const ThreadsInScope threads(options_.threads);
  const at::Tensor active = running();
  const at::Tensor before = at::empty({count(), seats.size(1), kStandingColumns}, active.options().dtype(at::kDouble));
  ops::standing_(state_, bank_, seats, before);
  ops::step_(state_, bank_, moves_, options_.rules);
  ops::reward_(state_, bank_, seats, players(), before, active, options_.shaping, result.reward, result.terminated, result.outcome);
  moves_.count.zero_();
  turn_.add_(1);
}

at::Tensor VecEnv::running() const { return state_.back().select(1, kTerminatedColumn).eq(0); }

int64_t VecEnv::refused_launches() const {
  return refused_.item<int64_t>() + state_.back().select(1, kRefusedColumn).sum().item<int64_t>();
}

double VecEnv::mean_fleets() const { return orbit::mean_fleets(state_); }

int64_t VecEnv::bytes() const {
  int64_t total = 0;
  for (const auto& list : {state_, std::vector<at::Tensor>{moves_.count, moves_.from, moves_.ships, moves_.angle}})
    for (const at::Tensor& t : list) total += int64_t(t.nbytes());
  return total;
}

void VecEnv::restore(int64_t turn, const at::Tensor& games_begun) {
  turn_.fill_(turn);
  games_.copy_(games_begun);
}

}  // namespace orbit
