// Rotates the pairs of the heads of one token, float32 arithmetic (ROPE-3, profile `standard`).
#ifndef GNOMON_OPTIMIZED_ROTATE_H_
#define GNOMON_OPTIMIZED_ROTATE_H_

#include <cstddef>
#include <cstdint>

#include "gnomon/spec/format.h"
#include "gnomon/spec/rope.h"

namespace gnomon::optimized {

// Heads whose rotary windows are contiguous: head i starts at x + i x_stride, in elements. x and y
// are the same memory or do not overlap. cos, sin: [pairs], readable up to the next multiple of
// kPairAlignment; a NaN among them ends in 16 zero bits. scratch: floats, four times that.
// `stream`: non-temporal stores where whole cache lines of y are written.
struct HeadsOfToken {
  const void* x = nullptr;
  void* y = nullptr;
  int64_t x_stride = 0, y_stride = 0;
  size_t heads = 0;
  size_t pairs = 0;
  const float* cos = nullptr;
  const float* sin = nullptr;
  float* scratch = nullptr;
  bool stream = false;
};

// y0 = x0 c - x1 s, y1 = x0 s + x1 c, each within two or three float32 roundings (fused or not),
// then one rounding to a 16-bit format. f32, bf16, f16; input and output have the same layout.
void RotateHeads(Format format, RopeLayout layout, const HeadsOfToken& heads);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROTATE_H_
