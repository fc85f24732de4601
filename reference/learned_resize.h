// Resizing a learned table, to be read beside spec/learned.md (LEARNED-8 to LEARNED-12).
#ifndef GNOMON_REFERENCE_LEARNED_RESIZE_H_
#define GNOMON_REFERENCE_LEARNED_RESIZE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gnomon/reference/truth.h"
#include "gnomon/spec/learned_resize.h"

namespace gnomon::reference {

// s = (j - x_i) / r of LEARNED-8 and LEARNED-10 is the rational number m / q.
struct FilterArgument {
  int64_t m = 0, q = 1;
  double value() const { return static_cast<double>(m) / static_cast<double>(q); }
};

inline FilterArgument ArgumentOf(const gnomon::learned::ResizeParameters& p,
                                 const gnomon::learned::ResizedAxis& axis, int64_t i, int64_t j) {
  const int64_t n = axis.from, N = axis.to;
  if (p.coordinates == gnomon::learned::Coordinates::kAlignCorners) {
    if (N == 1) return {j, 1};
    return {j * (N - 1) - i * (n - 1), N - 1};
  }
  // j - x_i over 2 N; n / N times as much of it where the filter is stretched by that.
  return {2 * N * j + N - (2 * i + 1) * n, 2 * (p.antialias ? std::max(n, N) : N)};
}

// LEARNED-9 (AXES-6, AXES-8). The filter at m / q, times q (bilinear) or q^3.
template <class T>
T FilterNumerator(const gnomon::learned::ResizeParameters& p, const FilterArgument& s) {
  const int64_t size = std::abs(s.m);
  const T m(size), q(s.q), a(p.a);
  if (p.filter == gnomon::learned::ResizeFilter::kBilinear) return size < s.q ? T(q - m) : T(0);
  if (size <= s.q) return (a + 2) * m * m * m - (a + 3) * m * m * q + q * q * q;
  if (size < 2 * s.q)
    return a * m * m * m - 5 * a * m * m * q + 8 * a * m * q * q - 4 * a * q * q * q;
  return T(0);
}

// The inputs in reach of output i along one axis (LEARNED-11), from `first` on; their weights are
// numerator / denominator.
template <class T>
struct Taps {
  int64_t first = 0;  // before it is clamped
  std::vector<T> numerators;
  T denominator = T(1);
  std::vector<double> errors;  // LEARNED-12
  // LEARNED-11: one that is in reach of the clamped coordinate alone, with the weight 0.
  std::optional<int64_t> beside;

  size_t size() const { return numerators.size(); }
  size_t touched() const { return size() + beside.has_value(); }
  T Weight(size_t k) const { return numerators[k] / denominator; }
  bool Counts(size_t k) const { return k < size() && std::abs(Weight(k)) > errors[k]; }
  // LEARNED-8: an index is clamped.
  int64_t Input(const gnomon::learned::ResizedAxis& axis, size_t k) const {
    return k < size() ? std::clamp<int64_t>(first + static_cast<int64_t>(k), 0, axis.from - 1)
                      : *beside;
  }
};

template <class T>
Taps<T> TapsOf(const gnomon::learned::ResizeParameters& p, const gnomon::learned::ResizedAxis& axis,
               int64_t i, Format output) {
  Taps<T> taps;
  const double D = axis.none() ? 0 : ArgumentError(p, axis, i, output);
  const double reach = axis.none() ? 0.5 : p.half_width() + D;
  // x_i, and how far the filter reaches from it, in inputs.
  const double x = -ArgumentOf(p, axis, i, 0).value() * p.stretch(axis);
  const double around = reach * p.stretch(axis) + 1;
  int64_t low = static_cast<int64_t>(std::floor(x - around));
  int64_t high = static_cast<int64_t>(std::ceil(x + around));
  if (p.antialias) low = std::max<int64_t>(low, 0), high = std::min(high, axis.from - 1);
  std::vector<double> arguments, values;
  FilterArgument s;
  T sum(0);
  for (int64_t j = low; j <= high; ++j) {
    s = ArgumentOf(p, axis, i, j);
    if (!(std::abs(s.value()) <= reach)) continue;
    if (taps.numerators.empty()) taps.first = j;
    taps.numerators.push_back(FilterNumerator<T>(p, s));
    sum += taps.numerators.back();
    arguments.push_back(s.value());
    const double q = static_cast<double>(s.q);
    const double scale = p.filter == gnomon::learned::ResizeFilter::kBilinear ? q : q * q * q;
    values.push_back(FilterNumerator<double>(p, s) / scale);
  }
  const T q(s.q);
  // LEARNED-10: weights sum to 1. LEARNED-9: they do.
  taps.denominator = p.antialias                                            ? sum
                     : p.filter == gnomon::learned::ResizeFilter::kBilinear ? q
                                                                            : T(q * q * q);
  taps.errors = WeightErrors(p, axis, i, arguments, values, output);
  const bool bilinear = p.filter == gnomon::learned::ResizeFilter::kBilinear;
  if (bilinear && !p.antialias && axis.from > 1) {
    if (x < 0) taps.beside = 1;
    if (x > static_cast<double>(axis.from - 1)) taps.beside = axis.from - 2;
  }
  return taps;
}

// AXES-9: along one axis, then along the other. entry(row, column): a number of the table; one that
// is not finite is left out (LEARNED-11).
template <class T, class Entry>
gnomon::learned::ResizeSums<T> ResizeSumsOf(const gnomon::learned::ResizeParameters& p,
                                            const Taps<T>& rows, const Taps<T>& columns,
                                            const Entry& entry) {
  using std::abs;
  gnomon::learned::ResizeSums<T> sums;
  const T denominator = rows.denominator * columns.denominator;
  T value(0), size(0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const T a = abs(rows.Weight(i));
    for (size_t j = 0; j < columns.size(); ++j) {
      ++sums.pairs;
      const double P = entry(rows.Input(p.rows, i), columns.Input(p.columns, j));
      if (!std::isfinite(P)) continue;
      const T term = rows.numerators[i] * columns.numerators[j] * T(P);
      value += term;
      size += abs(term);
      const double e = rows.errors[i], f = columns.errors[j];
      sums.moved += (a * f + abs(columns.Weight(j)) * e + T(e) * f) * std::abs(P);
      sums.inputs += std::abs(P);
    }
  }
  sums.value = value / denominator;
  sums.size = size / denominator;
  return sums;
}

std::unique_ptr<Truth> MakeResizeTruth(const Case& c);

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_LEARNED_RESIZE_H_
