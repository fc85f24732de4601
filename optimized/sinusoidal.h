// Sinusoidal positions (Vaswani et al. 2017, arXiv:1706.03762), on the table kernels.
//
// Units: positions and offsets in tokens, integers in [-2^31, 2^31); frequencies in radians a
// token. Formats: f32, bf16, f16; any strides. Accuracy: profile `standard` (spec/bounds.h), and
// where it is said below, correctly rounded. Errors: gnomon::Rejected. A plan is immutable: threads
// may share it.
#ifndef GNOMON_OPTIMIZED_SINUSOIDAL_H_
#define GNOMON_OPTIMIZED_SINUSOIDAL_H_

#include <memory>

#include "gnomon/spec/sinusoidal.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

class Turns;

class SinusoidalPlan {
 public:
  explicit SinusoidalPlan(const SinusoidalTable& table);
  SinusoidalPlan(const SinusoidalTable& table, std::shared_ptr<const Turns> turns);

  // positions [seq] -> pe [seq, width] (SIN-4). Correctly rounded where scale is 1; otherwise one
  // rounding of the product of a correctly rounded float32 with scale's nearest double.
  void Table(const ConstTensorView& positions, const TensorView& pe) const;

  // x, y [batch, seq, width]: y = token_scale x + pe (SIN-5), in float64 and rounded once, from
  // float32 sines. y is x's own memory, or does not overlap it.
  void Add(const ConstTensorView& x, const ConstTensorView& positions, double token_scale,
           const TensorView& y) const;

  // matrix [row, column] = gain M_k, with PE[t + k] = M_k PE[t] (SIN-6, SIN-7). Even widths.
  // Correctly rounded where gain is 1.
  void ShiftMatrix(int64_t offset, double gain, const TensorView& matrix) const;

  // positions m [m], n [n] -> values [m, n]: PE[m] . PE[n] (SIN-8) and |PE[m] - PE[n]| (SIN-9),
  // summed in float64 over float64 sines and rounded once. Even widths.
  void Similarity(const ConstTensorView& m, const ConstTensorView& n,
                  const TensorView& values) const;
  void Distance(const ConstTensorView& m, const ConstTensorView& n, const TensorView& values) const;

 private:
  template <class Measure>
  void Pairwise(const ConstTensorView& m, const ConstTensorView& n, const TensorView& values,
                const Measure& measure) const;

  SinusoidalTable table_;
  std::shared_ptr<const Turns> turns_;
};

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_SINUSOIDAL_H_
