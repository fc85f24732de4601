// Magnitudes and temperatures of context extension, to be read beside spec/rope_scaling.md.
#ifndef GNOMON_REFERENCE_ROPE_MAGNITUDE_H_
#define GNOMON_REFERENCE_ROPE_MAGNITUDE_H_

#include "gnomon/reference/rope_ramps.h"

namespace gnomon::reference {

// g(k) of SCALE-7; an absent k is `otherwise`.
template <class T>
T Growth(const RopeScaling& s, const std::optional<Number>& k, double otherwise) {
  return log(ScaleFactor<T>(s)) * Exactly<T>(k.value_or(Number(otherwise))) / 10 + 1;
}

// SCALE-7, SCALE-9.
template <class T>
T Magnitude(const RopeScaling& s) {
  if (!s.HasMagnitude()) return T(1);
  if (s.attention_factor) return Exactly<T>(*s.attention_factor);
  if (s.type == RopeType::kLongrope) {
    const T L = Exactly<T>(s.original_length);
    if (s.short_mscale)
      return Exactly<T>(Below(L, T(s.seq_len)) ? *s.long_mscale : *s.short_mscale);
    return sqrt(1 + log(ScaleFactor<T>(s)) / log(L));
  }
  const T a = Exactly<T>(s.attn_factor);
  const bool each = s.mscale_rule == MscaleRule::kEach;
  if (!each && !(s.mscale && s.mscale_all_dim)) return a * Growth<T>(s, std::nullopt, 1);
  if (s.mscale.value_or(Number(1)) == s.mscale_all_dim.value_or(Number(0))) return a;
  return a * Growth<T>(s, s.mscale, 1) / Growth<T>(s, s.mscale_all_dim, 0);
}

// SCALE-13.
template <class T>
T SoftmaxFactor(const RopeScaling& s) {
  if (s.placement == MagnitudePlacement::kSplit) {
    const T g = Growth<T>(s, s.mscale_all_dim, 0);
    return g * g;
  }
  if (!s.HasMagnitude() || s.placement != MagnitudePlacement::kSoftmax) return T(1);
  const bool longrope = s.type == RopeType::kLongrope;
  const T t = s.attention_factor || longrope
                  ? Magnitude<T>(s)
                  : T(Exactly<T>(s.attn_factor) * Growth<T>(s, s.mscale, 1));
  return t * t;
}

// SCALE-15.
template <class T>
T QueryTemperature(const gnomon::rope_scaling::Temperature& t, int64_t position) {
  const Fraction<T> step = FractionOf<T>(t.floor_scale);
  const T steps = Floor<T>(T(position + 1) * step.denominator / step.numerator);
  return 1 + Exactly<T>(t.attn_scale) * log(1 + steps);
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ROPE_MAGNITUDE_H_
