// xPos (spec/rope_xpos.md; Sun et al. 2022, arXiv:2212.10554): rotations of which every pair is
// scaled by its distance from a centre.
//
// Units and errors as in rope.h.
#ifndef GNOMON_OPTIMIZED_ROPE_XPOS_H_
#define GNOMON_OPTIMIZED_ROPE_XPOS_H_

#include "gnomon/spec/rope_xpos.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

class Turns;

// x, y, positions as RopePlan::Apply has them (rope.h); |position - center| at most 64 scale_base.
// Profile `standard`: correctly rounded float32 tables times a float64 scale, rounded to float32.
// `turns`: of xpos.apply.frequencies.
void ApplyXpos(const Xpos& xpos, const Turns& turns, const ConstTensorView& x,
               const ConstTensorView& positions, const TensorView& y);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROPE_XPOS_H_
