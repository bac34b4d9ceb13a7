// libFuzzer: any bytes as a .pt file, as a .safetensors file and as a bare pickle. Only refusals may come out of it.
#include <memory>
#include <vector>
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/describe.h"
#include "src/checkpoint/pt_reader.h"
#include "src/checkpoint/safetensors.h"
#include "src/checkpoint/state_dict_search.h"
#include "src/checkpoint/unpickler.h"
#include "src/common/error.h"

namespace {
template <typename Read>
void attempt(const Read& read) {
  try {
    const orbit::PtValue value = read();
    orbit::describe_as_text(value, 100'000);
    orbit::describe_as_json_lines(value, 100'000);
    orbit::search_state_dict(value, "fuzz", "");
  } catch (const orbit::DamagedFile&) {
  } catch (const orbit::UserError&) {
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::make_shared<std::vector<uint8_t>>(data, data + size);
  attempt([&] { return orbit::read_pt_bytes(*bytes, bytes, "fuzz"); });
  attempt([&] { return orbit::read_safetensors_bytes(*bytes, bytes, "fuzz"); });
  const auto storage = std::make_shared<orbit::Storage>(orbit::Storage{*bytes, bytes, 0, "fuzz"});
  attempt([&] { return orbit::Unpickler(*bytes, [&](std::string_view, uint8_t) { return storage; }).load(); });
  return 0;
}
