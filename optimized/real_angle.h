// Cosine and sine of an angle that is no multiple of a frequency by an integer.
//
// The idea: an angle is a sum of two doubles, good to 2^-98 of itself; its multiple of a quarter
// turn is taken off in the same arithmetic, and what is left goes to the C library's sine. The
// rounding of the result is tested; what the test cannot decide is the caller's to find exactly
// (exact_angle.h).
#ifndef GNOMON_OPTIMIZED_REAL_ANGLE_H_
#define GNOMON_OPTIMIZED_REAL_ANGLE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "gnomon/optimized/exact.h"
#include "gnomon/spec/format.h"

namespace gnomon::optimized {

// hi + lo, |lo| at most half an ulp of hi.
struct Two {
  double hi = 0, lo = 0;
};
inline Two Sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
inline Two Product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}
inline Two Plus(Two a, Two b) {
  const Two s = Sum(a.hi, b.hi);
  return Sum(s.hi, s.lo + (a.lo + b.lo));
}
inline Two Times(Two a, Two b) {
  const Two p = Product(a.hi, b.hi);
  return Sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline constexpr Two kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
// What the fast path takes: beyond, products of doubles may lose bits, or the reduction does.
inline constexpr double kLargest = 0x1p20, kSmallest = 0x1p-400;

// Cosine and sine within 2^-42, relatively: of k quarters and an angle known that well.
struct Near {
  double cos, sin;
};
inline Near Turned(int64_t k, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  switch (k & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

// Radians. The angle and its reduction err by 2^-77 together (k below 2^20, kHalfPi within 2^-107),
// so a rest above 2^-30 is good to 2^-47; an angle that needs none is its own rest.
inline std::optional<Near> NearRadians(Two a) {
  const double size = std::fabs(a.hi);
  if (!(size < kLargest) || size < kSmallest) return std::nullopt;
  const double k = std::rint(a.hi / kHalfPi.hi);
  if (k == 0) return Turned(0, a.hi + a.lo);
  const Two taken = Times({k, 0}, kHalfPi);
  const Two rest = Plus(a, {-taken.hi, -taken.lo});
  if (std::fabs(rest.hi) < 0x1p-30) return std::nullopt;
  return Turned(static_cast<int64_t>(k), rest.hi + rest.lo);
}

// Rounds where everything within 2^-42 rounds alike.
inline bool RoundNear(double v, Format format, uint64_t* bits) {
  const double low = RoundToFormat(format, v * (1 - 0x1p-42));
  *bits = EncodeBits(format, low);
  return low == RoundToFormat(format, v * (1 + 0x1p-42)) && low != 0;
}

// Both values of one angle: the near ones where their roundings are certain, else `exact()`.
template <class Exact>
PairBits RoundAngle(const std::optional<Near>& near, Format format, const Exact& exact) {
  PairBits bits;
  if (near && RoundNear(near->cos, format, &bits.first) &&
      RoundNear(near->sin, format, &bits.second))
    return bits;
  return exact();
}

struct Dyadic {  // of any sign; n 2^exponent
  cpp_int n = 0;
  int64_t exponent = 0;
};
inline Dyadic ToDyadic(double v) {
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);
  return {cpp_int(static_cast<int64_t>(std::ldexp(fraction, 53))), exponent - 53};
}
inline Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  return {cpp_int(a.n * b.n), a.exponent + b.exponent};
}
inline Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  const int64_t exponent = std::min(a.exponent, b.exponent);
  return {ShiftLeft(a.n, a.exponent - exponent) + ShiftLeft(b.n, b.exponent - exponent), exponent};
}

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_REAL_ANGLE_H_
