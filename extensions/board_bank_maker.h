// Makes the boards of a bank by threads of its own, so that games can be played on the first ones meanwhile.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include "extensions/board_bank.h"

namespace orbit {

struct BoardBankOptions {
  double comet_speed = kDefaultCometSpeed;
  Method method = Method::kFast;
  int threads = 0;          // 0: one a core
  bool background = false;  // give way to every other thread of the machine
};

class BoardBankMaker {
 public:
  // Row i is the board of seed_of(i), whatever the number of threads; seed_of is called from these.
  BoardBankMaker(int64_t boards, std::function<Seed(int64_t row)> seed_of, const BoardBankOptions& options = {});
  ~BoardBankMaker();  // boards in the making are finished, no others begun
  BoardBankMaker(const BoardBankMaker&) = delete;
  BoardBankMaker& operator=(const BoardBankMaker&) = delete;

  // Returns when the first `rows` boards are there; they are never touched again. Throws what making one of them threw
  // (std::runtime_error for a seed whose board does not fit).
  void wait_for(int64_t rows);
  int64_t made() const;  // the first so many are there
  // All rows; those from made() on are being written by the threads.
  const BoardBank& bank() const { return bank_; }

 private:
  void work();
  void finish(int64_t row, std::exception_ptr failure);

  std::function<Seed(int64_t)> seed_of_;
  BoardBankOptions options_;
  BoardBank bank_;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> stop_{false};

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable progress_;
  std::vector<bool> done_;  // (rows)
  int64_t made_ = 0;
  std::exception_ptr failure_;  // of the lowest row that failed,
  int64_t failed_row_;          // past the last one where none did

  std::vector<std::thread> threads_;
};

}  // namespace orbit
