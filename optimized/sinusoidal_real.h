// Timesteps, Fourier features and NeRF (spec/sinusoidal.md, SIN-20 to SIN-22): sines and cosines of
// real arguments.
//
// Units: timesteps times scale in tokens, B in turns a unit of x, NeRF's first octave pi or 1
// radians a unit of x. Inputs: any of f64, f32, bf16, f16, finite (SIN-23); outputs f32, bf16, f16;
// any strides. Every entry is correctly rounded (D = 0 in SIN-24), on every target. Errors:
// gnomon::Rejected.
#ifndef GNOMON_OPTIMIZED_SINUSOIDAL_REAL_H_
#define GNOMON_OPTIMIZED_SINUSOIDAL_REAL_H_

#include "gnomon/spec/sinusoidal_real.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// timesteps [batch] -> pe [batch, width].
void TimestepTable(const gnomon::sinusoidal::Timestep& p, const ConstTensorView& timesteps,
                   const TensorView& pe);
// x [point, coordinate], B [feature, coordinate] -> features [point, 2 feature].
void FourierFeatures(gnomon::sinusoidal::FourierLayout layout, const ConstTensorView& x,
                     const ConstTensorView& B, const TensorView& features);
// x [point, coordinate] -> features [point, coordinate (2 octaves + include_input)].
void NerfFeatures(const gnomon::sinusoidal::Nerf& p, const ConstTensorView& x,
                  const TensorView& features);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_SINUSOIDAL_REAL_H_
