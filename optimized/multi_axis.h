// Positions on more than one axis (spec/multi_axis.md), on the table and rotation kernels of
// rope.h.
//
// Units: positions in tokens on each axis, integers in [-2^31, 2^31); frequencies in radians a
// token. Formats: f32, bf16, f16; any strides. Errors: gnomon::Rejected. Nothing here keeps state
// between calls: threads may share a plan.
#ifndef GNOMON_OPTIMIZED_MULTI_AXIS_H_
#define GNOMON_OPTIMIZED_MULTI_AXIS_H_

#include <memory>
#include <vector>

#include "gnomon/optimized/rope.h"
#include "gnomon/spec/multi_axis.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// multi_axis.axial, multi_axis.mrope.
class AxialPlan {
 public:
  explicit AxialPlan(const AxialRotation& rotation);

  // x, y [batch, seq, heads, head_dim] as RopePlan::Apply has them; positions [axis, seq] or
  // [batch or 1, axis, seq]. The promises are those of `mode`; special values as rope.apply
  // (AXES-17), memory too (AXES-19).
  void Apply(const ConstTensorView& x, const ConstTensorView& positions, const TensorView& y,
             Mode mode = Mode::kStandard) const;

 private:
  template <class T, class Rotate>
  void ForEachBlock(const ConstTensorView& x, const ConstTensorView& positions,
                    const Rotate& rotate) const;
  void ApplyByAxis(const ConstTensorView& x, const ConstTensorView& positions, const TensorView& y,
                   Mode mode) const;

  AxialRotation rotation_;
  std::vector<std::shared_ptr<const Turns>> turns_;  // of each axis; null where it has no pair
  std::vector<std::vector<size_t>> pairs_;           // of each axis, in the order of its turns
};

// What rope.apply calls the window of a rotation (AXES-11), which is not `half_split_by_axis`.
RopeApply WindowOf(const AxialRotation& rotation);

// axis [pair], i64 (AXES-2, AXES-3, AXES-12): filled section by section.
void SectionAxes(const Sections& sections, const TensorView& axis);

// positions [2, seq] -> pe [zero_rows + seq, width] (AXES-13), correctly rounded.
void SincosRows(const SincosTable& table, const ConstTensorView& positions, const TensorView& pe);

// px [x, width], py [y, width] -> pe [x, y, width] (AXES-4, AXES-5), correctly rounded.
void Factorize(Combine combine, const ConstTensorView& px, const ConstTensorView& py,
               const TensorView& pe);

// index [query, key], i64 (AXES-14); table [row, heads] -> bias [heads, query, key] (AXES-15).
void WindowIndices(const Window& window, const TensorView& index);
void WindowBiases(const Window& window, const ConstTensorView& table, const TensorView& bias);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_MULTI_AXIS_H_
