// Rounding integers to a format's bits (FORMAT-3): the last step of every path that decides a value
// exactly. Works on any unsigned integer type, so the 128-bit and the arbitrary-precision tier
// share it.
#ifndef GNOMON_OPTIMIZED_ROUNDING_H_
#define GNOMON_OPTIMIZED_ROUNDING_H_

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "gnomon/spec/format.h"

namespace gnomon::optimized {

using boost::multiprecision::cpp_int;
using uint128_t = unsigned __int128;

inline int64_t BitLength(uint128_t n) {
  const uint64_t high = static_cast<uint64_t>(n >> 64);
  return high ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(n));
}
inline int64_t BitLength(const cpp_int& n) {
  return n.is_zero() ? 0 : static_cast<int64_t>(msb(n)) + 1;
}
template <class Integer>
Integer ShiftLeft(const Integer& n, int64_t by) {
  if (by >= 0) return Integer(n << static_cast<unsigned>(by));
  return -by >= BitLength(n) ? Integer(0) : Integer(n >> static_cast<unsigned>(-by));
}

inline uint64_t SignBit(Format format) { return uint64_t{1} << (Traits(format).bits - 1); }
inline uint64_t InfinityBits(Format format) {
  const FormatTraits& t = Traits(format);
  const int64_t fields = t.max_exponent - t.precision + 3 - t.min_quantum_exponent;
  return static_cast<uint64_t>(fields) << (t.precision - 1);
}

// The bits, without sign, of the value of `format` nearest to v, ties to even, where
//   v = n 2^exponent             unless `more`,
//   n 2^exponent < v < (n + 1) 2^exponent  if `more`: then n must have precision + 2 bits or be 0
//   with
//                                2^exponent at most half the smallest subnormal.
template <class Integer>
uint64_t RoundMagnitude(const Integer& n, int64_t exponent, bool more, Format format) {
  const FormatTraits& t = Traits(format);
  const int64_t length = BitLength(n);
  if (length == 0) return 0;
  const int64_t quantum =
      std::max<int64_t>(exponent + length - t.precision, t.min_quantum_exponent);
  const int64_t shift = quantum - exponent;
  if (shift > length) return 0;
  uint64_t kept = static_cast<uint64_t>(ShiftLeft(n, -shift));
  if (shift > 0) {
    const Integer dropped = Integer(n - ShiftLeft(Integer(kept), shift));
    const Integer half = ShiftLeft(Integer(1), shift - 1);
    if (dropped > half || (dropped == half && (more || (kept & 1)))) ++kept;
  }
  const int64_t above = quantum - t.min_quantum_exponent;
  // ROPE-9. Beyond the largest exponent the shift would overflow; everything there is an infinity.
  if (above > t.max_exponent - t.precision + 1 - t.min_quantum_exponent)
    return InfinityBits(format);
  return std::min((static_cast<uint64_t>(above) << (t.precision - 1)) + kept, InfinityBits(format));
}

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROUNDING_H_
