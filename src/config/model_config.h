// Settings of the network: the section `model`.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "src/config/field.h"

namespace orbit {

// The network of small environments: layers of equal kind, then a head for the actions and one for the value.
struct MlpConfig {
  std::vector<int> hidden_sizes = {64, 64};
  std::string activation = "tanh";
  std::string trunk = "separate";
  std::string init = "orthogonal";
  double log_std_init = 0.0;
  bool squash = false;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("hidden_sizes", hidden_sizes, between(1, 65536), "widths of the hidden layers");
    v.field("activation", activation, Choices{"tanh", "relu"}, "after each hidden layer");
    v.field("trunk", trunk, Choices{"separate", "shared"}, "actor and critic have hidden layers of their own, or the same");
    v.field("init", init, Choices{"orthogonal", "pytorch"}, "how new weights are drawn: orthogonal matrices, or PyTorch's defaults");
    v.field("log_std_init", log_std_init, between(-10, 10), "continuous actions: start of the log standard deviation");
    v.field("squash", squash, "continuous actions: through tanh into their bounds; false: a plain Gaussian, which the environment clips");
  }
};

// A network with a memory for small environments: a layer, a gated recurrent unit, then a head for the actions and one for the value.
struct RnnConfig {
  int hidden = 64;
  int memory = 64;
  int sequence_length = 16;
  std::string activation = "tanh";
  std::string init = "orthogonal";
  double log_std_init = 0.0;
  bool squash = false;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("hidden", hidden, between(1, 65536), "width of the layer before the unit");
    v.field("memory", memory, between(1, 65536), "width of the unit's state");
    v.field("sequence_length", sequence_length, at_least(1),
            "steps that gradients go back through; divides training.horizon, and training.minibatch_size is a multiple of it");
    v.field("activation", activation, Choices{"tanh", "relu"}, "after the first layer");
    v.field("init", init, Choices{"orthogonal", "pytorch"}, "how new weights are drawn: orthogonal matrices, or PyTorch's defaults");
    v.field("log_std_init", log_std_init, between(-10, 10), "continuous actions: start of the log standard deviation");
    v.field("squash", squash, "continuous actions: through tanh into their bounds; false: a plain Gaussian, which the environment clips");
  }
};

// The network: the released policy of Orbit Wars, whose keys stand here, an mlp, or an rnn.
struct ModelConfig {
  std::optional<std::string> kind;
  int hidden = 192;
  int attn_heads = 8;
  int inducing_points = 24;
  int encoder_layers = 4;
  double head_dropout = 0.0;
  double ship_log_std_init = 0.5;
  double no_op_bias = 8.0;
  std::string init = "pytorch";
  std::optional<MlpConfig> mlp;
  std::optional<RnnConfig> rnn;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("kind", kind, Choices{"orbit_v1", "mlp", "rnn"}, "null: orbit_v1 for orbit_wars, mlp for all others");
    v.field("hidden", hidden, between(1, 4096), "width of the network; a multiple of attn_heads");
    v.field("attn_heads", attn_heads, between(1, 256), "attention heads");
    v.field("inducing_points", inducing_points, between(1, 1024),
            "learned queries through which the planets exchange information");
    v.field("encoder_layers", encoder_layers, between(1, 64), "attention layers over the planets");
    v.field("head_dropout", head_dropout, between(0, 0.99), "dropout in the heads, in updates only");
    v.field("ship_log_std_init", ship_log_std_init, between(-10, 10), "start of the log standard deviation of log1p(ships)");
    v.field("no_op_bias", no_op_bias, between(-1000, 1000), "subtracted from the logit of doing nothing");
    v.field("init", init, Choices{"pytorch", "orthogonal"}, "how new weights are drawn: PyTorch's defaults, or orthogonal matrices");
    v.section("mlp", mlp, "the network where kind is mlp; null: its defaults");
    v.section("rnn", rnn, "the network where kind is rnn; null: its defaults");
  }
};

}  // namespace orbit
