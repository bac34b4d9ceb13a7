#include "src/checkpoint/checkpoint_file.h"
#include "src/checkpoint/pt_reader.h"
#include "src/checkpoint/pt_writer.h"
#include "src/checkpoint/safetensors.h"

namespace orbit {
namespace {
bool is_safetensors(const std::string& path) { return path.ends_with(".safetensors"); }
}  // namespace

PtValue read_checkpoint(const std::string& path) { return is_safetensors(path) ? read_safetensors(path) : read_pt(path); }

void write_checkpoint(const std::string& path, const PtValue& value) {
  if (is_safetensors(path)) {
    write_safetensors(path, value);
  } else {
    write_pt(path, value);
  }
}

}  // namespace orbit
