// Parameters by name: finds the state_dict in a checkpoint, and copies it into a model or says all that stands in the way.
#pragma once
#include <ATen/core/Tensor.h>
#include <string>
#include <utility>
#include <vector>
#include "src/checkpoint/pt_value.h"

namespace orbit {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// The state_dict that the value is or holds: under model, model_state_dict, state_dict, policy and the like, else under the one
// key that holds a dict of tensors, else the state of a pickled module. `key` ("ema" or "outer.model") names it where several
// fit; without it that is a UserError that names them. Prefixes of wrappers (module., _orig_mod.) are removed.
// `file` is for messages only.
NamedTensors find_state_dict(const PtValue& value, const std::string& file, const std::string& key = "");

// read_checkpoint (.pt or .safetensors) and find_state_dict.
NamedTensors read_state_dict(const std::string& file, const std::string& key = "");

std::vector<std::string> names_of(const NamedTensors& tensors);

// The parameters as a dict of tensors for pt_writer.h.
PtValue state_dict_value(const NamedTensors& parameters);

// Copies `source` into the tensors of `target` by name. Names of `target` that begin with one of `may_be_missing` may be
// absent, all of them or none; the absent ones are returned. Any other missing name, an unexpected name, another shape or kind
// of number: one UserError line that lists them all, and nothing is copied.
std::vector<std::string> load_by_name(const NamedTensors& target, const NamedTensors& source,
                                      const std::vector<std::string>& may_be_missing, const std::string& file);

}  // namespace orbit
