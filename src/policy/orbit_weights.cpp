#include "src/policy/orbit_weights.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "envs/orbit_wars/limits.h"

namespace orbit {
namespace {

class Allocator {
 public:
  Allocator(int64_t hidden, std::vector<NamedTensor>& named, at::Device device) : h_(hidden), named_(named), device_(device) {}

  at::Tensor tensor(const std::string& name, at::IntArrayRef shape) {
    named_.emplace_back(name, at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device_)).requires_grad_(true));
    return named_.back().second;
  }

  LinearWeights linear(const std::string& name, int64_t in, int64_t out) {
    LinearWeights w;
    w.weight = tensor(name + ".weight", {out, in});
    w.bias = tensor(name + ".bias", {out});
    return w;
  }

  LinearWeights norm(const std::string& name) {
    LinearWeights w;
    w.weight = tensor(name + ".weight", {h_});
    w.bias = tensor(name + ".bias", {h_});
    return w;
  }

  BlockWeights block(const std::string& name) {
    BlockWeights w;
    w.in_proj.weight = tensor(name + ".mha.in_proj_weight", {3 * h_, h_});
    w.in_proj.bias = tensor(name + ".mha.in_proj_bias", {3 * h_});
    w.out_proj = linear(name + ".mha.out_proj", h_, h_);
    w.ln1 = norm(name + ".ln1");
    w.ln2 = norm(name + ".ln2");
    w.ff0 = linear(name + ".ff.0", h_, 2 * h_);
    w.ff2 = linear(name + ".ff.2", 2 * h_, h_);
    return w;
  }

 private:
  int64_t h_;
  std::vector<NamedTensor>& named_;
  at::Device device_;
};

void draw_block(Initialiser& draw, const BlockWeights& w) {
  draw.linear(w.out_proj);
  draw.xavier(w.in_proj.weight);
  w.in_proj.bias.zero_();
  w.out_proj.bias.zero_();
  for (const LinearWeights& norm : {w.ln1, w.ln2}) {
    norm.weight.fill_(1);
    norm.bias.zero_();
  }
  draw.linear(w.ff0);
  draw.linear(w.ff2);
}

}  // namespace

OrbitWeights allocate_weights(const OrbitPolicyConfig& config, std::vector<NamedTensor>& named, at::Device device) {
  const int64_t h = config.hidden;
  Allocator make(h, named, device);
  OrbitWeights w;
  w.in_proj = make.linear("backbone.in_proj", kPlanetFeatures, h);
  for (int64_t l = 0; l < config.encoder_layers; ++l) {
    const std::string name = "backbone.encoder." + std::to_string(l);
    InducedWeights& layer = w.encoder.emplace_back();
    layer.inducing = make.tensor(name + ".inducing", {1, config.inducing_points, h});
    layer.mab1 = make.block(name + ".mab1");
    layer.mab2 = make.block(name + ".mab2");
  }
  w.seeds = make.tensor("backbone.pool.seeds", {1, 1, h});
  w.pool = make.block("backbone.pool.mab");
  w.psi0 = make.linear("backbone.psi.0", h + kGlobalFeatures, h);
  w.psi2 = make.linear("backbone.psi.2", h, h);
  w.noop_query = make.tensor("head_per_planet.noop_query", {1, 1, h});
  w.src0 = make.linear("head_per_planet.src_proj.0", 2 * h, h);
  w.src3 = make.linear("head_per_planet.src_proj.3", h, h);
  w.tgt0 = make.linear("head_per_planet.tgt_proj.0", 2 * h, h);
  w.tgt3 = make.linear("head_per_planet.tgt_proj.3", h, h);
  w.pair = make.tensor("head_per_planet.pair_proj.weight", {h, h});
  w.ship0 = make.linear("head_per_planet.ship_head.0", 2 * h, h);
  w.ship3 = make.linear("head_per_planet.ship_head.3", h, 1);
  w.value0 = make.linear("value_head.net.0", h, h);
  w.value2 = make.linear("value_head.net.2", h, 1);
  w.log_std = make.tensor("ship_log_std.log_std", {1});
  return w;
}

void initialise_weights(const OrbitWeights& w, double ship_log_std, uint64_t seed) {
  at::NoGradGuard no_grad;
  Initialiser draw(seed);
  draw.linear(w.in_proj);
  for (const InducedWeights& layer : w.encoder) {
    draw.xavier(layer.inducing);
    draw_block(draw, layer.mab1);
    draw_block(draw, layer.mab2);
  }
  draw.xavier(w.seeds);
  draw_block(draw, w.pool);
  for (const LinearWeights& l : {w.psi0, w.psi2, w.src0, w.src3, w.tgt0, w.tgt3}) draw.linear(l);
  draw.linear({w.pair, {}});
  draw.xavier(w.noop_query);
  for (const LinearWeights& l : {w.ship0, w.ship3, w.value0, w.value2}) draw.linear(l);
  w.log_std.fill_(ship_log_std);
}

void initialise_orthogonal(const OrbitWeights& w, double ship_log_std, uint64_t seed) {
  at::NoGradGuard no_grad;
  initialise_weights(w, ship_log_std, seed);
  Initialiser draw(seed);
  const double gain = std::sqrt(2.0), small = 0.01;
  const auto block = [&](const BlockWeights& b) {
    for (int64_t part = 0; part < 3; ++part) draw.orthogonal({b.in_proj.weight.chunk(3)[size_t(part)], {}}, gain);
    for (const LinearWeights& l : {b.out_proj, b.ff0, b.ff2}) draw.orthogonal(l, gain);
  };
  draw.orthogonal(w.in_proj, gain);
  for (const InducedWeights& layer : w.encoder) {
    block(layer.mab1);
    block(layer.mab2);
  }
  block(w.pool);
  for (const LinearWeights& l : {w.psi0, w.psi2, w.src0, w.src3, w.tgt0, w.tgt3, w.ship0, w.value0}) draw.orthogonal(l, gain);
  draw.orthogonal({w.pair, {}}, small);
  draw.orthogonal(w.ship3, small);
  draw.orthogonal(w.value2, 1.0);
}

}  // namespace orbit
