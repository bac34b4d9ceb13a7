#include "src/report/run_folder.h"
#include <gtest/gtest.h>
#include <chrono>
#include <nlohmann/json.hpp>
#include "src/common/error.h"
#include "src/report/resume.h"
#include "tests/support/temporary_folder.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;

class Runs : public ::testing::Test {
 protected:
  void SetUp() override { write_config(""); }
  void write_config(const std::string& more) {
    config_path_ = folder_.write("ppo.yaml", "training:\n  iterations: 5\n  episodes_per_iter: 2\n" + more +
                                                 "output:\n  run_dir: " + folder_.path() + "/runs\n");
  }
  RunChoice choose(const std::string& resume, const std::vector<std::string>& overrides = {}) {
    return choose_run(config_path_, overrides, resume);
  }
  // A run as the trainer leaves it; `saved` iterations, none for a run that never saved.
  RunFolder make_run(const std::vector<std::string>& overrides, int saved, const std::string& status = "running") {
    const RunFolder run = RunFolder::open(choose("", overrides).config, config_path_, "");
    run.set_status(status, saved);
    if (saved > 0) {
      std::ofstream(run.checkpoint()) << "weights";
      fs::last_write_time(run.checkpoint(), fs::file_time_type::clock::now() + std::chrono::seconds(++clock_));
    }
    return run;
  }
  std::string complaint(const std::string& resume, const std::vector<std::string>& overrides = {}) {
    try {
      choose(resume, overrides);
      return "";
    } catch (const UserError& e) {
      return e.what();
    }
  }

  TemporaryFolder folder_;
  std::string config_path_;
  int clock_ = 0;
};

TEST_F(Runs, ANewRunHasItsConfigMetaAndLog) {
  const RunFolder run = make_run({"output.run_name=first", "model.hidden=48"}, 0);
  EXPECT_EQ(run.path(), folder_.path() + "/runs/first");
  EXPECT_EQ(load_config(run.path() + "/config.yaml").model.hidden, 48);
  const auto meta = nlohmann::json::parse(folder_.read("runs/first/run.json"));
  EXPECT_EQ(meta["status"], "running");
  EXPECT_EQ(meta["machine"]["torch"], "2.11.0");
  EXPECT_FALSE(meta["machine"]["host"].get<std::string>().empty());
  EXPECT_TRUE(fs::exists(run.path() + "/train.log"));
}

TEST_F(Runs, ANameThatExistsIsRefusedAndDatedNamesNeverClash) {
  make_run({"output.run_name=first"}, 1);
  EXPECT_THROW(make_run({"output.run_name=first"}, 1), UserError);
  const std::string a = make_run({}, 0).path(), b = make_run({}, 0).path();
  EXPECT_NE(a, b);
  EXPECT_NE(a.find("/runs/ppo-2"), std::string::npos) << a;
}

TEST_F(Runs, AFolderThatCannotBeWrittenIsAUserError) {
  EXPECT_THROW(make_run({"output.run_dir=/dev/null/runs"}, 0), UserError);
  folder_.write("file", "");
  EXPECT_THROW(make_run({"output.run_dir=" + folder_.path() + "/file"}, 0), UserError);
}

TEST_F(Runs, AutoTakesTheNewestThatHasSaved) {
  EXPECT_EQ(choose("auto").folder, "");  // no run at all: a new one
  make_run({"output.run_name=unsaved"}, 0);
  EXPECT_EQ(choose("auto").folder, "");
  make_run({"output.run_name=old"}, 2);
  make_run({"output.run_name=new", "training.lr=0.5"}, 2);
  make_run({"output.run_name=later_unsaved"}, 0);
  const RunChoice choice = choose("auto");
  EXPECT_EQ(choice.folder, folder_.path() + "/runs/new");
  EXPECT_EQ(choice.config.training.lr, 0.5);  // its own settings, though the file says otherwise
  EXPECT_FALSE(choice.finished);
  EXPECT_EQ(choose("auto", {"output.run_name=old"}).folder, folder_.path() + "/runs/old");
  // A named run that never saved starts again in its folder.
  const RunChoice again = choose("auto", {"output.run_name=unsaved"});
  EXPECT_EQ(again.folder, "");
  EXPECT_EQ(RunFolder::open(again.config, config_path_, "auto").path(), folder_.path() + "/runs/unsaved");
}

TEST_F(Runs, AFinishedRunIsToldUnlessMoreIterationsAreAskedFor) {
  const std::string run = make_run({}, 5, "finished").path();
  EXPECT_FALSE(choose(run).finished) << "its report is still to be written";
  std::ofstream(run + "/report.html") << "-";
  EXPECT_TRUE(choose("auto").finished);
  EXPECT_TRUE(choose(run).finished);
  EXPECT_FALSE(choose(run, {"training.iterations=8"}).finished);
  EXPECT_EQ(choose(run, {"training.iterations=8"}).config.training.iterations, 8);
}

TEST_F(Runs, GoingOnNeedsSomethingSaved) {
  const std::string run = make_run({}, 0).path();
  EXPECT_NE(complaint(run).find("nothing was saved"), std::string::npos);
  EXPECT_NE(complaint(folder_.path() + "/none").find("no such folder"), std::string::npos);
}

TEST_F(Runs, EditsOfTheFileAndOverridesApplyWhereARunCanChange) {
  const std::string run = make_run({"model.hidden=48", "training.gamma=0.5"}, 2).path();
  EXPECT_TRUE(choose(run).notes.empty());
  write_config("  lr: 0.25\n");
  const RunChoice choice = choose(run, {"evaluation.every=3"});
  EXPECT_EQ(choice.config.training.lr, 0.25);
  EXPECT_EQ(choice.config.training.gamma, 0.5);
  EXPECT_EQ(choice.config.model.hidden, 48);
  EXPECT_EQ(choice.config.evaluation.every, 3);
  EXPECT_EQ(choice.notes.size(), 2u);
  RunFolder::open(choice.config, config_path_, run);
  EXPECT_EQ(load_config(run + "/config.yaml").training.lr, 0.25);
  // Without a config file its own settings are enough.
  EXPECT_EQ(choose_run("", {}, run).config.model.hidden, 48);
}

TEST_F(Runs, WhatARunCannotChangeIsNamed) {
  const std::string run = make_run({}, 2).path();
  EXPECT_EQ(complaint(run, {"model.hidden=64"}).find(run + ": the run has model.hidden 192 and cannot go on with 64"), 0u);
  EXPECT_NE(complaint(run, {"training.horizon=50"}), "");
  EXPECT_NE(complaint(run, {"environment.players=4"}), "");
  write_config("  seed: 3\n");
  EXPECT_NE(complaint(run).find("training.seed"), std::string::npos);
}

}  // namespace
}  // namespace orbit
