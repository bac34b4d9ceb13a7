#include "src/bench/recorded_task.h"
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include "envs/orbit_wars/standing.h"
#include "src/orbit_task.h"
#include "src/setup.h"

namespace orbit {

RecordedTask::RecordedTask(const Config& config, const RecordedPlay& play)
    : games_(play, config.training.episodes_per_iter),
      rules_(environment_options(config, config.training.episodes_per_iter)),
      own_(learning_seats(config).own),
      decoded_(make_moves(own_.size(0), play.rules.seats, kMaxPlanets, at::kCPU)),
      standing_(at::empty({own_.size(0), own_.size(1), kStandingColumns}, at::kDouble)),
      playing_(at::ones({own_.size(0)}, at::kBool)),
      turn_(at::zeros({}, at::kLong)) {
  games_.begin_games();
}

std::vector<TensorSpec> RecordedTask::observation() const { return OrbitTask::seen(); }
std::vector<TensorSpec> RecordedTask::action() const { return OrbitTask::decided(); }

void RecordedTask::observe(at::TensorList out) {
  ops::observe_(games_.state(), games_.play().bank, own_, rules_.history,
                {by_environment(out[0]), by_environment(out[1]), by_environment(out[2]), by_environment(out[3])});
}

void RecordedTask::active(const at::Tensor& out) { out.fill_(true); }

void RecordedTask::step(at::TensorList action, const StepOutcome& out, at::TensorList) {
  const RecordedPlay& play = games_.play();
  ops::decode_(games_.state(), play.bank, own_, by_environment(action[0]), by_environment(action[1]), rules_.decode, decoded_);
  ops::standing_(games_.state(), play.bank, own_, standing_);
  games_.step();
  ops::reward_(games_.state(), play.bank, own_, play.rules.seats, standing_, playing_, rules_.shaping, by_environment(out.reward),
               by_environment(out.terminated), by_environment(out.outcome));
  if (games_.ended()) games_.rewind();
  games_.begin_games();
  turn_.add_(1);
}

}  // namespace orbit
