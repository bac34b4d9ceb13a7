#include "src/torchscript/small_source.h"
#include "src/torchscript/attribute.h"

namespace orbit {
namespace {

std::string activated(Activation activation, const std::string& x) {
  return (activation == Activation::kTanh ? "torch.tanh(" : "torch.relu(") + x + ")";
}

std::string linear(const std::string& x, const std::string& layer) { return "torch.linear(" + x + ", " + linear_arguments(layer) + ")"; }

// Of an nn.Sequential in which layers and activations take turns.
std::string sequence(const MlpPolicyConfig& config, const std::string& name, std::string x, size_t layers, bool to_the_end) {
  for (size_t i = 0; i < layers; ++i) {
    x = linear(x, name + "." + std::to_string(2 * i));
    if (to_the_end || i + 1 < layers) x = activated(config.activation, x);
  }
  return x;
}

// The head of forward, and what it returns; a continuous action's log_std comes last.
std::string forward_of(const std::string& arguments, size_t outputs, const ActionSpace& space) {
  std::string types = "Tensor";
  for (size_t i = 1; i < outputs + !space.discrete(); ++i) types += ", Tensor";
  return "def forward(self, " + arguments + ") -> Tuple[" + types + "]:\n";
}
std::string returned(const std::string& outputs, const ActionSpace& space) {
  return "    return " + outputs + (space.discrete() ? "\n" : ", self.log_std\n");
}

}  // namespace

std::string mlp_script_source(const MlpPolicyConfig& config, const ActionSpace& space) {
  const size_t hidden = config.hidden.size();
  std::string text = forward_of("observation: Tensor", 2, space);
  std::string actor, critic;
  if (config.shared) {
    text += "    h = " + sequence(config, "trunk", "observation", hidden, true) + "\n";
    actor = linear("h", "actor");
    critic = linear("h", "critic");
  } else {
    actor = sequence(config, "actor", "observation", hidden + 1, false);
    critic = sequence(config, "critic", "observation", hidden + 1, false);
  }
  return text + returned(actor + ", " + critic + ".squeeze(1)", space);
}

std::string rnn_script_source(const RnnPolicyConfig& config, const ActionSpace& space) {
  std::string text = forward_of("observation: Tensor, memory: Tensor, begins: Tensor", 3, space);
  text += "    memory = torch.where(begins.unsqueeze(1), torch.zeros_like(memory), memory)\n";
  text += "    embedded = " + activated(config.activation, linear("observation", "embed")) + "\n";
  text += R"(    seen = torch.linear(embedded, self.gru.weight_ih_l0, self.gru.bias_ih_l0).chunk(3, 1)
    own = torch.linear(memory, self.gru.weight_hh_l0, self.gru.bias_hh_l0).chunk(3, 1)
    reset = torch.sigmoid(seen[0] + own[0])
    update = torch.sigmoid(seen[1] + own[1])
    fresh = torch.tanh(seen[2] + reset * own[2])
    memory = fresh + update * (memory - fresh)
)";
  return text + returned(linear("memory", "actor") + ", " + linear("memory", "critic") + ".squeeze(1), memory", space);
}

}  // namespace orbit
