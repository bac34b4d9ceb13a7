// Turns saved weights into other files: orbit_pack COMMAND.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // --set takes lists, so commas do not part values
#include <cstdio>
#include <cxxopts.hpp>

#include "src/checkpoint/checkpoint_file.h"
#include "src/checkpoint/named_weights.h"
#include "src/common/command_table.h"
#include "src/common/error.h"
#include "src/config/load.h"
#include "src/setup.h"
#include "src/torchscript/policy_source.h"
#include "src/torchscript/script_export.h"

namespace orbit {
namespace {

struct Arguments {
  std::string config_path, weights, key, output;
  std::vector<std::string> overrides;
  std::string printed;  // by --help, instead of writing
};

Arguments parse(const std::string& command, const std::string& purpose, const std::string& endings, bool needs_config, int argc,
                char** argv) {
  const std::string program = "orbit_pack " + command;
  cxxopts::Options options(program, purpose + "\n");
  options.add_options()  //
      ("weights", "a .pt or .safetensors file", cxxopts::value<std::string>(), "FILE")
      ("key", "where in that file the weights are, if several places fit", cxxopts::value<std::string>(), "NAME")
      ("output", "the file to write, " + endings, cxxopts::value<std::string>(), "FILE")
      ("help", "print this");
  if (needs_config) {
    options.add_options()  //
        ("config", "settings that the weights were trained with (a run's config.yaml)", cxxopts::value<std::string>(), "FILE")
        ("set", "change a setting (repeatable)", cxxopts::value<std::vector<std::string>>(), "key.path=value");
  }
  Arguments a;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (!given.unmatched().empty()) throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see " + program + " --help");
    if (given.count("help")) a.printed = options.help();
    const auto text = [&](const char* name) { return given.count(name) ? given[name].as<std::string>() : std::string(); };
    a.weights = text("weights");
    a.key = text("key");
    a.output = text("output");
    if (needs_config) a.config_path = text("config");
    if (needs_config && given.count("set")) a.overrides = given["set"].as<std::vector<std::string>>();
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see " + program + " --help");
  }
  if (!a.printed.empty()) return a;
  if (a.weights.empty() || a.output.empty() || (needs_config && a.config_path.empty()))
    throw UserError(std::string(needs_config ? "--config FILE, " : "") + "--weights FILE and --output FILE are required; see " +
                    program + " --help");
  return a;
}

int torchscript(int argc, char** argv) {
  const Arguments a = parse("torchscript", "Writes a policy as a module that torch.jit.load runs.", ".ts", true, argc, argv);
  if (!a.printed.empty()) return std::fputs(a.printed.c_str(), stdout) < 0;
  if (!a.output.ends_with(".ts")) throw UserError("--output " + a.output + ": a TorchScript file ends in .ts");
  const Config config = load_config(a.config_path, a.overrides);
  const std::shared_ptr<Policy> policy = make_policy(config, layout_of(config));
  load_by_name(policy->named_state(), read_state_dict(a.weights, a.key), {}, a.weights);
  write_torchscript(a.output, policy_source(config), *policy);
  std::printf("%s: %lld parameters in %zu tensors\n", a.output.c_str(),
              static_cast<long long>(policy->parameter_count()), policy->named_parameters().size());
  return 0;
}

// The state_dict that a checkpoint holds, without wrappers' prefixes and without all that is beside it.
int weights(int argc, char** argv) {
  const Arguments a = parse("weights", "Writes the weights that a checkpoint holds as a plain state_dict.", ".pt or .safetensors", false, argc,
                            argv);
  if (!a.printed.empty()) return std::fputs(a.printed.c_str(), stdout) < 0;
  if (!a.output.ends_with(".pt") && !a.output.ends_with(".safetensors"))
    throw UserError("--output " + a.output + ": a weight file ends in .pt or .safetensors");
  const NamedTensors found = read_state_dict(a.weights, a.key);
  write_checkpoint(a.output, state_dict_value(found));
  std::printf("%s: %zu tensors\n", a.output.c_str(), found.size());
  return 0;
}

constexpr Command kCommands[] = {
    {"torchscript", torchscript, "a module that torch.jit.load runs"},
    {"weights", weights, "a plain state_dict, .pt or .safetensors"},
};

}  // namespace
}  // namespace orbit

int main(int argc, char** argv) {
  return orbit::run_program("orbit_pack", [&] {
    return orbit::run_command("orbit_pack", "Turns saved weights into other files.", orbit::kCommands, argc, argv);
  });
}
