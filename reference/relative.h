// Relative position vectors, to be read beside spec/relative.md (Shaw et al. 2018,
// arXiv:1803.02155).
#ifndef GNOMON_REFERENCE_RELATIVE_H_
#define GNOMON_REFERENCE_RELATIVE_H_

#include <algorithm>
#include <cstdint>

#include "gnomon/reference/interval.h"
#include "gnomon/spec/relative.h"

namespace gnomon::reference {

// REL-1.
inline int64_t Clip(int64_t K, int64_t x) { return std::max(-K, std::min(K, x)); }

// REL-2. m the query's position, n the key's.
inline int64_t RowOf(const gnomon::relative::VectorParameters& p, int64_t m, int64_t n) {
  return Clip(p.K, p.difference == Difference::kKeyMinusQuery ? n - m : m - n) + p.K;
}

// One product of REL-3 or REL-4: q_c (k_c + a_c), or w_n (v_n + a_n).
struct Product {
  double by, own, row;
};

// Of a list of products: their sum, the sum of their sizes, and that of what is multiplied.
template <class T>
struct Sums {
  T value{0}, size{0}, factors{0};
};

template <class T, class Products>
Sums<T> SumOf(const Products& products) {
  using std::abs;
  Sums<T> sums;
  for (const Product& p : products) {
    sums.value += T(p.by) * (T(p.own) + T(p.row));
    sums.size += abs(T(p.by)) * (abs(T(p.own)) + abs(T(p.row)));
    sums.factors += abs(T(p.own)) + abs(T(p.row));
  }
  return sums;
}

// REL-3. What the scores are multiplied by.
template <class T>
T ScoreScale(const gnomon::relative::VectorParameters& p, int64_t head_dim) {
  return p.rsqrt ? T(T(1) / sqrt(T(head_dim))) : Exactly<T>(p.scale);
}

// REL-5. Pad one column on the left, read row by row, drop the first Q entries, cut into rows of K:
// the element of [Q, K] that stands at (i, j) then, or -1 for the padding.
inline int64_t ShiftedFrom(int64_t queries, int64_t keys, int64_t i, int64_t j) {
  const int64_t flat = i * keys + j + queries;
  const int64_t row = flat / (keys + 1), column = flat % (keys + 1);
  return column == 0 ? -1 : row * keys + column - 1;
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_RELATIVE_H_
