// T5's buckets and DeBERTa's, to be read beside spec/t5_bias.md: in exact integers.
#ifndef GNOMON_REFERENCE_T5_BIAS_H_
#define GNOMON_REFERENCE_T5_BIAS_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "gnomon/spec/t5_bias.h"

namespace gnomon::reference {

inline boost::multiprecision::cpp_int Power(int64_t base, int64_t exponent) {
  return pow(boost::multiprecision::cpp_int(base), static_cast<unsigned>(exponent));
}

// T5-2. Whether distance x has reached the k-th logarithmic bucket: E^(L-k) D^k <= x^L.
inline bool Reaches(int64_t E, int64_t D, int64_t L, int64_t x, int64_t k) {
  return Power(E, L - k) * Power(D, k) <= Power(x, L);
}

// T5-2. The bucket of a distance x, with E, D, L of T5-1: the greatest k of 0 .. L - 1 that it has
// reached. binary64 says where to look.
inline int64_t OneSided(int64_t E, int64_t D, int64_t L, int64_t x) {
  if (x < E) return x;
  if (x >= D) return E + L - 1;
  const double e = static_cast<double>(E);
  int64_t k = static_cast<int64_t>(std::log(static_cast<double>(x) / e) /
                                   std::log(static_cast<double>(D) / e) * static_cast<double>(L));
  k = std::clamp<int64_t>(k, 0, L - 1);
  while (k > 0 && !Reaches(E, D, L, x, k)) --k;
  while (k < L - 1 && Reaches(E, D, L, x, k + 1)) ++k;
  return E + k;
}

// T5-3. `rel`: key position - query position.
inline int64_t Bucket(const T5Buckets& t, int64_t rel) {
  return t.Offset(rel) + OneSided(t.max_exact(), t.max_distance, t.logarithmic(), t.Distance(rel));
}

// T5-5. Whether k is enough: x^(M-1) M^k <= D^k M^(M-1).
inline bool IsEnough(int64_t M, int64_t D, int64_t x, int64_t k) {
  return Power(x, M - 1) * Power(M, k) <= Power(D, k) * Power(M, M - 1);
}

// T5-5. `rel`: query position - key position.
inline int64_t Bucket(const DebertaBuckets& d, int64_t rel) {
  const int64_t M = d.middle(), D = d.last();
  if (-M <= rel && rel <= M) return rel;
  const int64_t x = d.Distance(rel);
  const double m = static_cast<double>(M);
  int64_t k = static_cast<int64_t>(std::log(static_cast<double>(x) / m) /
                                   std::log(static_cast<double>(D) / m) * (m - 1));
  while (!IsEnough(M, D, x, k)) ++k;
  while (k > 0 && IsEnough(M, D, x, k - 1)) --k;
  return rel < 0 ? -(M + k) : M + k;
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_T5_BIAS_H_
