// Rotary position embedding, to be read beside spec/rope.md (Su et al. 2021, arXiv:2104.09864).
//
// T is any real number type: reference::Interval for certified enclosures, cpp_bin_float as the
// second opinion. No rounding is part of a definition.
#ifndef GNOMON_REFERENCE_ROPE_H_
#define GNOMON_REFERENCE_ROPE_H_

#include "gnomon/reference/angles.h"
#include "gnomon/reference/rope_scaling.h"
#include "gnomon/spec/rope.h"

namespace gnomon::reference {

// ROPE-1, ROPE-11. w_i = rope_theta^(-2i / rotary_dim), or any number as given, or scaled (SCALE-1
// to SCALE-12); radians a token.
template <class T>
T Frequency(const RopeFrequencies& f, int64_t pair) {
  if (f.scaled()) return ScaledFrequency<T>(f, pair);
  if (!f.frequencies.empty()) return Exactly<T>(f.frequencies[static_cast<size_t>(pair)]);
  return InversePower<T>(f.rope_theta, 2 * pair, f.rotary_dim);
}

// A cosine and a sine, or the two members of a pair.
template <class T>
struct Pair {
  T a, b;
};

// ROPE-4. cos(m w_i) and sin(m w_i).
template <class T>
Pair<T> TableEntry(const RopeFrequencies& f, int64_t position, int64_t pair) {
  const T angle = T(position) * Frequency<T>(f, pair);
  return {cos(angle), sin(angle)};
}

// ROPE-3, ROPE-6. The pair turned by the angle whose cosine and sine are given; the transpose turns
// it by minus that angle.
template <class T>
Pair<T> Rotate(const Pair<T>& x, const T& c, const T& s, RopeDirection direction) {
  const T t = direction == RopeDirection::kForward ? s : T(-s);
  return {x.a * c - x.b * t, x.a * t + x.b * c};
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ROPE_H_
