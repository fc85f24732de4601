// Learned positions (Gehring et al. 2017, arXiv:1705.03122).
//
// Units: positions in tokens. Formats: f32, bf16, f16; any strides. Accuracy: rows keep their bits
// (LEARNED-1), sums are rounded from float32 (profile `standard`, spec/bounds.h). Errors:
// gnomon::Rejected for a position without a row.
#ifndef GNOMON_OPTIMIZED_LEARNED_H_
#define GNOMON_OPTIMIZED_LEARNED_H_

#include <vector>

#include "gnomon/spec/learned.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// mask [batch, token] or [token] -> the row of every token (LEARNED-4), row-major.
std::vector<int64_t> RowsFromMask(const gnomon::learned::LookupParameters& p,
                                  const ConstTensorView& mask);
// The same from positions (LEARNED-2).
std::vector<int64_t> RowsFromPositions(const gnomon::learned::LookupParameters& p,
                                       const ConstTensorView& positions);

// rows [.., token, width], one of the table for every token (LEARNED-1).
void LookUpRows(const ConstTensorView& table, const std::vector<int64_t>& row,
                const TensorView& rows);

// x, y [batch, token, width]: y = x + its row (LEARNED-3); fewer rows than tokens: the same for
// every batch. y is x's own memory, or does not overlap it.
void AddRows(const ConstTensorView& x, const ConstTensorView& table,
             const std::vector<int64_t>& row, const TensorView& y);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_LEARNED_H_
