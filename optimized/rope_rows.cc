// The idea: a model applies the same positions to q and k of every layer, and making rows costs a
// fifth of the copy of 32 heads. So the second of two calls with the same positions makes the rows
// once, and those after it read them. The key is the value of every position, and of nothing else:
// no shape, no address (the mistake `stale-table`). What else rows depend on is the plan's own. A
// call whose positions are new pays for a comparison and a copy of them, as one set is kept.
#include "gnomon/optimized/rope_rows.h"

#include <algorithm>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/tables.h"

namespace gnomon::optimized {

size_t KeptRows::MaxRows(size_t padded) {
  return static_cast<size_t>(Level2Bytes()) / (2 * padded * sizeof(float));
}

KeptRows::Rows KeptRows::Of(const RowSource& source, bool mirrored, const int64_t* positions,
                            size_t count) {
  const auto known = [&] {
    return std::equal(positions, positions + count, positions_.begin(), positions_.end());
  };
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!known()) {
      rows_.reset();
      positions_.assign(positions, positions + count);
      return nullptr;
    }
    if (rows_ != nullptr) return rows_;
  }
  const size_t padded = source.turns.padded(), stride = 2 * padded;
  const auto made = std::make_shared<AlignedArray<float>>(count * stride);
  float *cos = made->data(), *sin = cos + padded;
  source.Fill(positions, count, TableRows<float>{cos, sin, stride});
  for (size_t row = 0; mirrored && row < count; ++row)
    for (size_t i = 0; i < padded; ++i) sin[row * stride + i] = -sin[row * stride + i];
  const std::lock_guard<std::mutex> lock(mutex_);
  if (known()) rows_ = made;  // another thread may have come with others meanwhile
  return made;
}

}  // namespace gnomon::optimized
