#include "src/common/atomic_file.h"
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include "src/common/error.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("orbit_atomic_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  long files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(AtomicFile, ReplacesTheOldFile) {
  write_text_atomically(path("a"), "one");
  write_text_atomically(path("a"), "two");
  EXPECT_EQ(text_of(path("a")), "two");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, AFailingWriterLeavesTheOldFile) {
  write_text_atomically(path("a"), "one");
  const auto half = [](const std::string& temporary) {
    std::ofstream(temporary) << "half of tw";
    throw std::logic_error("interrupted");
  };
  EXPECT_THROW(write_atomically(path("a"), half), std::logic_error);
  EXPECT_EQ(text_of(path("a")), "one");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, WhatAKilledProcessLeftIsInNobodysWay) {
  std::ofstream(path("a.tmp")) << "a long rest of an earlier attempt";
  write_text_atomically(path("a"), "one");
  EXPECT_EQ(text_of(path("a")), "one");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, LinksStay) {
  write_text_atomically(path("a"), "one");
  fs::create_symlink("a", path("link"));
  write_text_atomically(path("link"), "two");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("a")), "two");
}

TEST_F(AtomicFile, APathThatCannotBeWrittenIsTheUsersMistake) {
  EXPECT_THROW(write_text_atomically(path("nowhere/a"), "x"), UserError);
  EXPECT_THROW(write_text_atomically(folder_.string(), "x"), UserError);
  EXPECT_THROW(write_text_atomically("/dev/null", "x"), UserError);
}

// A limit on the size of files fails a write as a full disk does. It cannot be lifted again, so a child process meets it.
TEST_F(AtomicFile, AFullDiskLeavesTheOldFile) {
  write_text_atomically(path("a"), "one");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_text_atomically(path("a"), std::string(5000, 'x'));
    } catch (const RunError& e) {
      ::_exit(std::string(e.what()).find(path("a")) == std::string::npos ? 3 : 0);
    } catch (...) {
      ::_exit(4);
    }
    ::_exit(5);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(text_of(path("a")), "one");
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace orbit
