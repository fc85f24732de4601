#include "gnomon/oracle/memory_layout.h"

#include <algorithm>
#include <vector>

#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

// A file of a few bytes must not ask for more memory than this, in elements of storage: 2^24 are
// enough for 255 rows so far apart that 16 bits do not count the elements between two.
int64_t LargestExtent(int64_t count) { return 64 * count + (int64_t{1} << 24); }

}  // namespace

Tensor LayOut(const ConstTensorView& elements, const MemoryLayout& layout,
              const std::string& role) {
  const auto refuse = [&](const std::string& value, const std::string& why) {
    throw Rejected("memory of " + role, value, why, "CASE-7");
  };
  if (layout.strides.size() != elements.rank())
    refuse(std::to_string(layout.strides.size()) + " strides",
           "must have one an axis, " + std::to_string(elements.rank()));
  const int64_t count = elements.count(), most = LargestExtent(count);
  if (layout.extent < 0 || layout.extent > most)
    refuse("extent " + std::to_string(layout.extent), "must be from 0 to " + std::to_string(most));
  if (layout.origin < 0 || layout.origin > layout.extent)
    refuse("origin " + std::to_string(layout.origin), "lies outside the extent");
  int64_t low = layout.origin, high = layout.origin;
  for (size_t i = 0; i < layout.strides.size() && count > 0; ++i) {
    const int64_t steps = elements.shape[i] - 1, stride = layout.strides[i];
    if (steps == 0) continue;
    if (stride > most / steps || stride < -most / steps) low = -1;
    if (low >= 0) (stride < 0 ? low : high) += stride * steps;
    if (low < 0 || high >= layout.extent) break;
  }
  if (count > 0 && (low < 0 || high >= layout.extent))
    refuse("extent " + std::to_string(layout.extent), "does not hold every element");

  Tensor tensor(elements.dtype, elements.shape, layout.strides, layout.origin, layout.extent);
  std::fill(tensor.storage().begin(), tensor.storage().end(), std::byte{0xff});
  std::vector<bool> written(static_cast<size_t>(layout.extent));
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = BitsAt(elements, i);
    const size_t place = static_cast<size_t>(layout.origin + tensor.view().OffsetOf(i));
    if (written[place] && BitsAt(tensor.view(), i) != bits)
      refuse("element " + std::to_string(i), "shares memory with another that differs");
    written[place] = true;
    tensor.SetBits(i, bits);
  }
  return tensor;
}

}  // namespace gnomon::oracle
