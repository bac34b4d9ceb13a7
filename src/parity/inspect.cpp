#include "src/parity/inspect.h"
#include <cstdio>
#include <optional>
#include <unordered_set>
#include "src/checkpoint/checkpoint_file.h"
#include "src/checkpoint/describe.h"
#include "src/checkpoint/pt_writer.h"
#include "src/checkpoint/state_dict_search.h"
#include "src/common/atomic_file.h"
#include "src/common/error.h"
#include "src/parity/policy_fit.h"

namespace orbit {
namespace {
struct Totals {
  size_t tensors = 0;
  int64_t numbers = 0;
};

// Every tensor's storage is compared with its checksum.
void count(const PtValue& value, Totals& totals) {
  using Kind = PtValue::Kind;
  if (value.is_tensor()) {
    value.as_tensor_view().storage->verify();
    ++totals.tensors;
    totals.numbers += value.as_tensor_view().numel();
  } else if (value.is_dict()) {
    for (const auto& [key, entry] : value.entries()) count(entry, totals);
  } else if (value.kind() == Kind::kList || value.kind() == Kind::kTuple || value.kind() == Kind::kOpaque) {
    for (const PtValue& item : value.items()) count(item, totals);
  }
}

std::string numbered(size_t count, int64_t numbers) {
  return std::to_string(count) + (count == 1 ? " tensor, " : " tensors, ") + std::to_string(numbers) + " numbers";
}

// What loading by name would take from the file, or why it could not.
struct Weights {
  std::string line;
  std::optional<PolicyFit> fit;
};

Weights weights_in(const PtValue& value, const InspectRequest& request) {
  try {
    int64_t numbers = 0;
    const auto weights = search_state_dict(value, request.file, request.key);
    for (const auto& [name, tensor] : weights) numbers += tensor.as_tensor_view().numel();
    return {"weights: " + numbered(weights.size(), numbers), fit_orbit_policy(weights)};
  } catch (const UserError& e) {
    if (!request.key.empty()) throw;
    return {"weights: " + std::string(e.what()).substr(request.file.size() + 2), {}};
  }
}
}  // namespace

int inspect(const InspectRequest& request) {
  const PtValue value = read_checkpoint(request.file);
  Totals totals;
  count(value, totals);
  const Weights weights = weights_in(value, request);
  if (!request.json.empty()) {
    const std::string json = describe_as_json_lines(value) + (weights.fit ? weights.fit->json_line() : "");
    if (request.json == "-") {
      std::fwrite(json.data(), 1, json.size(), stdout);
    } else {
      write_text_atomically(request.json, json);
    }
  }
  if (request.json != "-") {
    const std::string text = describe_as_text(value);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::printf("%s: %s\n%s\n", printable(request.file).c_str(), numbered(totals.tensors, totals.numbers).c_str(),
                printable(weights.line).c_str());
    if (weights.fit) std::printf("policy: %s\n", printable(weights.fit->text()).c_str());
  }
  if (!request.rewrite.empty()) write_checkpoint(request.rewrite, value);
  return 0;
}

}  // namespace orbit
