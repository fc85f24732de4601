// ALiBi, to be read beside spec/alibi.md (Press, Smith, Lewis 2022, arXiv:2108.12409).
#ifndef GNOMON_REFERENCE_ALIBI_H_
#define GNOMON_REFERENCE_ALIBI_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>

#include "gnomon/reference/interval.h"
#include "gnomon/spec/alibi.h"

namespace gnomon::reference {

// ALIBI-5. The exponent B k / d where it is an integer: then the slope is exactly a power of two.
inline std::optional<int64_t> IntegerExponent(const AlibiExponent& of) {
  using boost::multiprecision::cpp_int;
  const Number& B = of.bias_max;
  cpp_int numerator = of.numerator, denominator = of.denominator;
  if (B.decimal.empty()) {
    int exponent;
    const double significand = std::ldexp(std::frexp(B.value, &exponent), 53);
    numerator *= static_cast<int64_t>(significand);
    (exponent > 53 ? numerator : denominator) <<= static_cast<unsigned>(std::abs(exponent - 53));
  } else {
    int64_t power = 0;  // of ten
    bool after_point = false;
    cpp_int digits = 0;
    for (size_t i = 0; i < B.decimal.size(); ++i) {
      const char c = B.decimal[i];
      if (c == 'e' || c == 'E') {
        power += std::strtol(B.decimal.c_str() + i + 1, nullptr, 10);
        break;
      }
      if (c == '.') after_point = true;
      if (c < '0' || c > '9') continue;
      digits = digits * 10 + (c - '0');
      power -= after_point ? 1 : 0;
    }
    const cpp_int ten = pow(cpp_int(10), static_cast<unsigned>(std::abs(power)));
    numerator *= digits;
    (power > 0 ? numerator : denominator) *= ten;
  }
  if (numerator % denominator != 0) return std::nullopt;
  return static_cast<int64_t>(numerator / denominator);
}

// ALIBI-1. 2^(-B k / d); an integral exponent stays exact.
template <class T>
T Slope(const AlibiExponent& of) {
  if (const auto exponent = IntegerExponent(of)) return ldexp(T(1), static_cast<int>(-*exponent));
  return exp(-(Exactly<T>(of.bias_max) * T(of.numerator) / T(of.denominator)) * log(T(2)));
}

// ALIBI-2, ALIBI-3. The integer is spec/alibi.h's Factor: -|m - n|, n, n - (T - 1), or 0 above the
// diagonal.
template <class T>
T Bias(const T& slope, int64_t factor) {
  return slope * T(factor);
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ALIBI_H_
