// Frequencies and angles, shared by the schemes that turn (ROPE-1, SIN-1).
#ifndef GNOMON_REFERENCE_ANGLES_H_
#define GNOMON_REFERENCE_ANGLES_H_

#include <cmath>
#include <cstdint>

#include "gnomon/reference/interval.h"

namespace gnomon::reference {

// base^(-numerator / denominator). An integral power of two stays exact.
template <class T>
T InversePower(const Number& base, int64_t numerator, int64_t denominator) {
  int exponent = 0;
  const bool power_of_two = base.decimal.empty() && std::frexp(base.value, &exponent) == 0.5;
  if (power_of_two && (exponent - 1) * numerator % denominator == 0)
    return ldexp(T(1), static_cast<int>(-(exponent - 1) * numerator / denominator));
  return exp(-(T(numerator) / T(denominator)) * log(Exactly<T>(base)));
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ANGLES_H_
