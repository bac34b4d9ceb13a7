#include "src/checkpoint/pickler.h"
#include <bit>
#include "src/checkpoint/little_endian.h"
#include "src/common/error.h"

namespace orbit {

std::string Pickler::dump(const PtValue& value) {
  out_ = "\x80\x02";
  write(value);
  out_ += '.';
  return std::move(out_);
}

void Pickler::write(const PtValue& value) {
  using Kind = PtValue::Kind;
  switch (value.kind()) {
    case Kind::kNone: out_ += 'N'; return;
    case Kind::kBool: out_ += value.as_bool() ? '\x88' : '\x89'; return;
    case Kind::kInt: return write_integer(value.as_int());
    case Kind::kBigInt: return write_long(value.as_bytes());
    case Kind::kDouble: return write_double(value.as_double());
    case Kind::kString: return write_string(value.as_string());
    case Kind::kBytes: return write_bytes(value.as_bytes());
    case Kind::kList: return write_items(value.items(), ']', 'e');
    case Kind::kTuple: return write_tuple(value.items());
    case Kind::kDict: return write_dict(value.entries());
    case Kind::kTensor: return write_tensor(value.as_tensor_view());
    case Kind::kOpaque: return write_opaque(value);
  }
}

void Pickler::write_global(const char* module, const char* name) {
  out_ += 'c';
  out_ += module;
  out_ += '\n';
  out_ += name;
  out_ += '\n';
}

void Pickler::write_integer(int64_t value) {
  if (value >= 0 && value < 0x100) {
    out_ += 'K';
    out_ += char(value);
  } else if (value >= 0 && value < 0x10000) {
    out_ += 'M';
    put_little(out_, uint16_t(value));
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    out_ += 'J';
    put_little(out_, uint32_t(value));
  } else {
    std::string bytes;
    put_little(bytes, uint64_t(value));
    write_long(bytes);
  }
}

void Pickler::write_long(const std::string& bytes) {
  if (bytes.size() > 255)
    throw UserError("an integer of more than 255 bytes cannot be written so that weights_only=True reads it");
  out_ += '\x8a';
  out_ += char(bytes.size());
  out_ += bytes;
}

void Pickler::write_double(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  out_ += 'G';
  for (int shift = 56; shift >= 0; shift -= 8) out_ += char(bits >> shift);
}

void Pickler::write_string(const std::string& utf8) {
  if (utf8.size() > UINT32_MAX) throw UserError("a string of 4 GiB or more cannot be written");
  out_ += 'X';
  put_little(out_, uint32_t(utf8.size()));
  out_ += utf8;
}

// Protocol 2 has no bytes: they are written as the Latin-1 string with the same numbers.
void Pickler::write_bytes(const std::string& raw) {
  std::string utf8;
  for (char c : raw) {
    const auto byte = uint8_t(c);
    if (byte >= 0x80) utf8 += char(0xC0 | byte >> 6);
    utf8 += char(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
  }
  write_global("_codecs", "encode");
  write_string(utf8);
  write_string("latin1");
  out_ += "\x86R";
}

void Pickler::write_items(const PtValue::Items& items, char opening, char closing) {
  out_ += opening;
  if (items.empty()) return;
  out_ += '(';
  for (const PtValue& item : items) write(item);
  out_ += closing;
}

void Pickler::write_tuple(const PtValue::Items& items) {
  if (items.empty()) {
    out_ += ')';
    return;
  }
  out_ += '(';
  for (const PtValue& item : items) write(item);
  out_ += 't';
}

void Pickler::write_dict(const PtValue::Entries& entries) {
  out_ += '}';
  if (entries.empty()) return;
  out_ += '(';
  for (const auto& [key, value] : entries) {
    write(key);
    write(value);
  }
  out_ += 'u';
}

void Pickler::write_integers(const std::vector<int64_t>& numbers) {
  out_ += '(';
  for (int64_t number : numbers) write_integer(number);
  out_ += 't';
}

void Pickler::write_tensor(const TensorView& tensor) {
  const DTypeInfo& type = dtype_info(tensor.dtype);
  const bool typed = !type.storage.empty();
  if (tensor.is_parameter) {
    write_global("torch._utils", "_rebuild_parameter");
    out_ += '(';
  }
  write_global("torch._utils", typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
  out_ += '(';
  write_storage(tensor);
  write_integer(tensor.offset);
  write_integers(tensor.sizes);
  write_integers(tensor.strides);
  const char requires_grad = tensor.requires_grad ? '\x88' : '\x89';
  out_ += tensor.is_parameter ? '\x89' : requires_grad;
  write_global("collections", "OrderedDict");  // no hooks
  out_ += ")R";
  if (!typed) write_global("torch", std::string(type.name).c_str());
  out_ += "tR";
  if (!tensor.is_parameter) return;
  out_ += requires_grad;
  write_global("collections", "OrderedDict");
  out_ += ")RtR";
}

void Pickler::write_storage(const TensorView& tensor) {
  const DTypeInfo& type = dtype_info(tensor.dtype);
  const bool typed = !type.storage.empty();
  const std::span<const uint8_t> bytes = tensor.storage->bytes;
  auto& known =
      keys_.try_emplace({bytes.empty() ? nullptr : bytes.data(), bytes.size(), type.storage}, storages_.size()).first->second;
  if (bytes.empty()) known = storages_.size();  // Python shares no empty storages
  if (known == storages_.size()) storages_.push_back(tensor.storage);
  out_ += '(';
  write_string("storage");
  if (typed) {
    write_global("torch", std::string(type.storage).c_str());
  } else {
    write_global("torch.storage", "UntypedStorage");
  }
  write_string(std::to_string(known));
  write_string("cpu");
  write_integer(int64_t(bytes.size() / (typed ? type.size : 1)));
  out_ += "tQ";
}

// The few classes that weights_only=True accepts.
void Pickler::write_opaque(const PtValue& value) {
  const std::string& name = value.class_name();
  const PtValue::Items& parts = value.items();
  const bool is_dtype = parts.empty() && name.starts_with("torch.") && dtype_by_name(std::string_view(name).substr(6));
  const bool is_device = name == "torch.device", is_builtin = name == "builtins.set" || name == "builtins.complex";
  if (!is_dtype && !is_device && !is_builtin) {
    throw UserError("an object of class " + printable(name) +
                    " cannot be written so that weights_only=True reads it; leave it out");
  }
  const size_t dot = name.find('.');
  write_global(is_builtin ? "__builtin__" : "torch", name.substr(dot + 1).c_str());
  if (is_dtype) return;
  write_tuple(parts.empty() && name == "builtins.set" ? PtValue::Items{PtValue::list()} : parts);
  out_ += 'R';
}

}  // namespace orbit
