#include "src/torchscript/orbit_source.h"

#include <array>
#include <cstdio>
#include "src/torchscript/attribute.h"

namespace orbit {
namespace {

// H, A and NO_OP_BIAS are replaced by the sizes of the network.
constexpr const char* kMethods = R"(
def heads(self, x: Tensor) -> Tensor:
    return x.unflatten(-1, [A, -1]).transpose(1, 2)

def block(self, x: Tensor, y: Tensor, seen: Optional[Tensor], live: Optional[Tensor], in_weight: Tensor, in_bias: Tensor,
          out_weight: Tensor, out_bias: Tensor, ln1_weight: Tensor, ln1_bias: Tensor, ln2_weight: Tensor, ln2_bias: Tensor,
          ff0_weight: Tensor, ff0_bias: Tensor, ff2_weight: Tensor, ff2_bias: Tensor) -> Tensor:
    q = self.heads(torch.linear(x, in_weight.narrow(0, 0, H), in_bias.narrow(0, 0, H)))
    k = self.heads(torch.linear(y, in_weight.narrow(0, H, H), in_bias.narrow(0, H, H)))
    v = self.heads(torch.linear(y, in_weight.narrow(0, 2 * H, H), in_bias.narrow(0, 2 * H, H)))
    a = torch.scaled_dot_product_attention(q, k, v, seen).transpose(1, 2).flatten(2)
    if live is not None:
        a = a * live
    u = torch.layer_norm(x + torch.linear(a, out_weight, out_bias), [H], ln1_weight, ln1_bias)
    f = torch.linear(torch.relu(torch.linear(u, ff0_weight, ff0_bias)), ff2_weight, ff2_bias)
    return torch.layer_norm(u + f, [H], ln2_weight, ln2_bias)

def mlp(self, x: Tensor, weight0: Tensor, bias0: Tensor, weight1: Tensor, bias1: Tensor) -> Tensor:
    return torch.linear(torch.relu(torch.linear(x, weight0, bias0)), weight1, bias1)
)";

constexpr const char* kHeads = R"(
    pooled = POOL.select(1, 0)
    ctx = PSI
    hc = torch.cat([h, ctx.unsqueeze(1).expand(-1, valid.size(1), -1)], -1)
    q = SRC
    k = torch.linear(TGT, self.head_per_planet.pair_proj.weight)
    pairs = torch.matmul(q, k.transpose(1, 2)).masked_fill(valid.logical_not().unsqueeze(1), -1e9)
    noop = torch.matmul(q, self.head_per_planet.noop_query.view([-1, 1])) - NO_OP_BIAS
    return torch.cat([pairs, noop], -1), SHIP.squeeze(-1), VALUE.squeeze(-1), self.ship_log_std.log_std.squeeze(0)
)";

void replace(std::string& text, const std::string& word, const std::string& by) {
  const auto is_word = [&](size_t at) {
    const auto letter = [&](size_t i) { return i < text.size() && (std::isalnum(uint8_t(text[i])) || text[i] == '_'); };
    return (at == 0 || !letter(at - 1)) && !letter(at + word.size());
  };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (is_word(at)) text.replace(at, word.size(), by);
  }
}

std::string block(const std::string& name, const std::string& x, const std::string& y, bool masked) {
  std::string text = "self.block(" + x + ", " + y + (masked ? ", seen, live, " : ", None, None, ") +
                     attribute(name + ".mha.in_proj_weight") + ", " + attribute(name + ".mha.in_proj_bias");
  for (const char* part : {".mha.out_proj", ".ln1", ".ln2", ".ff.0", ".ff.2"}) text += ", " + linear_arguments(name + part);
  return text + ")";
}

std::string mlp(const std::string& x, const std::string& first, const std::string& last) {
  return "self.mlp(" + x + ", " + linear_arguments(first) + ", " + linear_arguments(last) + ")";
}

}  // namespace

std::string orbit_script_source(const OrbitPolicyConfig& config) {
  std::string text = kMethods;
  text += R"(
def forward(self, planets: Tensor, globals: Tensor, valid: Tensor, mine: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    some = valid.any(1, keepdim=True)
    seen = valid.logical_or(some.logical_not()).unsqueeze(1).unsqueeze(1)
    live = some.type_as(planets).unsqueeze(-1)
    exists = valid.type_as(planets).unsqueeze(-1)
    h = torch.linear(planets, self.backbone.in_proj.weight, self.backbone.in_proj.bias) * exists
)";
  for (int64_t l = 0; l < config.encoder_layers; ++l) {
    const std::string layer = "backbone.encoder." + std::to_string(l), i = "i" + std::to_string(l);
    const std::string inducing = attribute(layer + ".inducing") + ".expand(valid.size(0), -1, -1)";
    text += "    " + i + " = " + block(layer + ".mab1", inducing, "h", true) + "\n";
    text += "    h = " + block(layer + ".mab2", "h", i, false) + " * exists\n";
  }
  text += kHeads + 1;  // without the line break that the literal begins with
  char bias[40];
  std::snprintf(bias, sizeof bias, "%.17e", config.no_op_bias);
  const std::array<std::pair<const char*, std::string>, 9> words = {{
      {"POOL", block("backbone.pool.mab", "self.backbone.pool.seeds.expand(valid.size(0), -1, -1)", "h", true)},
      {"PSI", mlp("torch.cat([pooled, globals], -1)", "backbone.psi.0", "backbone.psi.2")},
      {"SRC", mlp("hc", "head_per_planet.src_proj.0", "head_per_planet.src_proj.3")},
      {"TGT", mlp("hc", "head_per_planet.tgt_proj.0", "head_per_planet.tgt_proj.3")},
      {"SHIP", mlp("hc", "head_per_planet.ship_head.0", "head_per_planet.ship_head.3")},
      {"VALUE", mlp("ctx", "value_head.net.0", "value_head.net.2")},
      {"NO_OP_BIAS", bias},
      {"H", std::to_string(config.hidden)},
      {"A", std::to_string(config.attn_heads)},
  }};
  for (const auto& [word, by] : words) replace(text, word, by);
  return text;
}

}  // namespace orbit
