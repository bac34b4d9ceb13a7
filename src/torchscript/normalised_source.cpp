#include "src/torchscript/normalised_source.h"
#include <cstdio>
#include "src/policy/normalised_policy.h"
#include "src/running_moments.h"

namespace orbit {
namespace {

std::string normalised(const TensorSpec& seen) {
  if (!is_normalised(seen)) return seen.name;
  char smallest[40], limit[40];
  std::snprintf(smallest, sizeof smallest, "%.17e", kSmallestVariance);
  std::snprintf(limit, sizeof limit, "%.17e", kNormalisedLimit);
  const std::string moments = "self.observation_norm." + seen.name;
  const std::string scale = "(" + moments + ".variance + " + smallest + ").rsqrt().float()";
  const std::string x = "((" + seen.name + " - " + moments + ".mean.float()) * " + scale + ").clamp(-" + limit + ", " + limit + ")";
  return seen.exists.empty() ? x : x + " * " + seen.exists + ".unsqueeze(-1)";
}

}  // namespace

std::string normalised_script_source(std::string source, const std::vector<TensorSpec>& observation) {
  const std::string name = "def forward(";
  const size_t at = source.find(name);
  const std::string head = source.substr(at, source.find('\n', at) + 1 - at);
  source.replace(at, name.size(), "def network(");
  source += "\n" + head + "    return self.network(";
  for (size_t i = 0; i < observation.size(); ++i) source += (i ? ", " : "") + normalised(observation[i]);
  return source + ")\n";
}

}  // namespace orbit
