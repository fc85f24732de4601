// The last tier: cosines, sines and rotations from the exact frequency, at whatever precision the
// question needs (ROUND-7).
//
// Everything is fixed point on integers, so each error is counted, not trusted: a result is an
// enclosure, both ends are rounded, and where they differ the precision doubles. That ends: for an
// algebraic m w other than 0 the sine, the cosine and every non-trivial combination of them with
// rational coefficients are transcendental (Lindemann), so none is a rounding boundary.
#ifndef GNOMON_OPTIMIZED_EXACT_H_
#define GNOMON_OPTIMIZED_EXACT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gnomon/optimized/rounding.h"
#include "gnomon/spec/case.h"
#include "gnomon/spec/format.h"

namespace gnomon::optimized {

// low 2^exponent <= v <= high 2^exponent.
struct Enclosure {
  cpp_int low, high;
  int64_t exponent = 0;
};

using boost::multiprecision::cpp_rational;

// low <= v <= high.
struct Between {
  cpp_rational low, high;
};

// The parameter as the rational number that it is (CASE-3).
cpp_rational ToRational(const Number& number);
// ln r, r > 0, and pi, within 2^-bits.
Between LogBetween(const cpp_rational& r, int64_t bits);
Between PiBetween(int64_t bits);

// A frequency in radians a token, as the parameters define it: a number as given;
// base^(-numerator / denominator) (ROPE-1, SIN-1), one of several such powers, times a rational
// number (SCALE-1 to SCALE-12); or any positive real number that can be enclosed.
class ExactFrequency {
 public:
  struct Base;  // of a power, shared: its logarithm is taken once
  static ExactFrequency Given(const Number& number);
  static ExactFrequency Rational(const cpp_rational& value);
  // One for each numerator. base > 0, numerators >= 0, denominator > 0.
  static std::vector<ExactFrequency> Powers(const Number& base,
                                            const std::vector<int64_t>& numerators,
                                            int64_t denominator);
  // A positive number that is no dyadic rational. `enclose(bits)`: the more bits the narrower.
  static ExactFrequency Computed(std::function<Between(int64_t bits)> enclose);

  // This power times factor, or times base^(-numerator / denominator).
  ExactFrequency Times(const cpp_rational& factor) const;
  ExactFrequency TimesPower(const cpp_rational& base, int64_t numerator, int64_t denominator) const;

  int sign() const { return sign_; }
  // |w|, not 0, with low of at least `bits` bits and high - low <= 3. Where low == high it is
  // exact.
  Enclosure Magnitude(int64_t bits) const;
  // 2^(l - 1) < |w| < 2^(l + 1).
  int64_t log2() const { return log2_; }
  // The correctly rounded bits (ROPE-1).
  uint64_t Round(Format format) const;

 private:
  struct Power {
    std::shared_ptr<const Base> base;
    int64_t numerator, denominator;
  };
  Enclosure PowerMagnitude(int64_t bits) const;
  bool IsExactly(const cpp_int& n, int64_t exponent) const;
  void SetLog2();

  int sign_ = 0;
  int64_t log2_ = 0;
  cpp_rational value_ = 1;     // of a number as given; the factor of powers
  std::vector<Power> powers_;  // empty: a number as given, or computed
  std::function<Between(int64_t)> enclose_;
};

// pi 2^bits, within 1.
cpp_int PiInUnits(int64_t bits);

// Bits of two values: (cosine, sine), or the two members of a pair.
struct PairBits {
  uint64_t first = 0, second = 0;
};

// cos(m w) and sin(m w), correctly rounded. |position| <= 2^31.
PairBits RoundCosSin(const ExactFrequency& w, int64_t position, Format format);

// x0 cos a - x1 sin a and x0 sin a + x1 cos a for a = m w, correctly rounded; a result that is
// exactly zero is +0 (ROPE-8). Where x0 or x1 is not finite: the extended-real value of ROPE-7.
PairBits RoundRotation(const ExactFrequency& w, int64_t position, double x0, double x1,
                       Format format);

// The same times t (SCALE-13); x0 = 1, x1 = 0 give the scaled table entries.
PairBits RoundRotation(const ExactFrequency& w, int64_t position, double x0, double x1,
                       Format format, const ExactFrequency& t);

// The same for a cosine and a sine as given (ROPE-4), any doubles.
PairBits RoundRotation(double c, double s, double x0, double x1, Format format);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_EXACT_H_
