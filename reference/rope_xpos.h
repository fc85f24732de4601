// xPos, to be read beside spec/rope_xpos.md (Sun et al. 2022, arXiv:2212.10554).
#ifndef GNOMON_REFERENCE_ROPE_XPOS_H_
#define GNOMON_REFERENCE_ROPE_XPOS_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include "gnomon/reference/interval.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/rope_xpos.h"

namespace gnomon::reference {

// The k-th root of n where it is an integer, else 0. 0 < n < 2^53.
inline int64_t IntegerRoot(int64_t n, int64_t k) {
  if (k == 1) return n;
  const int64_t root = std::llround(std::pow(static_cast<double>(n), 1.0 / static_cast<double>(k)));
  if (root == 1) return n == 1;
  int64_t power = 1, factors = 0;
  for (; factors < k && power <= n / root; ++factors) power *= root;
  return factors == k && power == n ? root : 0;
}

template <class T>
T IntegerPower(int64_t base, int64_t exponent) {
  T power(1);
  for (int64_t i = 0; i < exponent; ++i) power *= T(base);
  return power;
}

// (a / b)^(n / m), a, b, m > 0. What is rational is a quotient of integers, so that it comes out as
// a point where it can.
template <class T>
T RationalPower(int64_t a, int64_t b, int64_t n, int64_t m) {
  if (n == 0) return T(1);
  const int64_t in_n = std::gcd(n, m), in_a = std::gcd(a, b);
  n /= in_n, m /= in_n, a /= in_a, b /= in_a;
  if (n < 0) std::swap(a, b), n = -n;
  const int64_t root_a = IntegerRoot(a, m), root_b = IntegerRoot(b, m);
  if (root_a != 0 && root_b != 0) return IntegerPower<T>(root_a, n) / IntegerPower<T>(root_b, n);
  return exp(T(n) / T(m) * log(T(a) / T(b)));
}

// XPOS-1. S_i(m).
template <class T>
T ScaleOf(const Xpos& p, int64_t position, int64_t pair) {
  return RationalPower<T>(p.Numerator(pair), p.Denominator(), p.Steps(position), p.scale_base);
}

namespace rope {
std::unique_ptr<Truth> MakeXposTruth(const Case& c);
}  // namespace rope

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ROPE_XPOS_H_
