// Sinusoidal positions, to be read beside spec/sinusoidal.md (Vaswani et al. 2017,
// arXiv:1706.03762).
#ifndef GNOMON_REFERENCE_SINUSOIDAL_H_
#define GNOMON_REFERENCE_SINUSOIDAL_H_

#include "gnomon/reference/angles.h"
#include "gnomon/spec/sinusoidal.h"

namespace gnomon::reference {

// SIN-1. w_i = base^(-e_i), e_i = 2i / width or i / (h - 1), or as given; radians a token.
template <class T>
T Frequency(const SinusoidalTable& t, int64_t pair) {
  if (!t.frequencies.empty()) return Exactly<T>(t.frequencies[static_cast<size_t>(pair)]);
  return InversePower<T>(t.base, t.ExponentNumerator(pair), t.ExponentDenominator());
}

// SIN-2, SIN-3, SIN-4. Entry of the table at a position.
template <class T>
T Entry(const SinusoidalTable& t, int64_t position, int64_t column) {
  const SinusoidalColumn c = t.Column(column);
  if (c.kind == SinusoidalColumn::kZero) return T(0);
  const T angle = T(position) * Frequency<T>(t, c.pair);
  return Exactly<T>(t.scale) * (c.kind == SinusoidalColumn::kSine ? sin(angle) : cos(angle));
}

// SIN-5. token_scale x + pe.
template <class T>
T Add(const gnomon::sinusoidal::AddParameters& p, const T& x, const T& entry) {
  const T factor = p.sqrt_width ? T(sqrt(T(p.table.width))) : Exactly<T>(p.token_scale);
  return factor * x + entry;
}

// SIN-6, SIN-7. gain M_k, with PE[t + k] = M_k PE[t]: the block of pair i, on its (sine, cosine)
// columns, is [[cos kw, sin kw], [-sin kw, cos kw]]; everything else is 0.
template <class T>
T MatrixEntry(const gnomon::sinusoidal::MatrixParameters& p, int64_t row, int64_t column) {
  const SinusoidalColumn r = p.table.Column(row), c = p.table.Column(column);
  if (r.pair != c.pair) return T(0);
  const T angle = T(p.offset) * Frequency<T>(p.table, r.pair);
  if (r.kind == c.kind) return Exactly<T>(p.gain) * cos(angle);
  const T sine = Exactly<T>(p.gain) * sin(angle);
  return r.kind == SinusoidalColumn::kSine ? sine : T(-sine);
}

// SIN-8. PE[m] . PE[n] = scale^2 sum_i cos((m - n) w_i); `frequency(i)` is w_i.
template <class T, class FrequencyOf>
T Similarity(const SinusoidalTable& t, int64_t m, int64_t n, FrequencyOf frequency) {
  T sum(0);
  for (int64_t i = 0; i < t.pairs(); ++i) sum += cos(T(m - n) * frequency(i));
  return Exactly<T>(t.scale) * Exactly<T>(t.scale) * sum;
}

// SIN-9. |PE[m] - PE[n]| = 2 |scale| sqrt(sum_i sin^2((m - n) w_i / 2)).
template <class T, class FrequencyOf>
T Distance(const SinusoidalTable& t, int64_t m, int64_t n, FrequencyOf frequency) {
  T sum(0);
  for (int64_t i = 0; i < t.pairs(); ++i) {
    const T half = abs(sin(T(m - n) * frequency(i) / 2));
    sum += half * half;
  }
  return 2 * abs(Exactly<T>(t.scale)) * sqrt(sum);
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_SINUSOIDAL_H_
