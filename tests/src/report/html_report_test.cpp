#include "src/report/html_report.h"
#include <gtest/gtest.h>
#include <cmath>
#include "src/report/seed_spread.h"

namespace orbit {
namespace {

RunRecord run_of(const std::string& name, int64_t seed, int iterations, double level) {
  RunRecord run;
  run.name = name;
  run.config.training.seed = seed;
  run.config.training.iterations = iterations;
  run.config.output.run_name = name;
  for (int i = 0; i < iterations; ++i) {
    MetricsRow row;
    row.set("iteration", i);
    row.set("entropy", level + i);
    run.rows.push_back(row);
  }
  return run;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(SeedSpread, RunsThatDifferInTheSeedAloneAreOne) {
  std::vector<RunRecord> runs = {run_of("a-1", 1, 5, 0), run_of("b-1", 1, 5, 0), run_of("a-2", 2, 5, 0)};
  runs[1].config.training.lr = 0.5;
  runs[2].config.device.threads = 1;
  const auto groups = group_runs(runs);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "2 seeds of a-1");
  EXPECT_EQ(groups[0].runs[1], &runs[2]);
  EXPECT_EQ(groups[1].name, "b-1");
}

// Student's interval of 1, 2, 6: mean 3, standard deviation sqrt(7), t(0.975, 2) = 4.303.
TEST(SeedSpread, MeanAndIntervalOfTheIterationsThatAllHave) {
  const std::vector<RunRecord> runs = {run_of("a", 1, 4, 1), run_of("b", 2, 4, 2), run_of("c", 3, 4, 6)};
  std::vector<RunRecord> uneven = runs;
  for (RunRecord& run : uneven) run.config = runs[0].config;
  uneven[2].rows.pop_back();
  const auto groups = group_runs(uneven);
  ASSERT_EQ(groups.size(), 1u);
  const Curve mean = mean_curve(groups[0], "entropy");
  ASSERT_EQ(mean.size(), 3u);
  EXPECT_EQ(mean[0].iteration, 1);
  EXPECT_DOUBLE_EQ(mean[0].value, 3);
  EXPECT_NEAR(mean[0].high - mean[0].value, 4.303 * std::sqrt(7.0 / 3), 1e-12);
  EXPECT_NEAR(mean[0].low + mean[0].high, 6, 1e-12);
}

TEST(SeedSpread, OneRunsWinRateHasTheIntervalOfItsGames) {
  RunRecord run = run_of("a", 1, 1, 0);
  run.config.evaluation.games = 100;
  run.rows[0].set("win_rate_random", 0.5);
  const Curve curve = curve_of(run, "win_rate_random");
  EXPECT_NEAR(curve[0].low, 0.4038, 1e-4);  // Wilson, 50 of 100
  EXPECT_NEAR(curve[0].high, 0.5962, 1e-4);
}

TEST(SeedSpread, WhatIsNoNumberIsLeftOut) {
  RunRecord run = run_of("a", 1, 3, 0);
  run.rows[1].set("entropy", std::nan(""));
  EXPECT_EQ(curve_of(run, "entropy").size(), 2u);
  EXPECT_TRUE(curve_of(run, "value_loss").empty());
}

TEST(HtmlReport, ShowsWhatIsThereEscapedAndSelfContained) {
  RunRecord run = run_of("run <1>", 1, 2000, 0);
  run.config.training.resume_from = "<b>&.pt";
  run.machine = {{"cpu", "A <fast> one"}};
  for (size_t i = 99; i < run.rows.size(); i += 100) run.rows[i].set("win_rate_random", 0.5);
  run.rows[7].set("approx_kl", std::nan(""));
  const std::string page = html_report("run <1>", {run});
  for (const char* part : {"<title>run &lt;1&gt;</title>", "&lt;b&gt;&amp;.pt", "<figcaption>Entropy</figcaption><svg", "A &lt;fast&gt; one",
                           "<figcaption>Win rate against random</figcaption>", "prefers-color-scheme:dark", "width=device-width"})
    EXPECT_NE(page.find(part), page.npos) << part;
  EXPECT_EQ(page.find("Value loss"), page.npos);      // no row has it
  EXPECT_EQ(page.find("Approximate KL"), page.npos);  // its one value is no number
  for (const char* part : {"nan,", "inf,", "http", "<script", "src=", "@import", "url("}) EXPECT_EQ(page.find(part), page.npos) << part;
  EXPECT_LT(page.size(), 100000u);
}

TEST(HtmlReport, SeedsAreDrawnBehindTheirMeanAndSettingsThatDifferAreListed) {
  std::vector<RunRecord> runs = {run_of("a", 1, 5, 0), run_of("b", 2, 5, 1), run_of("c", 1, 5, 2)};
  runs[2].config.training.lr = 0.25;
  const std::string page = html_report("three", runs);
  EXPECT_EQ(count(page, "class=\"member c0\""), 2u);
  EXPECT_EQ(count(page, "class=\"mean c0\""), 1u);
  EXPECT_EQ(count(page, "class=\"mean c1\""), 1u);
  EXPECT_EQ(count(page, "class=\"band "), 1u);
  EXPECT_NE(page.find("<tr><td>training.lr</td><td>1.0e-04</td><td>0.25</td></tr>"), page.npos);
  EXPECT_EQ(count(page, "<td>training.seed</td>"), 0u);
}

TEST(HtmlReport, RunsWithoutRowsHaveAPageToo) {
  RunRecord run = run_of("empty", 1, 3, 0);
  run.rows.clear();
  EXPECT_NE(html_report("empty", {run}).find("0 of 3"), std::string::npos);
}

}  // namespace
}  // namespace orbit
