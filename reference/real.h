// Questions and constants that the formulas ask of any number type T.
#ifndef GNOMON_REFERENCE_REAL_H_
#define GNOMON_REFERENCE_REAL_H_

#include <boost/math/constants/constants.hpp>
#include <cmath>
#include <type_traits>

#include "gnomon/reference/angles.h"
#include "gnomon/reference/interval.h"

namespace gnomon::reference {

template <class T>
constexpr bool kIsInterval = std::is_same_v<T, Interval>;

// a < b. Of intervals it may throw Undecided.
template <class T>
bool Below(const T& a, const T& b) {
  if constexpr (kIsInterval<T>) {
    return Less(a, b);
  } else {
    return a < b;
  }
}

template <class T>
T Pi() {
  if constexpr (kIsInterval<T>) {
    Interval pi(0);
    mpfi_const_pi(pi.backend().data());
    return pi;
  } else {
    return boost::math::constants::pi<T>();
  }
}

// The integer below. Throws Undecided where the ends of an interval have different ones.
template <class T>
T Floor(const T& x) {
  if constexpr (kIsInterval<T>) {
    Interval below = x;
    mpfr_floor(&below.backend().data()->left, Lower(x));
    mpfr_floor(&below.backend().data()->right, Upper(x));
    if (!IsPoint(below)) throw Undecided();
    return below;
  } else {
    return floor(x);
  }
}

// s^(-numerator / denominator) of a computed s > 0. Powers of two, and s itself, stay exact.
template <class T>
T InversePowerOf(const T& s, int64_t numerator, int64_t denominator) {
  if (numerator == 0) return T(1);
  if (numerator == denominator) return 1 / s;
  double value;
  bool binary64;
  if constexpr (kIsInterval<T>) {
    value = Midpoint(s);
    binary64 = IsPoint(s) && mpfr_cmp_d(Lower(s), value) == 0;
  } else {
    value = static_cast<double>(s);
    binary64 = s == value;
  }
  if (binary64) return InversePower<T>(Number(value), numerator, denominator);
  return exp(-(T(numerator) / T(denominator)) * log(s));
}

// A parameter as a fraction of integers, or of binary64 and 1: quotients of it are exact where they
// are integers.
template <class T>
struct Fraction {
  T numerator, denominator;
};
template <class T>
Fraction<T> FractionOf(const Number& number) {
  if (number.decimal.empty()) return {T(number.value), T(1)};
  std::string digits;
  long power = 0;
  bool point = false;
  size_t i = 0;
  for (; i < number.decimal.size(); ++i) {
    const char c = number.decimal[i];
    if (c == 'e' || c == 'E') break;
    if (c == '.') {
      point = true;
    } else {
      digits += c == '+' ? '0' : c;
      if (point && c != '-') --power;
    }
  }
  if (i < number.decimal.size()) power += std::strtol(number.decimal.c_str() + i + 1, nullptr, 10);
  const T ten(("1e" + std::to_string(std::abs(power))).c_str()), integer(digits.c_str());
  return power < 0 ? Fraction<T>{integer, ten} : Fraction<T>{T(integer * ten), T(1)};
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_REAL_H_
