// Tensors as views of stored bytes, without Torch.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>
#include "src/checkpoint/dtype.h"

namespace orbit {

// A run of bytes that tensors are views of: part of a mapped file, or memory of a tensor that is to be written.
struct Storage {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;  // keeps the bytes alive
  uint32_t crc = 0;                   // of a file's record; 0: not known (torch.save can leave it out)
  std::string source;                 // "FILE, record data/3", for messages
  mutable bool verified = false;

  // Compares the checksum, the first time only. Throws UserError.
  void verify() const;
};

// A tensor: sizes and strides in elements over a storage. From a file they are checked against the storage.
struct TensorView {
  DType dtype = DType::kFloat32;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::shared_ptr<const Storage> storage;
  bool requires_grad = false, is_parameter = false;
  std::string device = "cpu";  // where it lived when it was saved

  int64_t numel() const;
  bool is_contiguous() const;
};

// Throws DamagedFile unless sizes and strides are possible and the view lies within its storage.
void check_view(const TensorView& view);

// The elements' bytes in row-major order whatever the strides, a block at a time.
void for_each_block(const TensorView& view, const std::function<void(std::span<const uint8_t>)>& use);

}  // namespace orbit
