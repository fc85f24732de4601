// Intervals that enclose real numbers, and the questions that may be asked of them
// (spec/README.md).
//
// `Interval` is Boost.Multiprecision over MPFI: every operation returns an enclosure. Comparing two
// enclosures that overlap has no answer; Less throws Undecided then, and certify.h asks again with
// more bits. So a reference function still reads like its formula.
#ifndef GNOMON_REFERENCE_INTERVAL_H_
#define GNOMON_REFERENCE_INTERVAL_H_

#include <mpfi.h>

#include <boost/multiprecision/mpfi.hpp>
#include <cmath>
#include <exception>
#include <optional>

#include "gnomon/spec/case.h"
#include "gnomon/spec/format.h"

namespace gnomon::reference {

// Expression templates off: `auto` then holds a value.
using Interval = boost::multiprecision::number<boost::multiprecision::mpfi_float_backend<0>,
                                               boost::multiprecision::et_off>;

// What the precision at hand cannot tell.
class Undecided : public std::exception {
 public:
  const char* what() const noexcept override { return "not decided at the precision at hand"; }
};

// Precision of the intervals made while this lives, in bits.
class ScopedPrecision {
 public:
  explicit ScopedPrecision(unsigned bits) : before_(Interval::default_precision()) {
    Interval::default_precision(bits * 301 / 1000 + 1);  // Boost counts decimal digits
  }
  ~ScopedPrecision() { Interval::default_precision(before_); }
  ScopedPrecision(const ScopedPrecision&) = delete;
  ScopedPrecision& operator=(const ScopedPrecision&) = delete;

 private:
  unsigned before_;
};

inline mpfr_srcptr Lower(const Interval& x) { return &x.backend().data()->left; }
inline mpfr_srcptr Upper(const Interval& x) { return &x.backend().data()->right; }
inline bool IsPoint(const Interval& x) { return mpfr_equal_p(Lower(x), Upper(x)) != 0; }

inline bool Less(const Interval& a, const Interval& b) {
  if (mpfr_less_p(Upper(a), Lower(b))) return true;
  if (mpfr_greaterequal_p(Lower(a), Upper(b))) return false;
  throw Undecided();
}
inline bool LessOrEqual(const Interval& a, const Interval& b) { return !Less(b, a); }

// FORMAT-3: the value of `format` nearest to x, ties to even, sign of zero kept.
double Round(Format format, mpfr_srcptr x);

// The rounding of whatever number the interval encloses. Throws Undecided where its ends differ.
double Round(Format format, const Interval& x);

// Nearest binary64, for reports and for the fast path; at most half the width off.
inline double Midpoint(const Interval& x) { return mpfi_get_d(x.backend().data()); }
// An upper bound of Upper(x) - Lower(x).
double WidthOf(const Interval& x);

// A parameter as a number of type T: a binary64, or the decimal that a string spells (CASE-3).
template <class T>
T Exactly(const Number& number) {
  return number.decimal.empty() ? T(number.value) : T(number.decimal.c_str());
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_INTERVAL_H_
