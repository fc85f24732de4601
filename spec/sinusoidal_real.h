// The clocks of sinusoidal positions for real arguments, as a contract (spec/sinusoidal.md, SIN-20
// to SIN-24): timesteps, Fourier features, NeRF.
#ifndef GNOMON_SPEC_SINUSOIDAL_REAL_H_
#define GNOMON_SPEC_SINUSOIDAL_REAL_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/spec/sinusoidal.h"

namespace gnomon::sinusoidal {

// SIN-20. A row is that of a table of `width` columns at the real position scale t.
struct Timestep {
  int64_t width = 0;
  Number max_period = 10000;
  int64_t shift = 1;  // downscale_freq_shift
  bool flip = false;  // flip_sin_to_cos: cosines first
  Number scale = 1;   // multiplies t

  int64_t pairs() const { return width / 2; }
  SinusoidalColumn Column(int64_t column) const {
    const int64_t h = pairs();
    if (column == 2 * h) return {SinusoidalColumn::kZero, h};
    return {(column < h) == flip ? SinusoidalColumn::kCosine : SinusoidalColumn::kSine, column % h};
  }
};

// SIN-21. Features of a point, h rows of B.
inline const std::vector<std::string> kFourierLayoutNames = {"cos_sin", "sin_cos"};
enum class FourierLayout { kCosSin, kSinCos };

// SIN-22.
inline const std::vector<std::string> kNerfOrderNames = {"coordinate", "octave"};
inline const std::vector<std::string> kNerfUnitNames = {"pi", "one"};
inline const std::vector<std::string> kNerfSamplingNames = {"log", "linear"};
struct Nerf {
  enum class Order { kCoordinate, kOctave };
  enum class Unit { kPi, kOne };
  enum class Sampling { kLog, kLinear };

  int64_t octaves = 0;  // 1 to 64
  Order order = Order::kCoordinate;
  Unit unit = Unit::kPi;
  Sampling sampling = Sampling::kLog;
  bool include_input = false;

  // The factor of octave k is numerator / denominator.
  uint64_t Numerator(int64_t k) const {
    const uint64_t power = uint64_t{1} << (sampling == Sampling::kLog ? k : octaves - 1);
    if (sampling == Sampling::kLog || k == octaves - 1) return power * Denominator();
    // 1 + k (2^(L - 1) - 1) / (L - 1), L at most 32.
    return Denominator() + static_cast<uint64_t>(k) * (power - 1);
  }
  uint64_t Denominator() const {
    return sampling == Sampling::kLog || octaves == 1 ? 1 : static_cast<uint64_t>(octaves - 1);
  }
  double Factor(int64_t k) const {
    return static_cast<double>(Numerator(k)) / static_cast<double>(Denominator());
  }
};
// What a column of SIN-22 is.
struct NerfColumn {
  enum Kind { kInput, kSine, kCosine } kind;
  int64_t coordinate, octave;
};
inline NerfColumn ColumnOf(const Nerf& p, int64_t coordinates, int64_t column) {
  if (p.include_input) {
    if (column < coordinates) return {NerfColumn::kInput, column, 0};
    column -= coordinates;
  }
  if (p.order == Nerf::Order::kCoordinate)
    return {column % 2 ? NerfColumn::kCosine : NerfColumn::kSine, column / (2 * p.octaves),
            column % (2 * p.octaves) / 2};
  const int64_t within = column % (2 * coordinates);
  return {within < coordinates ? NerfColumn::kSine : NerfColumn::kCosine, within % coordinates,
          column / (2 * coordinates)};
}

Timestep ReadTimestep(const Case& c);
FourierLayout ReadFourier(const Case& c);
Nerf ReadNerf(const Case& c);

// Whether an operation is one of this page's three.
bool IsReal(const std::string& operation);
// They, for Operations().
std::vector<OperationSpec> RealOperations();

// SIN-24. Whether the working format rounds an argument.
inline bool IsRounded(double argument, Format output) {
  return RoundToFormat(WorkingFormat(output), argument) != argument;
}

// SIN-24. Where the frequency of a pair comes from.
inline AngleOrigin OriginOf(const Timestep& p, int64_t pair, double log_max_period) {
  return {pair, p.pairs() - p.shift, log_max_period, false, pair, IsInexact(p.max_period)};
}

// SIN-24. D of the angle K t w; `frequency`: w.
template <class T>
T TimestepError(const Profile& profile, Format output, const Timestep& p, const AngleOrigin& origin,
                double t, const T& scale, const T& frequency) {
  using std::abs;
  if (profile.angle == AngleForm::kExact || t == 0 || p.scale == Number(0)) return T(0);
  double n = FrequencyRoundings(profile.angle, origin);
  // ln, product and quotient, where BOUND-3 has two roundings of the exponent.
  if (profile.angle == AngleForm::kExp)
    n += 2 * origin.log_base * static_cast<double>(origin.numerator) /
         static_cast<double>(origin.denominator);
  if (n > 0) n += 1;
  if (IsRounded(t, output)) n += 1;
  if (!(p.scale == Number(1))) n += IsInexact(p.scale) ? 2 : 1;
  const Format working = WorkingFormat(output);
  const T time = abs(T(t)), factor = abs(scale);
  return Gamma(n, UnitRoundoff(working)) * factor * time * frequency +
         (2 * factor * time + 2 * factor + 2 * frequency + 2 * factor * frequency + 1) *
             Underflow<T>(working, profile.flushes);
}

// SIN-24. D of the angle 2 pi B x. Of a row of B and a point, over the coordinates: sums of |B x|,
// |B| and |x|; whether some B, some x is rounded.
template <class T>
T FourierError(const Profile& profile, Format output, int64_t coordinates, const T& products,
               const T& rows, const T& points, bool rounded_row, bool rounded_point) {
  if (profile.angle == AngleForm::kExact) return T(0);
  const Format working = WorkingFormat(output);
  const double n = static_cast<double>(coordinates) + 2 + rounded_row + rounded_point;
  return Gamma(n, UnitRoundoff(working)) * 6.283185307179587 * products +
         16 * (static_cast<double>(coordinates) + 1 + rows + points) *
             Underflow<T>(working, profile.flushes);
}

// SIN-24. D of the angle of octave k at x.
template <class T>
T NerfError(const Profile& profile, Format output, const Nerf& p, int64_t octave, double x) {
  if (profile.angle == AngleForm::kExact || x == 0) return T(0);
  const bool pi = p.unit == Nerf::Unit::kPi;
  const bool power_of_two = p.sampling == Nerf::Sampling::kLog || octave == 0;
  const double n = (pi ? 2 : 0) + (power_of_two ? 0 : 6) + (IsRounded(x, output) ? 1 : 0);
  if (n == 0) return T(0);
  const Format working = WorkingFormat(output);
  const double factor = p.Factor(octave) * (1 + 0x1p-50);
  // The two constants and the product of doubles: rounded up together.
  const T angle = T((pi ? 3.14159265358979324 : 1.0) * factor * (1 + 0x1p-50)) * std::abs(x);
  return Gamma(n, UnitRoundoff(working)) * angle +
         8 * (1 + T(factor)) * Underflow<T>(working, profile.flushes);
}

}  // namespace gnomon::sinusoidal

#endif  // GNOMON_SPEC_SINUSOIDAL_REAL_H_
