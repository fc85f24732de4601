// Context extension, to be read beside spec/rope_scaling.md. T as in rope.h.
#ifndef GNOMON_REFERENCE_ROPE_SCALING_H_
#define GNOMON_REFERENCE_ROPE_SCALING_H_

#include "gnomon/reference/rope_ramps.h"

namespace gnomon::reference {

// SCALE-3.
template <class T>
T DynamicFactor(const T& s, const T& L, const T& n) {
  return s * (Below(L, n) ? n : L) / L - (s - 1);
}

// SCALE-10. The state is the length that the frequencies were made for.
template <class T>
T DynamicStep(DynamicUpdate update, const T& L, const T& c, const T& n) {
  if (update == DynamicUpdate::kStateless || Below(c, n)) return n;
  if (update == DynamicUpdate::kReset && Below(n, L)) return L;
  return c;
}
template <class T>
T DynamicState(const RopeScaling& s) {
  const T L = Exactly<T>(s.original_length);
  T c = L;
  for (const int64_t n : s.earlier_seq_lens) c = DynamicStep<T>(s.update, L, c, T(n));
  return DynamicStep<T>(s.update, L, c, T(s.seq_len));
}

// SCALE-12. A: the product is rounded to binary64, as readers of a configuration do.
inline int64_t TurningPairs(const RopeFrequencies& f) {
  const double dims = f.scaling.partial_rotary_factor.value * static_cast<double>(f.rotary_dim);
  return static_cast<int64_t>(std::floor(dims / 2));
}

// w' of every type.
template <class T>
T ScaledFrequency(const RopeFrequencies& f, int64_t i) {
  const RopeScaling& s = f.scaling;
  const T w = UnscaledFrequency<T>(f, i), factor = ScaleFactor<T>(s);
  switch (s.type) {
    case RopeType::kDefault:
      return w;
    case RopeType::kLinear:  // SCALE-1
      return w / factor;
    case RopeType::kNtk:  // SCALE-2
      return NtkFrequency<T>(f, factor, i);
    case RopeType::kDynamic:  // SCALE-3, SCALE-10
      return NtkFrequency<T>(
          f, DynamicFactor<T>(factor, Exactly<T>(s.original_length), DynamicState<T>(s)), i);
    case RopeType::kYarn:    // SCALE-5, SCALE-6
    case RopeType::kLlama3:  // SCALE-8
      return Blend<T>(Kept<T>(f, i), w / factor, w);
    case RopeType::kNtkByParts:  // SCALE-11
      return NtkByParts<T>(f, i).w;
    case RopeType::kLongrope:  // SCALE-9
      return w / Exactly<T>((Below(Exactly<T>(s.original_length), T(s.seq_len))
                                 ? s.long_factor
                                 : s.short_factor)[static_cast<size_t>(i)]);
    case RopeType::kProportional:  // SCALE-12
      return i < TurningPairs(f) ? T(w / factor) : T(0);
  }
  return w;
}

// SCALE-17: C of w' by the form of the angle, upper bounds.
FrequencyCounts CountsOf(const RopeFrequencies& f, int64_t pair, Format output);

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ROPE_SCALING_H_
