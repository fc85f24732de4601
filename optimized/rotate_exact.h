// Enclosures of rotated pairs in float64 (ROPE-3, profile `rounded`; ROUND-8).
#ifndef GNOMON_OPTIMIZED_ROTATE_EXACT_H_
#define GNOMON_OPTIMIZED_ROTATE_EXACT_H_

#include <cstddef>

namespace gnomon::optimized {

// `pairs`: a multiple of kPairAlignment. p, q: the members of the pairs. c, s: cosines and sines,
// each within 7 2^-53 |v| + absolute of the truth v.
struct PairsToEnclose {
  size_t pairs = 0;
  const float* p = nullptr;
  const float* q = nullptr;
  const double* c = nullptr;
  const double* s = nullptr;
  const double* absolute = nullptr;
  bool to_16_bits = false;
};

// Arrays [pairs] of the lower and upper ends for p c - q s and for p s + q c. Where low rounds to
// the same bits of the output format as high, and their size is in [2^-126, 2^127), those are the
// bits of the truth. With to_16_bits the ends are rounded to odd, so that rounding them to bf16 or
// f16 is a single rounding; otherwise to nearest.
struct EnclosedPairs {
  float *low0, *high0, *low1, *high1;
};

void EncloseRotation(const PairsToEnclose& in, const EnclosedPairs& out);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROTATE_EXACT_H_
