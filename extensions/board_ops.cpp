// Boards for Python: tests against the official game, benchmarks, and tools.
#include <torch/library.h>
#include "extensions/board_bank.h"

namespace orbit {
namespace {

// seeds: decimal texts, since Python's integers have any size. word_for_word: the slow way that the fast one is tested against.
BoardBank make_boards(const std::vector<std::string>& seeds, double comet_speed, bool word_for_word, int64_t threads) {
  const std::vector<Seed> parsed(seeds.begin(), seeds.end());
  return make_board_bank(parsed, comet_speed, int(threads), word_for_word ? Method::kWordForWord : Method::kFast);
}

}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CompositeExplicitAutograd, m) { m.impl("make_boards", orbit::make_boards); }
