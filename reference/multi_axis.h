// More than one axis, to be read beside spec/multi_axis.md.
#ifndef GNOMON_REFERENCE_MULTI_AXIS_H_
#define GNOMON_REFERENCE_MULTI_AXIS_H_

#include "gnomon/reference/rope.h"
#include "gnomon/reference/sinusoidal.h"
#include "gnomon/spec/multi_axis.h"

namespace gnomon::reference {

// AXES-2, AXES-10. rope_theta^(-e) with the exponent that the pair has, or any number as given;
// radians a token.
template <class T>
T Frequency(const AxialRotation& a, int64_t pair) {
  if (!a.frequencies.empty()) return Exactly<T>(a.frequencies[static_cast<size_t>(pair)]);
  return InversePower<T>(a.rope_theta, a.at(pair).numerator, a.at(pair).denominator);
}

// AXES-1. A pair of x turned by its frequency times the position on its own axis;
// `position(axis)`.
template <class T, class PositionOn>
Pair<T> RotateAxially(const AxialRotation& a, int64_t pair, const Pair<T>& x, PositionOn position) {
  const T angle = T(position(a.at(pair).axis)) * Frequency<T>(a, pair);
  return Rotate<T>(x, cos(angle), sin(angle), a.direction);
}

// AXES-20. sum_a p_a w[a, h, i]; `product(axis)`: one of its terms.
template <class T, class Product>
T MixedAngle(int64_t axes, Product product) {
  T angle = product(0);
  for (int64_t axis = 1; axis < axes; ++axis) angle += product(axis);
  return angle;
}

// AXES-13. Column of the row for (row, column): half of them for each coordinate.
struct SincosColumn {
  bool of_column = false;  // of the second coordinate
  int64_t within = 0;      // in the table of that half
};
inline SincosColumn ColumnOf(const SincosTable& t, int64_t column) {
  const bool second = column >= t.half.width;
  return {second != t.column_first, column % t.half.width};
}
template <class T>
T Entry(const SincosTable& t, int64_t row, int64_t column_position, int64_t column) {
  const SincosColumn c = ColumnOf(t, column);
  return Entry<T>(t.half, c.of_column ? column_position : row, c.within);
}

// AXES-4. pe(x, y) = px(x) + py(y).
template <class T>
T Factorised(const T& px, const T& py) {
  return px + py;
}

// AXES-14. (r - r' + H - 1) (2W - 1) + (c - c' + W - 1), and BEiT's rows of the class token.
inline int64_t WindowIndex(const Window& w, int64_t query, int64_t key) {
  if (w.cls == ClsToken::kBeit) {
    if (query == 0 && key == 0) return w.offsets() + 2;
    if (key == 0) return w.offsets() + 1;
    if (query == 0) return w.offsets();
    --query, --key;
  }
  const int64_t rows = query / w.width - key / w.width, columns = query % w.width - key % w.width;
  return (rows + w.height - 1) * (2 * w.width - 1) + (columns + w.width - 1);
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_MULTI_AXIS_H_
