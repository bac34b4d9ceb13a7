// What a board bank is made of: name, dtype and shape of each tensor, in order.
#pragma once
#include <ATen/core/Tensor.h>
#include <vector>

namespace orbit {

struct BankField {
  const char* name;
  at::ScalarType dtype;
  std::vector<int64_t> shape;  // of one board

  std::vector<int64_t> shape_of(int64_t boards) const {
    std::vector<int64_t> all{boards};
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
  }
};

std::vector<BankField> bank_fields(int64_t path_rows);

}  // namespace orbit
