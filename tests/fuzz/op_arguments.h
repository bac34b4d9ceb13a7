// Good arguments of every operator of the registry that writes into tensors, drawn at random.
#pragma once
#include <ATen/core/ivalue.h>
#include <random>
#include <set>
#include <string>
#include <vector>
#include "extensions/ops.h"

namespace orbit {

using Stack = std::vector<c10::IValue>;

extern std::mt19937_64 random_bits;
inline int64_t below(int64_t n) { return int64_t(random_bits() % uint64_t(n)); }
inline bool one_in(int64_t n) { return below(n) == 0; }

struct Games {
  std::vector<at::Tensor> bank, state;
  at::Tensor seats;
  MoveTensors moves;
};
// Good games, some turns old, to be copied: made once in a while, since boards cost milliseconds.
Games fresh_games();

std::set<std::string> operators_with_arguments(const Games& games);
Stack good_arguments(const std::string& name, const Games& games);

}  // namespace orbit
