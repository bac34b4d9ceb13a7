#include "src/bench/bench_table.h"
#include <unistd.h>
#include <cstdio>
#include "src/common/error.h"
#include "src/report/progress.h"

namespace orbit {

BenchTable::BenchTable(const std::string& json_target, int rows) : json_on_stdout_(json_target == "-"), expected_(rows) {
  on_terminal_ = !json_on_stdout_ && isatty(STDOUT_FILENO);
  if (!json_target.empty() && !json_on_stdout_) {
    file_.open(json_target);
    if (!file_) throw UserError("--json " + json_target + ": cannot be written; name a file in a folder that exists");
  }
  if (!json_on_stdout_)
    std::printf("%7s %7s %8s %7s  %-15s %12s %7s %9s %9s  %s\n", "players", "fleets", "num_envs", "threads", "part", "steps/s", "spread",
                "ns/step", "cpu ns", "share of its time");
}

void BenchTable::add(const nlohmann::json& row) {
  if (file_.is_open()) file_ << row.dump() << "\n" << std::flush;
  if (json_on_stdout_) std::printf("%s\n", row.dump().c_str());
  else print(row);
  std::fflush(stdout);
}

void BenchTable::print(const nlohmann::json& row) {
  if (on_terminal_) std::printf("\r\033[K");
  std::string share;
  const nlohmann::json pieces = row.value("share", nlohmann::json::object());
  for (const auto& [name, part] : pieces.items()) {
    char text[64];
    std::snprintf(text, sizeof text, "%s%s %.0f%%", share.empty() ? "" : ", ", name.c_str(), 100 * part.get<double>());
    share += text;
  }
  if (row.contains("games_per_second")) share += ", " + rate_text(row["games_per_second"].get<double>()) + " games/s";
  char players[16] = "-", fleets[16] = "-", cpu[16] = "-";  // small environments have neither; their name stands last
  if (row.contains("players")) std::snprintf(players, sizeof players, "%d", row["players"].get<int>());
  if (row.contains("mean_fleets")) std::snprintf(fleets, sizeof fleets, "%.1f", row["mean_fleets"].get<double>());
  else share = row["environment"].get<std::string>() + (row.contains("precision") ? " in " + row.value("precision", "") : "") +
               (share.empty() ? "" : ": ") + share;
  if (row.contains("cpu_ns_per_step")) std::snprintf(cpu, sizeof cpu, "%.1f", row["cpu_ns_per_step"].get<double>());
  std::printf("%7s %7s %8d %7d  %-15s %12.0f %6.1f%% %9.1f %9s  %s\n", players, fleets, row["num_envs"].get<int>(),
              row["threads"].get<int>(), row["part"].get<std::string>().c_str(),
              row["steps_per_second"].get<double>(), 100 * row["spread"].get<double>(), row["ns_per_step"].get<double>(),
              cpu, share.c_str());
  if (!on_terminal_ || ++added_ == expected_) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::printf("%d of %d measured, about %s left", added_, expected_, duration_text(seconds / added_ * (expected_ - added_)).c_str());
}

}  // namespace orbit
