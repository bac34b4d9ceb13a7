// The boards of a training run: made in the background while it plays, or read from a file.
#pragma once
#include <memory>
#include <string>
#include "extensions/board_bank_maker.h"
#include "src/config/config.h"

namespace orbit {

// Which boards an iteration draws from follows from the config and its number alone, never from how fast they were made or whether
// a file had them: iteration k draws from the first board_bank_start + k * board_bank_growth, and waits for those that are missing.
class BoardSupply {
 public:
  // Begins to make boards, or loads environment.board_bank_file where that exists. Throws UserError for a file that is no bank of
  // this config's boards, or could not be written.
  BoardSupply(const EnvironmentConfig& config, at::Device device, int threads);

  // All rows, on the device. Rows past those that rows_for gave may be read by nobody.
  const BoardBank& bank() const { return on_device_; }
  // How many boards the iteration draws from; waits until they are made. Writes the file once all boards are.
  int64_t rows_for(int64_t iteration);

 private:
  void load();
  void save_when_all_are_made();

  EnvironmentConfig config_;
  std::unique_ptr<BoardBankMaker> maker_;  // null once all boards are there
  BoardBank on_host_, on_device_;          // the same tensors on a CPU
  int64_t copied_ = 0;                     // rows that have come to the device
};

}  // namespace orbit
