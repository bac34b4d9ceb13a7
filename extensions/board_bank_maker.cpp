#include "extensions/board_bank_maker.h"
#include <sys/resource.h>

namespace orbit {
namespace {
constexpr int kGivesWay = 10;  // added niceness
}

BoardBankMaker::BoardBankMaker(int64_t boards, std::function<Seed(int64_t row)> seed_of, const BoardBankOptions& options)
    : seed_of_(std::move(seed_of)),
      options_(options),
      bank_(empty_board_bank(boards, kBoardWaves)),
      done_(size_t(boards)),
      failed_row_(boards) {
  const int threads = options.threads > 0 ? options.threads : int(std::max(1u, std::thread::hardware_concurrency()));
  for (int t = 0; t < threads; ++t) threads_.emplace_back([this] { work(); });
}

BoardBankMaker::~BoardBankMaker() {
  stop_ = true;
  for (std::thread& t : threads_) t.join();
}

void BoardBankMaker::work() {
  // On Linux a niceness belongs to the thread that sets it; where it cannot be set, training is a little slower meanwhile.
  if (options_.background) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kGivesWay);
  const int64_t boards = int64_t(done_.size());
  for (int64_t row; !stop_ && (row = next_++) < boards;) {
    std::exception_ptr failure;
    try {
      write_board(make_board(seed_of_(row), options_.comet_speed, options_.method), board_arrays(bank_, row));
    } catch (...) {
      failure = std::current_exception();
    }
    finish(row, failure);
  }
}

void BoardBankMaker::finish(int64_t row, std::exception_ptr failure) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure && row < failed_row_) {
    failure_ = failure;
    failed_row_ = row;
  }
  done_[size_t(row)] = true;
  while (made_ < failed_row_ && done_[size_t(made_)]) ++made_;
  progress_.notify_all();
}

void BoardBankMaker::wait_for(int64_t rows) {
  std::unique_lock<std::mutex> lock(mutex_);
  progress_.wait(lock, [&] { return made_ >= rows || made_ == failed_row_; });
  if (made_ < rows) std::rethrow_exception(failure_);
}

int64_t BoardBankMaker::made() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return made_;
}

BoardBank make_board_bank(const std::vector<Seed>& seeds, double comet_speed, int threads, Method method) {
  BoardBankMaker maker(int64_t(seeds.size()), [&](int64_t row) { return seeds[size_t(row)]; },
                       {.comet_speed = comet_speed, .method = method, .threads = threads});
  maker.wait_for(int64_t(seeds.size()));
  return maker.bank();
}

}  // namespace orbit
