#include "src/common/log.h"
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include "src/common/error.h"

namespace orbit {
namespace {
spdlog::logger& logger() {
  static auto instance = [] {
    auto sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
    sink->set_pattern("%v");
    auto made = std::make_shared<spdlog::logger>("orbit", sink);
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return *instance;
}
}  // namespace

void log_info(const std::string& line) { logger().info("{}", line); }
void log_warning(const std::string& line) { logger().warn("warning: {}", line); }

void log_warnings_only() { logger().set_level(spdlog::level::warn); }

void log_to_file(const std::string& path) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    sink->set_pattern("%Y-%m-%d %H:%M:%S %v");
    logger().sinks().resize(1);  // a program that trains several runs has one log a run
    logger().sinks().push_back(sink);
  } catch (const spdlog::spdlog_ex&) {
    throw UserError(path + ": cannot be opened for writing; choose another output.run_dir");
  }
}
}  // namespace orbit
