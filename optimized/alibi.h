// ALiBi (Press, Smith, Lewis 2022, arXiv:2108.12409): slopes, and the bias from the offset line.
//
// Units: positions in tokens, integers in [-2^31, 2^31). Formats: f32, bf16, f16; any strides.
// Accuracy: profile `standard` (ALIBI-5): float64 slopes, one rounding of the product to float32,
// and one to 16 bits. Errors: gnomon::Rejected.
#ifndef GNOMON_OPTIMIZED_ALIBI_H_
#define GNOMON_OPTIMIZED_ALIBI_H_

#include "gnomon/spec/alibi.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// slopes [heads] (ALIBI-1).
void FillAlibiSlopes(const AlibiSlopes& slopes, const TensorView& to);

// query_positions [(batch,) query], key_positions [(batch,) key] -> bias [(batch,) heads, query,
// key] (ALIBI-2, ALIBI-3). Shapes as spec/alibi.cc validates them.
void FillAlibiBias(const gnomon::alibi::BiasParameters& parameters,
                   const ConstTensorView& query_positions, const ConstTensorView& key_positions,
                   const TensorView& to);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ALIBI_H_
