#include "src/report/metrics.h"
#include <gtest/gtest.h>
#include <cmath>
#include "src/common/error.h"
#include "src/report/progress.h"
#include "tests/support/temporary_folder.h"

namespace orbit {
namespace {

MetricsRow row_of(int iteration, double value) {
  MetricsRow row;
  row.set("iteration", iteration);
  row.set("entropy", value);
  return row;
}

TEST(MetricsRow, KeepsOrderAndWritesNumbersThatReadBackExactly) {
  MetricsRow row = row_of(3, 0.1);
  row.set("win_rate", std::nan(""));
  row.set("lr", 1e-4);
  row.set("entropy", 1.0 / 3);
  EXPECT_EQ(row.to_json(), "{\"iteration\": 3, \"entropy\": 0.3333333333333333, \"win_rate\": null, \"lr\": 1e-04}");
  EXPECT_EQ(row.find("entropy"), 1.0 / 3);
  EXPECT_FALSE(row.find("kl").has_value());
}

TEST(MetricsFile, RowsPastACheckpointAreCutAndAHalfLineToo) {
  TemporaryFolder folder;
  const MetricsFile file(folder.path() + "/metrics.json");
  file.cut_from(0);
  for (int i = 0; i < 5; ++i) file.append(row_of(i, i * 0.7));
  std::ofstream(folder.path() + "/metrics.json", std::ios::app) << "{\"iteration\": 5, \"ent";
  ASSERT_EQ(file.rows().size(), 5u);
  file.cut_from(3);
  const auto rows = file.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].find("entropy"), 2 * 0.7);
  file.append(row_of(3, 1));
  EXPECT_EQ(folder.read("metrics.json"),
            row_of(0, 0).to_json() + "\n" + row_of(1, 0.7).to_json() + "\n" + row_of(2, 1.4).to_json() + "\n" +
                row_of(3, 1).to_json() + "\n");
}

TEST(MetricsFile, AFullDiskIsARunError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_THROW(MetricsFile("/dev/full").append(row_of(0, 0)), RunError);
}

TEST(Progress, SaysWhatTheRowHolds) {
  Progress progress(100);
  MetricsRow row;
  row.set("iteration", 11);
  EXPECT_EQ(progress.line(row), "iteration 12/100");
  row.set("time_iteration", 3.0);
  row.set("episode_return", 0.125);
  row.set("win_rate", 0.54);
  row.set("approx_kl", 0.01124);
  row.set("entropy", 3.208);
  row.set("env_per_second", 21310);
  row.set("inference_per_second", 9799);
  row.set("update_per_second", 312);
  row.set("win_rate_starter", 0.25);
  EXPECT_EQ(
      progress.line(row),
      "iteration 12/100  left 4m24s  return +0.125  win 54%  kl 0.0112  entropy 3.21  samples/s 21.3k env, 9.8k +inference, "
      "312 +update  win 25% against starter");
  row.set("iteration", 99);
  EXPECT_NE(progress.line(row).find("100/100  left 0s"), std::string::npos);
}

TEST(Progress, TimesAndRates) {
  EXPECT_EQ(duration_text(59.4), "59s");
  EXPECT_EQ(duration_text(60), "1m00s");
  EXPECT_EQ(duration_text(3900), "1h05m");
  EXPECT_EQ(rate_text(999.4), "999");
  EXPECT_EQ(rate_text(999.6), "1.0k");
  EXPECT_EQ(rate_text(123456), "123k");
  EXPECT_EQ(rate_text(1234567), "1.2M");
}

}  // namespace
}  // namespace orbit
