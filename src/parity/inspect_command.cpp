// orbit_parity inspect: what a checkpoint holds.
#include <cxxopts.hpp>
#include "src/common/error.h"
#include "src/parity/commands.h"
#include "src/parity/inspect.h"

namespace orbit {

int inspect_command(int argc, char** argv) {
  cxxopts::Options options("orbit_parity inspect",
                           "Prints what a .pt or .safetensors file holds: names, shapes, dtypes, bytes, structure.\n");
  options.positional_help("FILE");
  options.add_options()  //
      ("file", "the checkpoint", cxxopts::value<std::string>()->default_value(""), "FILE")(
          "key", "where its parameters are, if several places fit", cxxopts::value<std::string>()->default_value(""), "NAME")(
          "json", "a JSON object a value, one a line, to a file or standard output",
          cxxopts::value<std::string>()->default_value(""),
          "FILE|-")("rewrite", "write what was read to this file, .pt or .safetensors",
                    cxxopts::value<std::string>()->default_value(""), "FILE")("help", "print this");
  options.parse_positional({"file"});
  InspectRequest request;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) return print_help(options.help());
    if (!given.unmatched().empty())
      throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see orbit_parity inspect --help");
    request = {given["file"].as<std::string>(), given["key"].as<std::string>(), given["json"].as<std::string>(),
               given["rewrite"].as<std::string>()};
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see orbit_parity inspect --help");
  }
  if (request.file.empty()) throw UserError("a checkpoint file is required; see orbit_parity inspect --help");
  return inspect(request);
}

}  // namespace orbit
