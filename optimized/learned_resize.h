// Resizing a learned table (spec/learned.md, LEARNED-8 to LEARNED-12).
//
// Units: rows and columns of the table. Formats: f32, bf16, f16; any strides. Accuracy: weights and
// sums in float32 (profile `standard`), weights rounded once. Errors: none; what is asked has been
// validated.
#ifndef GNOMON_OPTIMIZED_LEARNED_RESIZE_H_
#define GNOMON_OPTIMIZED_LEARNED_RESIZE_H_

#include <vector>

#include "gnomon/spec/learned_resize.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

struct WeightedInput {
  int64_t input;
  float weight;
};
// Of one output along one axis; inputs of weight 0 are left out.
std::vector<WeightedInput> WeightsAlong(const gnomon::learned::ResizeParameters& p,
                                        const gnomon::learned::ResizedAxis& axis, int64_t output);

// table [row, column, width] -> resized [row, column, width].
void ResizeTable(const gnomon::learned::ResizeParameters& p, const ConstTensorView& table,
                 const TensorView& resized);

// rows [token, width]: the row of each place of the grid (AXES-7).
void LookUpGrid(const ConstTensorView& table, const ConstTensorView& positions,
                const TensorView& rows);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_LEARNED_RESIZE_H_
