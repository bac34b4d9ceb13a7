#include "src/bench/lockstep.h"
#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <chrono>
#include "envs/common/rng.h"

namespace orbit {
namespace {

using Clock = std::chrono::steady_clock;

// Adds the time of its scope to a sum, if there is one.
class Timer {
 public:
  explicit Timer(double* sum) : sum_(sum) {
    if (sum_) start_ = Clock::now();
  }
  ~Timer() {
    if (sum_) *sum_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double* sum_;
  Clock::time_point start_;
};

}  // namespace

Lockstep::Lockstep(const RecordedPlay& play, int64_t num_envs)
    : play_(play), count_(num_envs), stride_(std::max<int64_t>(1, play.turns() / num_envs)) {
  const at::Tensor phase = at::arange(count_, at::kLong).mul(stride_).remainder(play.turns());
  for (const at::Tensor& t : play.before) {
    first_.push_back(t.index_select(0, phase));
    state_.push_back(first_.back().clone());
  }
  lay_out_turns();
  const int64_t seats = play.rules.seats;
  seats_ = at::arange(seats, at::kInt).unsqueeze(0).expand({count_, seats}).contiguous();
  target_ = at::zeros({count_, seats, kFeatureSlots}, at::kInt);
  x_ = at::zeros({count_, seats, kFeatureSlots}, at::kFloat);
  int32_t* target = target_.mutable_data_ptr<int32_t>();
  float* x = x_.mutable_data_ptr<float>();
  for (int64_t i = 0; i < target_.numel(); ++i) {
    const Random4 u = draw4(0, Stream::kPolicy, uint32_t(i), 0, 0);
    target[i] = int32_t(u.v[0] % kFeatureSlots);
    x[i] = 4 * unit_float(u.v[1]);  // up to 54 ships
  }
  seen_ = {at::zeros({count_, seats, kFeatureSlots, kPlanetFeatures}, at::kFloat), at::zeros({count_, seats, kGlobalFeatures}, at::kFloat),
           at::zeros({count_, seats, kFeatureSlots}, at::kBool), at::zeros({count_, seats, kFeatureSlots}, at::kBool)};
  decoded_ = make_moves(count_, seats, kFeatureSlots, at::kCPU);
}

// In turn t the environments need rows t, t + stride, t + 2 stride ... of the cycle. Rows with the same remainder by the
// stride lie together, so that those are neighbours, and a turn is a window of N rows.
void Lockstep::lay_out_turns() {
  const int64_t cycle = play_.turns(), passes = (cycle + stride_ - 1) / stride_, block = passes + count_;
  std::vector<at::Tensor> rows;
  for (int64_t b = 0; b < stride_; ++b) rows.push_back(at::arange(block, at::kLong).mul(stride_).add(b).remainder(cycle));
  const at::Tensor order = at::cat(rows);
  const auto all = [&](const at::Tensor& t) { return t.index_select(0, order); };
  const MoveTensors moves{all(play_.moves.count), all(play_.moves.from), all(play_.moves.ships), all(play_.moves.angle)};
  const at::Tensor starts = all(play_.starts), board = all(play_.board);
  for (int64_t t = 0; t < passes * stride_; ++t) {
    const auto window = [&](const at::Tensor& x) { return x.narrow(0, t % stride_ * block + t / stride_, count_); };
    turns_.push_back({{window(moves.count), window(moves.from), window(moves.ships), window(moves.angle)},
                      window(starts),
                      window(board),
                      window(starts).any().item<bool>()});
  }
}

void Lockstep::rewind_if_due() {
  if (next_ + stride_ > int64_t(turns_.size())) rewind();
}

void Lockstep::rewind() {
  for (size_t i = 0; i < state_.size(); ++i) state_[i].copy_(first_[i]);
  next_ = 0;
}

void Lockstep::play_pass(Part part, PieceSeconds* seconds) {
  const auto piece = [&](Piece p) { return seconds ? &(*seconds)[p] : nullptr; };
  if (part == Part::kWholeGame) {
    Timer timer(piece(kPieceBoards));
    make_boards();
  }
  for (const int64_t end = next_ + stride_; next_ < end;) {
    if (turns_[size_t(next_)].any_starts) {
      Timer timer(piece(kPieceReset));
      begin_games();
    }
    if (part == Part::kFeatures) {
      Timer timer(piece(kPieceFeatures));
      ops::observe_(state_, play_.bank, seats_, 0, seen_);
    }
    if (part == Part::kAimDecode) {
      Timer timer(piece(kPieceAimDecode));
      ops::decode_(state_, play_.bank, seats_, target_, x_, DecodeRules{}, decoded_);
    }
    Timer timer(piece(kPieceStep));
    step();
  }
}

void Lockstep::begin_games() {
  const Turn& turn = turns_[size_t(next_)];
  if (turn.any_starts) ops::reset_(state_, play_.bank, turn.starts, turn.board, play_.rules.seats);
}

void Lockstep::step() { ops::step_(state_, play_.bank, turns_[size_t(next_++)].moves, play_.rules); }

// Every game that begins gets a board that was never made before; the recorded orders are then played on the recorded board.
void Lockstep::make_boards() {
  boards_due_ += games_of_pass();
  const int64_t due = int64_t(boards_due_);
  if (due == 0) return;
  make_board_bank(consecutive_seeds(seed_, due), kDefaultCometSpeed, at::get_num_threads());
  seed_ += due;
  boards_due_ -= double(due);
}

double Lockstep::mean_fleets() const { return orbit::mean_fleets(state_); }

int64_t Lockstep::bytes_per_env(bool with_history) const {
  int64_t bytes = 0;
  for (int i = 0; i < kStateTensors; ++i) {
    const bool history = i >= kPlanetArrays + kFleetArrays && i < kStateTensors - 1;
    if (with_history || !history) bytes += int64_t(state_[size_t(i)].nbytes()) / count_;
  }
  return bytes;
}

}  // namespace orbit
