// Rotates the pairs of the heads of tokens, float32 arithmetic (ROPE-3, profile `standard`).
#ifndef GNOMON_OPTIMIZED_ROTATE_H_
#define GNOMON_OPTIMIZED_ROTATE_H_

#include <cstddef>
#include <cstdint>

#include "gnomon/optimized/tables.h"
#include "gnomon/spec/format.h"
#include "gnomon/spec/rope.h"

namespace gnomon::optimized {

// Tokens whose heads have contiguous rotary windows: head i of token t starts at x + t x_token +
// i x_head, in elements. x and y are the same memory or do not overlap.
struct TokensToRotate {
  const void* x = nullptr;
  void* y = nullptr;
  int64_t x_token = 0, y_token = 0, x_head = 0, y_head = 0;
  size_t tokens = 1, heads = 0, pairs = 0;
  // Of token t: [pairs] at cos + t table_stride and sin + t table_stride, readable up to the next
  // multiple of kPairAlignment; a NaN among them ends in 16 zero bits. With `rows`, row t is put
  // there first.
  float* cos = nullptr;
  float* sin = nullptr;
  size_t table_stride = 0;
  const AnchoredRows* rows = nullptr;
  // Non-temporal stores where whole cache lines of y are written.
  bool stream = false;
  // How far beyond its own elements of x a step prefetches, in elements; 0: not at all.
  size_t ahead = 0;
};

// y0 = x0 c - x1 s, y1 = x0 s + x1 c, each within two or three float32 roundings (fused or not),
// then one rounding to a 16-bit format. f32, bf16, f16; input and output have the same layout.
void RotateTokens(Format format, RopeLayout layout, const TokensToRotate& tokens);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROTATE_H_
