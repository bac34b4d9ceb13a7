// Reads NumPy's .npz archives (zip of .npy arrays, stored or deflated): fixtures of the parity checks and tests.
#pragma once
#include <zlib.h>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>
#include "src/common/error.h"

namespace orbit {

struct NpyArray {
  std::string dtype;  // as NumPy writes it, "<f8"
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  int64_t size() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
  }
  int64_t columns() const { return shape.size() < 2 ? 1 : size() / (shape[0] ? shape[0] : 1); }
  // Values converted to T.
  template <class T>
  std::vector<T> as() const {
    if (dtype == "<f8") return convert<T, double>();
    if (dtype == "<f4") return convert<T, float>();
    if (dtype == "<i8") return convert<T, int64_t>();
    if (dtype == "<i4") return convert<T, int32_t>();
    if (dtype == "|i1") return convert<T, int8_t>();
    if (dtype == "|b1" || dtype == "|u1") return convert<T, uint8_t>();
    throw UserError("an array of dtype " + dtype + ", expected numbers");
  }
  // Rows of an array of ASCII strings ("<U19": 19 UTF-32 characters).
  std::vector<std::string> strings() const {
    if (dtype.substr(0, 2) != "<U") throw UserError("an array of dtype " + dtype + ", expected strings");
    const size_t length = std::stoul(dtype.substr(2));
    std::vector<std::string> out(static_cast<size_t>(size()));
    for (size_t i = 0; i < out.size(); ++i)
      for (size_t k = 0; k < length && bytes[(i * length + k) * 4]; ++k) out[i] += bytes[(i * length + k) * 4];
    return out;
  }

 private:
  template <class T, class S>
  std::vector<T> convert() const {
    std::vector<T> out(static_cast<size_t>(size()));
    if (bytes.size() < out.size() * sizeof(S)) throw UserError("an array is shorter than its shape says");
    for (size_t i = 0; i < out.size(); ++i) {
      S v;
      std::memcpy(&v, &bytes[i * sizeof(S)], sizeof(S));
      out[i] = T(v);
    }
    return out;
  }
};

class Npz {
 public:
  explicit Npz(const std::string& path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw UserError(path + ": cannot be opened");
    file_.assign(std::istreambuf_iterator<char>(in), {});
    read_directory();
  }

  const NpyArray& at(const std::string& name) const {
    const auto it = arrays_.find(name);
    if (it == arrays_.end()) throw UserError(path_ + ": holds no array " + name);
    return it->second;
  }
  bool has(const std::string& name) const { return arrays_.count(name) != 0; }
  template <class T>
  std::vector<T> as(const std::string& name) const { return at(name).as<T>(); }

 private:
  [[noreturn]] void damaged(const std::string& what) const { throw UserError(path_ + ": damaged .npz file (" + what + ")"); }
  template <class T>
  T read(size_t at) const {
    if (at + sizeof(T) > file_.size()) damaged("it ends early");
    T v;
    std::memcpy(&v, &file_[at], sizeof v);
    return v;
  }

  // The zip's list of members stands at the end of the file; offsets as in the zip specification, section 4.3.
  void read_directory() {
    size_t end = file_.size() < 22 ? 0 : file_.size() - 22;
    while (end > 0 && read<uint32_t>(end) != 0x06054b50) --end;
    if (end == 0) damaged("no zip directory");
    size_t entry = read<uint32_t>(end + 16);
    for (int left = read<uint16_t>(end + 10); left > 0; --left) {
      if (read<uint32_t>(entry) != 0x02014b50) damaged("bad directory entry");
      const size_t name = read<uint16_t>(entry + 28), extra = read<uint16_t>(entry + 30), note = read<uint16_t>(entry + 32);
      if (entry + 46 + name > file_.size()) damaged("it ends early");
      std::string member(&file_[entry + 46], name);
      if (member.size() > 4) member.resize(member.size() - 4);  // ".npy"
      arrays_[member] = parse(unpack(read<uint32_t>(entry + 42), read<uint16_t>(entry + 10), read<uint32_t>(entry + 20),
                                     read<uint32_t>(entry + 24)));
      entry += 46 + name + extra + note;
    }
  }
  std::vector<char> unpack(size_t header, int method, size_t packed, size_t plain) const {
    const size_t data = header + 30 + read<uint16_t>(header + 26) + read<uint16_t>(header + 28);
    if (data + packed > file_.size()) damaged("it ends early");
    if (method == 0) return {file_.begin() + long(data), file_.begin() + long(data + packed)};
    std::vector<char> out(plain);
    z_stream z{};
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(&file_[data]));
    z.avail_in = uInt(packed);
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = uInt(plain);
    if (method != 8 || inflateInit2(&z, -MAX_WBITS) != Z_OK) damaged("unknown compression");
    const int status = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    if (status != Z_STREAM_END) damaged("a member does not unpack");
    return out;
  }
  // "\x93NUMPY", version, length of the header, a Python dict literal, the values.
  NpyArray parse(const std::vector<char>& npy) const {
    if (npy.size() < 12 || std::memcmp(npy.data(), "\x93NUMPY", 6) != 0) damaged("a member is no .npy array");
    uint32_t length = 0;
    const size_t start = npy[6] == 1 ? 10 : 12;
    std::memcpy(&length, &npy[8], start - 8);
    if (start + length > npy.size()) damaged("a member ends early");
    const std::string header(&npy[start], length);
    NpyArray a;
    const size_t descr = header.find("'descr': '") + 10, shape = header.find("'shape': (") + 10;
    a.dtype = header.substr(descr, header.find('\'', descr) - descr);
    if (header.find("'fortran_order': True") != std::string::npos) damaged("column order is not supported");
    for (size_t i = shape; header[i] != ')';) {
      size_t used = 0;
      a.shape.push_back(std::stoll(header.substr(i), &used));
      i += used;
      while (header[i] == ',' || header[i] == ' ') ++i;
    }
    a.bytes.assign(npy.begin() + long(start + length), npy.end());
    return a;
  }

  std::string path_;
  std::vector<char> file_;
  std::map<std::string, NpyArray> arrays_;
};

}  // namespace orbit
