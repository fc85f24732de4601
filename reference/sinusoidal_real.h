// Timesteps, Fourier features and NeRF, to be read beside spec/sinusoidal.md (SIN-20 to SIN-22).
#ifndef GNOMON_REFERENCE_SINUSOIDAL_REAL_H_
#define GNOMON_REFERENCE_SINUSOIDAL_REAL_H_

#include <memory>
#include <utility>

#include "gnomon/reference/angles.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::reference {

// SIN-20. w_i = max_period^(-i / (h - shift)).
template <class T>
T Frequency(const gnomon::sinusoidal::Timestep& p, int64_t pair) {
  return InversePower<T>(p.max_period, pair, p.pairs() - p.shift);
}

// SIN-20. The angle of pair i at time t: scale t w_i.
template <class T>
T Angle(const gnomon::sinusoidal::Timestep& p, double t, int64_t pair) {
  return Exactly<T>(p.scale) * T(t) * Frequency<T>(p, pair);
}

// SIN-22, unit one. The angle of octave k at x: 2^k x, or what lies evenly between 1 and 2^(L - 1).
template <class T>
T Angle(const gnomon::sinusoidal::Nerf& p, double x, int64_t octave) {
  return T(x) * T(p.Numerator(octave)) / T(p.Denominator());
}

template <class T>
struct CosSin {
  T cos, sin;
};

// A rational number of quarter turns: `whole` modulo 4 and a rest of at most half a quarter. SIN-21
// and SIN-22 with unit pi are reduced this way, exactly: a quarter has sines that are 0 and 1.
template <class T>
CosSin<T> OfQuarters(int whole, const T& rest, const T& pi) {
  const T angle = rest * pi / 2;
  const T c = cos(angle), s = sin(angle);
  switch (whole) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

namespace sinusoidal {

// Of the three operations of this page.
std::unique_ptr<Truth> MakeRealTruth(const Case& c);

}  // namespace sinusoidal
}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_SINUSOIDAL_REAL_H_
