#include "src/checkpoint/safetensors.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/little_endian.h"
#include "src/checkpoint/mapped_file.h"
#include "src/checkpoint/tensor_view.h"
#include "src/common/atomic_file.h"
#include "src/common/error.h"

namespace orbit {
namespace {
using Json = nlohmann::ordered_json;
constexpr uint64_t kMaxHeader = 100'000'000;  // the limit of the format
constexpr uintptr_t kAlignment = 16;

Json parse_header(std::span<const uint8_t> text) {
  // The header's depth is at most three; the parser itself would recurse as deep as the file says.
  int depth = 0;
  for (uint8_t c : text) {
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (depth > 64) throw DamagedFile("its header is nested too deep");
  }
  Json header = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!header.is_object()) throw DamagedFile("its header is no JSON object");
  return header;
}

bool is_size(const Json& value) { return value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t(INT64_MAX); }

// {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
PtValue read_tensor(const Json& entry, const std::string& name, std::span<const uint8_t> data,
                    const std::shared_ptr<const void>& owner, const std::string& source) {
  const std::string quoted = "the tensor \"" + printable(name) + "\"";
  const bool has_parts = entry.is_object() && entry.contains("dtype") && entry["dtype"].is_string() &&
                         entry.contains("shape") && entry["shape"].is_array() && entry.contains("data_offsets") &&
                         entry["data_offsets"].is_array() && entry["data_offsets"].size() == 2;
  if (!has_parts || !std::all_of(entry["shape"].begin(), entry["shape"].end(), is_size) || !is_size(entry["data_offsets"][0]) ||
      !is_size(entry["data_offsets"][1])) {
    throw DamagedFile(quoted + " is not described by dtype, shape and data_offsets");
  }
  const auto dtype = dtype_by_safetensors(entry["dtype"].get<std::string>());
  if (!dtype) throw DamagedFile(quoted + " has the unknown dtype " + printable(entry["dtype"].get<std::string>()));
  const uint64_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
  if (begin > end || end > data.size()) throw DamagedFile(quoted + " lies outside of the file");

  Storage storage = {data.subspan(begin, end - begin), owner, 0, source + ", " + quoted};
  if (reinterpret_cast<uintptr_t>(storage.bytes.data()) % kAlignment != 0) {
    const auto copy = std::make_shared<std::vector<uint8_t>>(storage.bytes.begin(), storage.bytes.end());
    storage.bytes = *copy;
    storage.owner = copy;
  }
  TensorView view;
  view.dtype = *dtype;
  view.sizes = entry["shape"].get<std::vector<int64_t>>();
  view.strides.resize(view.sizes.size());
  int64_t stride = 1;
  for (size_t d = view.sizes.size(); d-- > 0;) {
    view.strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(view.sizes[d], 1), &stride))
      throw DamagedFile(quoted + " has an impossible shape");
  }
  view.storage = std::make_shared<Storage>(std::move(storage));
  check_view(view);
  if (uint64_t(view.numel()) * dtype_info(view.dtype).size != end - begin)
    throw DamagedFile(quoted + " has not as many bytes as its shape needs");
  return view;
}

std::string row_major_bytes(const TensorView& tensor) {
  std::string bytes;
  for_each_block(tensor, [&](std::span<const uint8_t> block) { bytes.append(block.begin(), block.end()); });
  return bytes;
}
}  // namespace

PtValue read_safetensors_bytes(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, const std::string& name) {
  if (bytes.size() < 8) throw DamagedFile("it is cut short");
  const uint64_t length = little64(bytes, 0);
  if (length > kMaxHeader || length > bytes.size() - 8) throw DamagedFile("its header reaches past its end");
  const Json header = parse_header(bytes.subspan(8, length));
  const auto data = bytes.subspan(8 + length);
  PtValue dict = PtValue::dict();
  std::vector<std::pair<uint64_t, uint64_t>> used;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") continue;
    dict.set(key, read_tensor(entry, key, data, owner, name));
    used.emplace_back(entry["data_offsets"][0], entry["data_offsets"][1]);
  }
  std::sort(used.begin(), used.end());
  for (size_t i = 1; i < used.size(); ++i) {
    if (used[i].first < used[i - 1].second) throw DamagedFile("two of its tensors overlap");
  }
  return dict;
}

PtValue read_safetensors(const std::string& path) {
  const auto file = MappedFile::open(path);
  try {
    return read_safetensors_bytes(file->bytes(), file, path);
  } catch (const DamagedFile& e) {
    throw UserError(path + ": cannot be read as a safetensors file: " + e.what() +
                    "; fetch it anew, or write it again with safetensors.torch.save_file");
  }
}

void write_safetensors(const std::string& path, const PtValue& value) {
  const std::string rule = path + ": a safetensors file holds a dict of tensors by name and nothing else; ";
  if (!value.is_dict()) throw UserError(rule + "this is " + std::string(value.kind_name()));
  Json header = Json::object();
  std::string data;
  for (const auto& [key, entry] : value.entries()) {
    if (!key.is_string() || !entry.is_tensor()) {
      const std::string name = key.is_string() ? "\"" + printable(key.as_string()) + "\"" : "a key that is no string";
      throw UserError(rule + name + " holds " + std::string(entry.kind_name()) + "; write the state_dict alone, or a .pt file");
    }
    const TensorView& tensor = entry.as_tensor_view();
    const DTypeInfo& type = dtype_info(tensor.dtype);
    if (type.safetensors.empty()) throw UserError(rule + "it has no dtype " + std::string(type.name));
    const size_t begin = data.size();
    data += row_major_bytes(tensor);
    header[key.as_string()] = {{"dtype", type.safetensors}, {"shape", tensor.sizes}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the data begins at a multiple of eight
  std::string start;
  put_little(start, uint64_t(text.size()));
  write_text_atomically(path, start + text + data);
}

}  // namespace orbit
