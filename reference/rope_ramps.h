// NTK-aware bases, ramps and blends (SCALE-2, SCALE-4 to SCALE-8, SCALE-11), to be read beside
// spec/rope_scaling.md. T as in rope.h.
#ifndef GNOMON_REFERENCE_ROPE_RAMPS_H_
#define GNOMON_REFERENCE_ROPE_RAMPS_H_

#include "gnomon/reference/real.h"
#include "gnomon/spec/rope.h"

namespace gnomon::reference {

template <class T>
T ScaleFactor(const RopeScaling& s) {
  return Exactly<T>(s.factor) / Exactly<T>(s.factor_divisor);
}

// ROPE-1.
template <class T>
T UnscaledFrequency(const RopeFrequencies& f, int64_t i) {
  return InversePower<T>(f.rope_theta, 2 * i, f.rotary_dim);
}

// SCALE-2. b' = b s^(d / (d - 2)) as base: b'^(-2i/d) = b^(-2i/d) s^(-2i/(d-2)).
template <class T>
T NtkFrequency(const RopeFrequencies& f, const T& s, int64_t i) {
  return UnscaledFrequency<T>(f, i) * InversePowerOf(s, 2 * i, f.rotary_dim - 2);
}

// SCALE-4.
template <class T>
T Ramp(const T& lo, const T& hi, const T& x) {
  const T q = (x - lo) / (hi - lo);
  return Below(q, T(0)) ? T(0) : Below(T(1), q) ? T(1) : q;
}
template <class T>
T Blend(const T& g, const T& slow, const T& fast) {
  return (1 - g) * slow + g * fast;
}

// SCALE-5: rotations over the original context.
template <class T>
T Rotations(const RopeScaling& s, const T& w) {
  return Exactly<T>(s.original_length) * w / (2 * Pi<T>());
}

// SCALE-6.
template <class T>
struct Range {
  T lo, hi;
};
template <class T>
T CorrectionDim(const RopeFrequencies& f, const T& rotations) {
  return f.rotary_dim * log(Exactly<T>(f.scaling.original_length) / (2 * Pi<T>() * rotations)) /
         (2 * log(Exactly<T>(f.rope_theta)));
}
template <class T>
Range<T> CorrectionRange(const RopeFrequencies& f, bool truncate, const T& fast, const T& slow) {
  T lo = CorrectionDim<T>(f, fast), hi = CorrectionDim<T>(f, slow);
  if (truncate) lo = Floor(lo), hi = -Floor(T(-hi));
  if (Below(lo, T(0))) lo = T(0);
  if (Below(T(f.rotary_dim - 1), hi)) hi = T(f.rotary_dim - 1);
  if (Below(hi, lo))
    throw Rejected("original_max_position_embeddings", ToText(f.scaling.original_length),
                   "the range of the ramp ends before it begins", "SCALE-6");
  if (!Below(lo, hi)) hi += T(1) / 1000;
  return {lo, hi};
}
template <class T>
Range<T> YarnRange(const RopeFrequencies& f) {
  const RopeScaling& s = f.scaling;
  return CorrectionRange<T>(f, s.truncate, Exactly<T>(s.beta_fast), Exactly<T>(s.beta_slow));
}

// SCALE-5, SCALE-6, SCALE-8: how much of the unscaled frequency is kept.
template <class T>
T Kept(const RopeFrequencies& f, int64_t i) {
  const RopeScaling& s = f.scaling;
  const T r = Rotations<T>(s, UnscaledFrequency<T>(f, i));
  if (s.type == RopeType::kLlama3) {
    const T low = Exactly<T>(s.low_freq_factor), high = Exactly<T>(s.high_freq_factor);
    if (Below(r, low)) return T(0);
    return Below(high, r) ? T(1) : Ramp<T>(low, high, r);
  }
  const T e = Exactly<T>(s.extrapolation_factor);
  if (s.ramp == YarnRamp::kRotations)
    return e * Ramp<T>(Exactly<T>(s.beta_slow), Exactly<T>(s.beta_fast), r);
  const Range<T> range = YarnRange<T>(f);
  return e * (1 - Ramp<T>(range.lo, range.hi, T(i)));
}

// SCALE-11.
template <class T>
struct ByParts {
  T g1, v, g2, w;
};
template <class T>
ByParts<T> NtkByParts(const RopeFrequencies& f, int64_t i) {
  const RopeScaling& s = f.scaling;
  const T w = UnscaledFrequency<T>(f, i), factor = ScaleFactor<T>(s);
  const auto g = [&](const Number& weight, const T& fast, const T& slow) -> T {
    const Range<T> range = CorrectionRange<T>(f, true, fast, slow);
    return Exactly<T>(weight) * (1 - Ramp<T>(range.lo, range.hi, T(i)));
  };
  const T g1 = g(s.ntk_factor, T(1.25), T(0.75)), g2 = g(s.extrapolation_factor, T(16), T(2));
  const T v = Blend<T>(g1, w / factor, NtkFrequency<T>(f, factor, i));
  return {g1, v, g2, Blend<T>(g2, v, w)};
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ROPE_RAMPS_H_
