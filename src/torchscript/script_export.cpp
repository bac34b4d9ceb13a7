#include "src/torchscript/script_export.h"

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <sstream>

#include "src/common/atomic_file.h"

namespace orbit {
namespace {

// The modules between the root and the parameters, as the dots in the names part them. Each has a type of its own.
struct Part {
  std::map<std::string, Part> children;
  std::vector<NamedTensor> parameters, buffers;
};

struct Place {
  Part* part;
  std::string name;  // in it
};
Place place_of(const std::string& name, Part& root) {
  Part* part = &root;
  size_t at = 0;
  for (size_t dot = name.find('.'); dot != name.npos; at = dot + 1, dot = name.find('.', at))
    part = &part->children[name.substr(at, dot - at)];
  return {part, name.substr(at)};
}

Part parts_of(const Policy& policy) {
  Part root;
  const auto copy = [](const at::Tensor& t) { return t.detach().cpu().clone(); };
  for (const auto& [name, tensor] : policy.named_parameters()) {
    const Place place = place_of(name, root);
    place.part->parameters.emplace_back(place.name, copy(tensor).requires_grad_(true));
  }
  for (const auto& [name, tensor] : policy.named_buffers()) {
    const Place place = place_of(name, root);
    place.part->buffers.emplace_back(place.name, copy(tensor));
  }
  return root;
}

torch::jit::Module build(const Part& part, const std::shared_ptr<torch::jit::CompilationUnit>& unit, const std::string& type) {
  torch::jit::Module module(c10::QualifiedName(type), unit, /*shouldMangle=*/true);
  module.register_attribute("training", c10::BoolType::get(), false);  // Python's modules have it, scripted ones too
  for (const auto& [name, tensor] : part.parameters) module.register_parameter(name, tensor, /*is_buffer=*/false);
  for (const auto& [name, tensor] : part.buffers) module.register_parameter(name, tensor, /*is_buffer=*/true);
  for (const auto& [name, child] : part.children) module.register_module(name, build(child, unit, "__torch__.orbit_train.Part"));
  return module;
}

}  // namespace

void write_torchscript(const std::string& path, const std::string& source, const Policy& policy) {
  torch::jit::Module module = build(parts_of(policy), std::make_shared<torch::jit::CompilationUnit>(), "__torch__.orbit_train.Policy");
  module.define(source);
  module.eval();
  std::ostringstream out;  // a stream and not the path: the name of a temporary file would stand in the archive
  module.save(out);
  write_text_atomically(path, out.str());
}

}  // namespace orbit
