// Rows of cosines and sines that a plan keeps from one call to the next.
#ifndef GNOMON_OPTIMIZED_ROPE_ROWS_H_
#define GNOMON_OPTIMIZED_ROPE_ROWS_H_

#include <memory>
#include <mutex>
#include <vector>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/scaled_rows.h"

namespace gnomon::optimized {

// Threads may share it. All calls must have the same `source` and `mirrored`: those of one plan.
class KeptRows {
 public:
  // Row i, of positions[i]: padded() cosines, then padded() sines. Not written once shared.
  using Rows = std::shared_ptr<AlignedArray<float>>;

  // More rows than this, which fill the second level, are never kept, nor are their positions:
  // measured, reading them again gains nothing over making them.
  static size_t MaxRows(size_t padded);

  // The rows of `positions`, correctly rounded, sines negated with `mirrored` (ROPE-6); null unless
  // the call before had these very positions. count: at most MaxRows().
  Rows Of(const RowSource& source, bool mirrored, const int64_t* positions, size_t count);

 private:
  std::mutex mutex_;
  std::vector<int64_t> positions_;  // of the last call
  Rows rows_;                       // of positions_, or null
};

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROPE_ROWS_H_
