// Softmax attention, to be read beside spec/attention.md (Vaswani et al. 2017, arXiv:1706.03762).
#ifndef GNOMON_REFERENCE_ATTENTION_H_
#define GNOMON_REFERENCE_ATTENTION_H_

#include <memory>
#include <vector>

#include "gnomon/reference/angles.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/attention.h"

namespace gnomon::reference {

// Elements by index, whatever the strides.
class Elements {
 public:
  explicit Elements(const ConstTensorView& view) : view_(view) {}
  template <class... I>
  double operator()(I... index) const {
    const int64_t at[] = {index...};
    int64_t offset = 0;
    for (size_t i = 0; i < sizeof...(index); ++i) offset += at[i] * view_.strides[i];
    return ValueOf(view_.dtype, LoadBits(view_.dtype, view_.data + offset * SizeOf(view_.dtype)));
  }

 private:
  ConstTensorView view_;
};

template <class T, class X, class Y>
T Dot(int64_t d, X x, Y y) {
  T sum(0);
  for (int64_t c = 0; c < d; ++c) sum += x(c) * y(c);
  return sum;
}

// ATT-1. The default scale is 1 / sqrt(head_dim).
template <class T>
T ScaleOf(const gnomon::attention::Parameters& p, int64_t head_dim) {
  return p.scale ? Exactly<T>(*p.scale) : T(1 / sqrt(T(head_dim)));
}

// ATT-12. 2^(-B numerator / denominator).
template <class T>
T SlopeAs(const gnomon::attention::Parameters& p, int64_t head, int64_t heads) {
  if (!p.alibi_bias_max) return T(1);
  const gnomon::attention::SlopeExponent e = gnomon::attention::SlopeOf(head, heads);
  const double whole = p.alibi_bias_max->value * static_cast<double>(e.numerator) /
                       static_cast<double>(e.denominator);  // exact where it is an integer
  if (p.alibi_bias_max->decimal.empty() && whole == std::floor(whole) && whole < 0x1p20 &&
      whole * static_cast<double>(e.denominator) ==
          p.alibi_bias_max->value * static_cast<double>(e.numerator))
    return ldexp(T(1), -static_cast<int>(whole));
  return exp(-Exactly<T>(*p.alibi_bias_max) * T(e.numerator) / T(e.denominator) * log(T(2)));
}

// ATT-1 to ATT-3 for one query: score_n = scale content_n + slope bias_n, over the keys it sees.
// Differences from the score of one key are taken before anything is rounded: equal scores stay
// equal.
template <class T>
std::vector<T> Relative(const T& scale, const T& slope, const std::vector<T>& content,
                        const std::vector<T>& bias, size_t from) {
  std::vector<T> relative;
  for (size_t n = 0; n < content.size(); ++n)
    relative.push_back(scale * (content[n] - content[from]) + slope * (bias[n] - bias[from]));
  return relative;
}

// ATT-3, ATT-4. sum_n exp(relative_n) v_n / sum_n exp(relative_n).
template <class T>
T Weighted(const std::vector<T>& exponentials, const T& Z, const std::vector<T>& values) {
  T sum(0);
  for (size_t n = 0; n < values.size(); ++n) sum += exponentials[n] * values[n];
  return sum / Z;
}

// ATT-8. x W y^T.
template <class T, class X, class W, class Y>
T Form(int64_t width, X x, W w, Y y) {
  return Dot<T>(width, x, [&](int64_t r) {
    return Dot<T>(
        width, [&](int64_t c) { return w(r, c); }, y);
  });
}

// ATT-10. (q.k + pq.pk) / sqrt(2 d).
template <class T, class Q, class K, class PQ, class PK>
T Untied(int64_t d, Q q, K k, PQ pq, PK pk) {
  return (Dot<T>(d, q, k) + Dot<T>(d, pq, pk)) / sqrt(T(2 * d));
}

namespace attention {
// Of attention.four_term and attention.untied.
std::unique_ptr<Truth> MakeSumTruth(const Case& c);
}  // namespace attention

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ATTENTION_H_
