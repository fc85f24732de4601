// multi_axis.mixed (AXES-20): every pair turned by the positions on all axes.
//
// x, y [batch, seq, heads, head_dim] as RopePlan::Apply has them; positions [axis, seq] or [batch
// or 1, axis, seq], integers in [-2^31, 2^31), tokens; frequencies [axis, heads or 1, pair],
// finite, radians a token, f32 or x's format. Tables are correctly rounded float32 (the profile
// `standard`); special values and memory are those of rope.apply (AXES-17, AXES-19). Source: Heo et
// al. 2024, arXiv:2403.13298. Errors: gnomon::Rejected. Nothing keeps state between calls.
#ifndef GNOMON_OPTIMIZED_MULTI_AXIS_MIXED_H_
#define GNOMON_OPTIMIZED_MULTI_AXIS_MIXED_H_

#include "gnomon/spec/multi_axis.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

void ApplyMixed(const AxialRotation& rotation, const ConstTensorView& x,
                const ConstTensorView& positions, const ConstTensorView& frequencies,
                const TensorView& y);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_MULTI_AXIS_MIXED_H_
