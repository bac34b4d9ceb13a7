#include "src/parity/parity_report.h"
#include <cstdio>
#include "src/common/error.h"

namespace orbit {

ParityReport::ParityReport(const std::string& json_target) : to_stdout_(json_target == "-"), target_(json_target) {
  if (target_.empty() || to_stdout_) return;
  file_.open(target_);
  if (!file_) throw UserError("--json " + target_ + ": cannot be written");
}

void ParityReport::add(const CheckedThing& thing) {
  ++checked_;
  failed_ += !thing.ok;
  nlohmann::json row = thing.more;
  row["name"] = thing.name;
  row["max_abs"] = thing.max_abs;
  row["max_rel"] = thing.max_rel;
  row["tolerance"] = thing.tolerance;
  row["ok"] = thing.ok;
  const std::string text = row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (to_stdout_)
    std::fputs(text.c_str(), stdout);
  else
    std::printf("%-7s %s: %s\n", thing.ok ? "ok" : "DIFFERS", thing.name.c_str(), thing.line.c_str());
  if (file_.is_open()) file_ << text;
}

int ParityReport::finish() {
  if (!to_stdout_) std::printf("%d checked, %d differ\n", checked_, failed_);
  if (file_.is_open()) {
    file_.close();
    if (!file_) throw RunError("--json " + target_ + ": writing failed");
  }
  return failed_ ? 1 : 0;
}

}  // namespace orbit
