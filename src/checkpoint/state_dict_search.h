// Where in a checkpoint the parameters are. Knows no Torch.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "src/checkpoint/pt_value.h"

namespace orbit {

// The rules stand at find_state_dict in named_weights.h. The values are tensors.
std::vector<std::pair<std::string, PtValue>> search_state_dict(const PtValue& value, const std::string& file,
                                                               const std::string& key);

// The value under "a.b.c", where a key may itself hold dots; null if there is none.
const PtValue* find_path(const PtValue& value, std::string_view key);

}  // namespace orbit
