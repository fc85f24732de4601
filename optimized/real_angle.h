// Arithmetic on angles that are no multiple of a frequency by an integer: sums of two doubles for
// the fast path (real_rows.h), and exact sums for what it leaves open (exact_angle.h).
#ifndef GNOMON_OPTIMIZED_REAL_ANGLE_H_
#define GNOMON_OPTIMIZED_REAL_ANGLE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gnomon/optimized/exact.h"

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
// Within 2^-103, relatively.
inline Two Times(Two a, Two b) {
  const Two p = Product(a.hi, b.hi);
  return Sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
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
