#include "src/common/signals.h"
#include <gtest/gtest.h>
#include <csignal>

namespace orbit {
namespace {

TEST(Signals, FirstAsksToStopAndSecondEnds) {
  install_stop_handlers();
  EXPECT_FALSE(stop_requested());
  std::raise(SIGTERM);
  EXPECT_TRUE(stop_requested());
  EXPECT_EXIT(
      {
        install_stop_handlers();
        std::raise(SIGTERM);
        std::raise(SIGINT);  // another signal counts as the second
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace orbit
