// The last tier (exact.h) for angles that are no multiple of a frequency.
#ifndef GNOMON_OPTIMIZED_EXACT_ANGLE_H_
#define GNOMON_OPTIMIZED_EXACT_ANGLE_H_

#include <functional>
#include <utility>

#include "gnomon/optimized/exact.h"

namespace gnomon::optimized {

// cos a and sin a, correctly rounded, of an angle that is no zero of either: `size(bits)` encloses
// |a| in units of 2^-bits, within a few; |a| < 2^log2.
using AngleSize = std::function<std::pair<cpp_int, cpp_int>(int64_t bits)>;
PairBits RoundCosSin(const AngleSize& size, bool negative, int64_t log2, Format format);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_EXACT_ANGLE_H_
