#include "src/checkpoint/pt_writer.h"
#include <string_view>
#include "src/checkpoint/pickler.h"
#include "src/checkpoint/zip_writer.h"
#include "src/common/atomic_file.h"

namespace orbit {
namespace {
std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
}  // namespace

// The folder in the archive has a fixed name, since torch.save's would be the file's.
void write_pt(const std::string& path, const PtValue& value) {
  Pickler pickler;
  const std::string pickle = pickler.dump(value);
  write_atomically(path, [&](const std::string& temporary) {
    ZipWriter zip(temporary);
    zip.add("archive/data.pkl", as_bytes(pickle));
    zip.add("archive/byteorder", as_bytes("little"));
    for (size_t i = 0; i < pickler.storages().size(); ++i)
      zip.add("archive/data/" + std::to_string(i), pickler.storages()[i]->bytes);
    zip.add("archive/version", as_bytes("3\n"));
    zip.finish();
  });
}

}  // namespace orbit
