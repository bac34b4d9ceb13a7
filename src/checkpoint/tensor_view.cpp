#include "src/checkpoint/tensor_view.h"
#include <algorithm>
#include <limits>
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/zip_archive.h"
#include "src/common/error.h"

namespace orbit {
namespace {
// A view may repeat its elements (stride 0, as expand makes them); it may not pose as more memory than this because of it.
constexpr int64_t kMaxRepeated = int64_t(64) << 20;
}  // namespace

void Storage::verify() const {
  if (crc != 0 && !verified && crc32_of(bytes) != crc)
    throw UserError(source + ": the checksum is wrong, the file is damaged; fetch it anew");
  verified = true;
}

int64_t TensorView::numel() const {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

bool TensorView::is_contiguous() const {
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[d] != expected) return numel() == 0;
    expected *= sizes[d];
  }
  return true;
}

void check_view(const TensorView& view) {
  if (view.sizes.size() != view.strides.size()) throw DamagedFile("a tensor has not as many strides as sizes");
  if (view.sizes.size() > 64) throw DamagedFile("a tensor has more than 64 dimensions");
  const int64_t element = dtype_info(view.dtype).size;
  // `volume`: bytes of the sizes other than 0, which Torch multiplies too; `last`: place of the last element.
  int64_t volume = element, last = view.offset;
  bool fits = view.offset >= 0, empty = false;
  for (size_t d = 0; fits && d < view.sizes.size(); ++d) {
    const int64_t size = view.sizes[d], stride = view.strides[d];
    int64_t reach = 0;
    fits = size >= 0 && stride >= 0 && !__builtin_mul_overflow(volume, std::max<int64_t>(size, 1), &volume) &&
           !__builtin_mul_overflow(std::max<int64_t>(size - 1, 0), stride, &reach) &&
           !__builtin_add_overflow(last, reach, &last);
    empty = empty || size == 0;
  }
  int64_t end = 0;
  fits = fits && last < std::numeric_limits<int64_t>::max() && !__builtin_mul_overflow(last + 1, element, &end);
  if (!fits) throw DamagedFile("a tensor has impossible sizes, strides or offset");
  const int64_t stored = int64_t(view.storage->bytes.size());
  if (empty) return;
  if (end > stored) {
    throw DamagedFile("a tensor reaches to byte " + std::to_string(end) + " of a storage of " + std::to_string(stored));
  }
  if (volume > stored && volume > kMaxRepeated)
    throw DamagedFile("a tensor repeats a small storage into " + std::to_string(volume) + " bytes");
}

void for_each_block(const TensorView& view, const std::function<void(std::span<const uint8_t>)>& use) {
  const size_t element = dtype_info(view.dtype).size;
  const int64_t count = view.numel();
  if (count == 0) return;
  const uint8_t* start = view.storage->bytes.data() + size_t(view.offset) * element;
  if (view.is_contiguous()) return use({start, size_t(count) * element});
  std::vector<uint8_t> block;
  std::vector<int64_t> place(view.sizes.size());
  int64_t at = 0;  // elements from the start
  for (int64_t i = 0; i < count; ++i) {
    block.insert(block.end(), start + size_t(at) * element, start + (size_t(at) + 1) * element);
    if (block.size() >= 65536 || i + 1 == count) {
      use(block);
      block.clear();
    }
    for (size_t d = place.size(); d-- > 0;) {  // the next place in row-major order
      at += view.strides[d];
      if (++place[d] < view.sizes[d]) break;
      at -= view.strides[d] * view.sizes[d];
      place[d] = 0;
    }
  }
}

}  // namespace orbit
