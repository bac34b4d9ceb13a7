#include "src/board_supply.h"
#include <ATen/ops/empty_like.h>
#include <ATen/ops/equal.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include "src/common/error.h"
#include "src/common/log.h"

namespace orbit {
namespace {

constexpr const char* kFileKey = "environment.board_bank_file: ";

void check_can_be_written(const std::string& path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (std::filesystem::is_directory(path)) throw UserError(kFileKey + path + " is a folder; name a file");
  if (access(folder.c_str(), W_OK) != 0) throw UserError(kFileKey + path + ": " + folder.string() + " is no folder that can be written");
}

// A few rows are made anew; the whole would take as long as having no file.
void check_seeds(const BoardBank& bank, int64_t first_seed, const std::string& path) {
  const int64_t rows = bank[0].size(0);
  for (const int64_t row : {int64_t(0), rows / 2, rows - 1}) {
    const BoardBank fresh = make_board_bank({Seed(first_seed + row)}, kDefaultCometSpeed, 1);
    for (size_t i = 0; i < bank.size(); ++i)
      if (!at::equal(bank[i].narrow(0, row, 1), fresh[i]))
        throw UserError(kFileKey + path + ": row " + std::to_string(row) + " is not the board of seed " + std::to_string(first_seed + row) +
                        "; it was made with another board_seed_start, name another file");
  }
}

}  // namespace

BoardSupply::BoardSupply(const EnvironmentConfig& config, at::Device device, int threads) : config_(config) {
  const int64_t boards = config.board_bank_size, first = config.board_seed_start;
  const auto& file = config.board_bank_file;
  if (file && std::filesystem::exists(*file)) {
    load();
  } else {
    if (file) check_can_be_written(*file);
    maker_ = std::make_unique<BoardBankMaker>(boards, [first](int64_t row) { return Seed(first + row); },
                                              BoardBankOptions{.threads = threads, .background = true});
    on_host_ = maker_->bank();
  }
  for (const at::Tensor& t : on_host_) on_device_.push_back(device.is_cpu() ? t : at::empty_like(t, t.options().device(device)));
}

void BoardSupply::load() {
  const std::string path = *config_.board_bank_file;
  try {
    on_host_ = load_board_bank(path);
  } catch (const std::runtime_error& e) {
    throw UserError(kFileKey + std::string(e.what()) + "; remove it, and the run writes a new one");
  }
  const int64_t rows = on_host_[0].size(0), wanted = config_.board_bank_size;
  if (rows < wanted || on_host_[3].size(1) != kBoardWaves)
    throw UserError(kFileKey + path + " holds " + std::to_string(rows) + " boards, board_bank_size is " + std::to_string(wanted) +
                    "; name another file, or set board_bank_size to at most that");
  for (at::Tensor& t : on_host_) t = t.narrow(0, 0, wanted);
  check_seeds(on_host_, config_.board_seed_start, path);
  log_info("boards: " + std::to_string(wanted) + " from " + path);
}

int64_t BoardSupply::rows_for(int64_t iteration) {
  const int64_t boards = config_.board_bank_size;
  const int64_t rows = std::min(boards, config_.board_bank_start + iteration * config_.board_bank_growth);
  if (maker_) {
    if (maker_->made() < rows) log_info("boards: making the first " + std::to_string(rows) + " of " + std::to_string(boards));
    try {
      maker_->wait_for(rows);
    } catch (const std::runtime_error& e) {
      throw UserError(std::string(e.what()) + " (environment.board_seed_start, board_bank_size)");
    }
    save_when_all_are_made();
  }
  if (on_device_[0].device() != on_host_[0].device() && copied_ < rows)
    for (size_t i = 0; i < on_host_.size(); ++i)
      on_device_[i].narrow(0, copied_, rows - copied_).copy_(on_host_[i].narrow(0, copied_, rows - copied_));
  copied_ = std::max(copied_, rows);
  return rows;
}

void BoardSupply::save_when_all_are_made() {
  if (maker_->made() < config_.board_bank_size) return;
  maker_.reset();
  log_info("boards: all " + std::to_string(config_.board_bank_size) + " are made");
  if (!config_.board_bank_file) return;
  try {
    save_board_bank(on_host_, *config_.board_bank_file);
  } catch (const std::runtime_error& e) {
    throw RunError(e.what());
  }
  log_info("boards: written to " + *config_.board_bank_file);
}

}  // namespace orbit
