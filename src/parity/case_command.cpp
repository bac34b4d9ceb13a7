// The command line shared by policy, gae, update and sample.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // a comma may stand in a file name
#include <algorithm>
#include <cxxopts.hpp>
#include <filesystem>

#include "src/checkpoint/pt_reader.h"
#include "src/common/error.h"
#include "src/parity/commands.h"
#include "src/parity/parity_case.h"
#include "src/parity/parity_report.h"

namespace orbit {
namespace {

namespace fs = std::filesystem;

// A file as it is; a folder stands for the cases of this command in it.
void add_files(const std::string& given, const std::string& command, std::vector<fs::path>& files) {
  if (!fs::is_directory(given)) {
    files.emplace_back(given);
    return;
  }
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(given)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(command + "-") && name.ends_with(".pt")) found.push_back(entry.path());
  }
  if (found.empty()) throw UserError(given + ": holds no " + command + "-*.pt; scripts/parity_reference.py writes them");
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

int run_case_command(const std::string& name, const std::string& purpose, CaseCheck check, int argc, char** argv) {
  const std::string program = "orbit_parity " + name;
  cxxopts::Options options(program, purpose + "\n");
  options.add_options()  //
      ("case", "a case, or a folder with " + name + "-*.pt (repeatable); scripts/parity_reference.py writes them",
       cxxopts::value<std::vector<std::string>>()->default_value("tests/data/features/policy.pt"), "FILE|FOLDER")
      ("layout", "packed or padded rows of the network", cxxopts::value<std::string>()->default_value("packed"), "NAME")
      ("json", "a JSON object a tensor, one a line, to a file or standard output",
       cxxopts::value<std::string>()->default_value(""), "FILE|-")
      ("help", "print this");
  if (name == "policy")
    options.add_options()("torchscript", "the outputs of this module in place of the network built in",
                          cxxopts::value<std::string>(), "FILE.ts");
  std::vector<std::string> given_cases;
  CaseOptions chosen;
  std::string layout, json_target;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) return print_help(options.help());
    if (!given.unmatched().empty()) throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see " + program + " --help");
    given_cases = given["case"].as<std::vector<std::string>>();
    layout = given["layout"].as<std::string>();
    json_target = given["json"].as<std::string>();
    if (name == "policy" && given.count("torchscript")) chosen.torchscript = given["torchscript"].as<std::string>();
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see " + program + " --help");
  }
  if (layout != "packed" && layout != "padded") throw UserError("--layout " + layout + ": expected packed or padded");
  if (layout == "padded") chosen.layout = Layout::kPadded;
  std::vector<fs::path> files;
  for (const std::string& given : given_cases) add_files(given, name, files);
  ParityReport report(json_target);
  for (const fs::path& file : files) {
    const PtValue value = read_pt(file);
    const std::string prefix = files.size() > 1 ? file.stem().string() + ": " : "";
    try {
      for (const Comparison& c : check(ParityCase(value, file), chosen)) {
        CheckedThing thing = c.thing();
        thing.name = prefix + thing.name;
        report.add(thing);
      }
    } catch (const UserError& e) {  // of an entry that is missing or of another kind; those that name the file pass
      const std::string what = e.what();
      if (what.starts_with(file.string())) throw;
      throw UserError(file.string() + ": " + what + "; write it anew with scripts/parity_reference.py");
    }
  }
  return report.finish();
}

}  // namespace orbit
