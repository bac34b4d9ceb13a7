// orbit_parity features: features, aim and decoders against recorded figures.
#include <cxxopts.hpp>
#include "src/common/error.h"
#include "src/parity/commands.h"
#include "src/parity/features_check.h"

namespace orbit {

int features_command(int argc, char** argv) {
  cxxopts::Options options("orbit_parity features",
                           "Holds features, aim and action decoders against figures of the original.\n");
  options.add_options()  //
      ("data", "folder with cases.npz, and aim.npz and moves.npz where they are to be checked",
       cxxopts::value<std::string>()->default_value("tests/data/features"), "FOLDER")
      ("json", "a JSON object a tensor, one a line, to a file or standard output",
       cxxopts::value<std::string>()->default_value(""), "FILE|-")
      ("help", "print this");
  std::string folder, json_target;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) return print_help(options.help());
    if (!given.unmatched().empty())
      throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see orbit_parity features --help");
    folder = given["data"].as<std::string>();
    json_target = given["json"].as<std::string>();
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see orbit_parity features --help");
  }
  const std::vector<Comparison> compared = check_features(folder);
  ParityReport report(json_target);
  for (const Comparison& c : compared) report.add(c.thing());
  return report.finish();
}

}  // namespace orbit
