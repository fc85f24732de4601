// Relative position vectors (Shaw et al. 2018, arXiv:1803.02155), the skew of Huang et al. 2019
// (arXiv:1809.04281) and the shift of Dai et al. 2019 (arXiv:1901.02860).
//
// Units: positions in tokens, integers in [-2^31, 2^31). Formats: f32, bf16, f16; any strides.
// Accuracy: profile `standard` (spec/bounds.h); what is moved keeps its bits. Errors:
// gnomon::Rejected.
#ifndef GNOMON_OPTIMIZED_RELATIVE_H_
#define GNOMON_OPTIMIZED_RELATIVE_H_

#include "gnomon/spec/relative.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// q [m, head_dim], k [n, head_dim], table [2K + 1, head_dim], positions m [m], n [n] ->
// scores [m, n] (REL-3).
void RelativeScores(const gnomon::relative::VectorParameters& p, const ConstTensorView& q,
                    const ConstTensorView& k, const ConstTensorView& table,
                    const ConstTensorView& m, const ConstTensorView& n, const TensorView& scores);

// weights [m, n], v [n, head_dim], table, m, n -> y [m, head_dim] (REL-4).
void RelativeValues(const gnomon::relative::VectorParameters& p, const ConstTensorView& weights,
                    const ConstTensorView& v, const ConstTensorView& table,
                    const ConstTensorView& m, const ConstTensorView& n, const TensorView& y);

// table, m, n -> vectors [m, n, head_dim] (REL-2).
void RelativeVectors(const gnomon::relative::VectorParameters& p, const ConstTensorView& table,
                     const ConstTensorView& m, const ConstTensorView& n, const TensorView& vectors);

// q, k, v, key_mask, key_table [2K + 1, head_dim], value_table [2K + 1, value_dim],
// query_positions, key_positions of the case -> y [batch, query, query_heads, value_dim] (REL-12).
// Memory beside y: O(key (head_dim + value_dim) + K (head_dim + value_dim)); no [query, key]
// matrix.
void RelativeAttention(const Case& c, const TensorView& y);

// a [.., query, column] -> b [.., query, key] (REL-5, REL-7, REL-8).
void RelativeShift(const gnomon::relative::ShiftParameters& p, const ConstTensorView& a,
                   const TensorView& b);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_RELATIVE_H_
