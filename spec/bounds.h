// Error bounds that every scheme built on angles shares (spec/bounds.md, BOUND-1 to BOUND-8).
//
// Templates over the number type: evaluated on intervals they bound rigorously, on binary64 they
// serve the fast path.
#ifndef GNOMON_SPEC_BOUNDS_H_
#define GNOMON_SPEC_BOUNDS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <type_traits>

#include "gnomon/spec/case.h"
#include "gnomon/spec/format.h"

namespace gnomon {

// BOUND-1. How an implementation says it forms an angle.
enum class AngleForm {
  kExact,    // no error before the table is rounded
  kWorking,  // frequency by pow, product with the position, in the working format
  kExp,      // frequency by exp(-e ln base)
  kChained,  // frequency multiplied up pair by pair
};
// The format that tables, or arithmetic, run in.
enum class Stage {
  kWorking,  // f32; f64 where the output is f64
  kOutput,   // the format of the output
};

// BOUND-1. A profile: three declared facts, from which the bound follows.
struct Profile {
  std::string_view name;
  bool correctly_rounded;
  AngleForm angle;
  Stage tables;
  Stage arithmetic;
  bool flushes = false;  // BOUND-8: subnormals may count as 0, by declaration
};
using Profiles = std::array<Profile, 6>;

// In the order in which a verdict tries them; they are not all nested.
inline constexpr Profiles kProfiles = {{
    {"rounded", true, AngleForm::kExact, Stage::kWorking, Stage::kWorking},
    {"standard", false, AngleForm::kExact, Stage::kWorking, Stage::kWorking},
    {"f32-angle", false, AngleForm::kWorking, Stage::kWorking, Stage::kWorking},
    {"f32-exp", false, AngleForm::kExp, Stage::kWorking, Stage::kWorking},
    {"f32-angle-16", false, AngleForm::kWorking, Stage::kOutput, Stage::kOutput},
    {"f32-chained", false, AngleForm::kChained, Stage::kWorking, Stage::kWorking},
}};

// BOUND-8. The same for whoever declares flushing; nothing is granted beside a rounded truth.
inline constexpr Profiles kFlushingProfiles = [] {
  Profiles all = kProfiles;
  for (Profile& profile : all) profile.flushes = !profile.correctly_rounded;
  return all;
}();
constexpr const Profiles& ProfilesFor(bool flushes) {
  return flushes ? kFlushingProfiles : kProfiles;
}

constexpr std::optional<size_t> ProfileFromName(std::string_view name) {
  for (size_t i = 0; i < kProfiles.size(); ++i)
    if (kProfiles[i].name == name) return i;
  return std::nullopt;
}

constexpr Format WorkingFormat(Format output) {
  return output == Format::kF64 ? Format::kF64 : Format::kF32;
}
constexpr Format FormatAt(Stage stage, Format output) {
  return stage == Stage::kOutput ? output : WorkingFormat(output);
}

// gamma(n) = n u / (1 - n u): what n roundings in a row can do to a product (BOUND-2). The last
// factor makes up for the roundings of this line.
constexpr double Gamma(double n, double u) {
  return n * u < 1 ? n * u / (1 - n * u) * (1 + 0x1p-51) : std::numeric_limits<double>::infinity();
}

// Where an angle comes from, for its error in units of u (BOUND-3).
struct AngleOrigin {
  int64_t numerator = 0;    // of the exponent e in base^-e, 2i
  int64_t denominator = 1;  // d
  double log_base = 0;      // |ln base|, rounded up
  bool explicit_frequency = false;
  int64_t pair = 0;
  bool inexact_base = false;   // no value of f32: rounding it costs e more
  bool inexact_given = false;  // the given frequency is no value of f32
  bool exact_product = false;  // it is 0 or a power of two
};

// Whether rounding it to f32 changes it.
inline bool IsInexact(const Number& number) {
  return !IsBinary64(number) || number.value != RoundToFormat(Format::kF32, number.value);
}

// Of a given frequency. `numerator` and the base play no part.
inline AngleOrigin GivenOrigin(const Number& frequency, int64_t pair) {
  AngleOrigin origin;
  int exponent;
  const double fraction = std::abs(std::frexp(frequency.value, &exponent));
  origin.explicit_frequency = true;
  origin.pair = pair;
  origin.inexact_given = IsInexact(frequency);
  origin.exact_product = !origin.inexact_given && (fraction == 0 || fraction == 0.5);
  return origin;
}

// BOUND-3. Relative error of a frequency formed in the working format, as a count of roundings.
inline double FrequencyRoundings(AngleForm form, const AngleOrigin& o) {
  if (form == AngleForm::kExact) return 0;
  if (o.explicit_frequency) return o.inexact_given ? 1 : 0;  // rounded to the working format
  if (o.numerator == 0) return 0;                            // 1, in every form
  const int64_t reduced = o.denominator / std::gcd(o.numerator, o.denominator);
  const bool inexact = (reduced & (reduced - 1)) != 0;  // e is no binary fraction
  const double spread = o.log_base * static_cast<double>(o.numerator) /
                        static_cast<double>(o.denominator) * (1 + 0x1p-50);  // its own roundings
  const double base =
      o.inexact_base ? static_cast<double>(o.numerator) / static_cast<double>(o.denominator) : 0;
  switch (form) {
    case AngleForm::kExp:
      return 3 + 2 * spread;
    case AngleForm::kChained:  // the exponent that is rounded is -2/d, whatever the pair
      return 3 + spread + 3 * static_cast<double>(o.pair) + base;
    default:
      return 3 + (inexact ? spread : 0) + base;
  }
}

// BOUND-3. D / |a|, the relative error of an angle: one more rounding for the product, and one for
// a position that the working format cannot hold.
inline double AngleError(AngleForm form, const AngleOrigin& o, int64_t position, Format output) {
  if (form == AngleForm::kExact) return 0;
  const Format working = WorkingFormat(output);
  const double largest = ExactPowerOfTwo(Traits(working).precision);
  const double rounded = std::abs(static_cast<double>(position)) > largest ? 1 : 0;
  const double frequency = FrequencyRoundings(form, o);
  const bool exact = o.explicit_frequency ? o.exact_product : frequency == 0;  // a product with 1
  const double product = exact ? 0 : 1;
  return Gamma(frequency + product + rounded, UnitRoundoff(working));
}

template <class T>
T PowerOfTwo(int exponent) {
  if constexpr (std::is_same_v<T, double>) {
    return ExactPowerOfTwo(exponent);
  } else {
    return ldexp(T(1), exponent);
  }
}

// What an underflow costs: eta; where it may be flushed, the smallest normal number (BOUND-8).
template <class T>
T Underflow(Format format, bool flushes) {
  return PowerOfTwo<T>(flushes ? 1 - Traits(format).max_exponent : EtaExponent(format));
}

// BOUND-3. The absolute part of D: a subnormal frequency errs by eta, and so may the product.
// D = AngleError(...) |a| + AngleUnderflow(...).
template <class T>
T AngleUnderflow(AngleForm form, int64_t position, Format output, bool flushes = false) {
  if (form == AngleForm::kExact || position == 0) return T(0);
  return (2 * std::abs(static_cast<double>(position)) + 1) *
         Underflow<T>(WorkingFormat(output), flushes);
}

// BOUND-2. Relative error of a table entry against its own angle: 2u in the working format (within
// one ulp), then one rounding to the format it is stored in.
inline double TableError(const Profile& profile, Format output) {
  const Format working = WorkingFormat(output);
  const double first = 2 * UnitRoundoff(working);
  const Format stored = FormatAt(profile.tables, output);
  if (stored == working) return first;
  return UnitRoundoff(stored) + first * (1 + UnitRoundoff(stored));
}

// BOUND-3. |computed frequency - w|: within one ulp, or as many roundings as the profile's angle
// takes.
template <class T>
T FrequencyBound(const Profile& profile, Format output, const T& w, const AngleOrigin& origin) {
  using std::abs;
  const Format working = WorkingFormat(output);
  const double roundings = std::max(2.0, FrequencyRoundings(profile.angle, origin));
  const T in_working =
      Gamma(roundings, UnitRoundoff(working)) * abs(w) + Underflow<T>(working, profile.flushes);
  if (output == working) return in_working;
  const double u = UnitRoundoff(output);
  return u * abs(w) + (1 + u) * in_working + Underflow<T>(output, profile.flushes);
}

// BOUND-4. |stored entry - v| for a table entry v whose derivative by the angle is `slope`, angle
// error D; `scalings` counts roundings after the sine (a factor: itself rounded, then the product).
template <class T>
T TableBound(Format output, const T& v, const T& slope, const T& D, int scalings, double scale,
             bool flushes = false) {
  using std::abs;
  const Format working = WorkingFormat(output);
  const double d = Gamma(2 + scalings, UnitRoundoff(working));
  const T moved = D * abs(slope) + D * D / 2 * abs(v);
  const T in_working = d * (abs(v) + D * abs(slope)) + moved +
                       (scalings ? std::abs(scale) + 1 : 1) * Underflow<T>(working, flushes);
  if (output == working) return in_working;
  const double u = UnitRoundoff(output);
  return u * abs(v) + (1 + u) * in_working + Underflow<T>(output, flushes);
}

// BOUND-2. The same where tables are given: their values count as exact, but for the rounding of an
// implementation whose arithmetic is narrower than they are.
inline double GivenTableError(const Profile& profile, Format output, Format table) {
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  return Traits(table).precision > Traits(arithmetic).precision ? UnitRoundoff(arithmetic) : 0;
}

// What x_a, x_b and the tables, stored in `tables`, cost a rotation where they are flushed
// (BOUND-8), or where the tables hold smaller numbers than the arithmetic, and not more bits
// (BOUND-2); size = |x0| + |x1|, turn = |c| + |s|.
template <class T>
T UnderflowOfInputs(const Profile& profile, Format output, Format tables, const T& size,
                    const T& turn) {
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  if (!profile.flushes) {
    const FormatTraits &held = Traits(tables), &used = Traits(arithmetic);
    if (held.min_quantum_exponent >= used.min_quantum_exponent || held.precision > used.precision)
      return T(0);
    const double u = UnitRoundoff(arithmetic);
    return size * T((1 + u) * (1 + u)) * Underflow<T>(arithmetic, false);
  }
  return Underflow<T>(output, true) * turn +
         std::max(Underflow<double>(tables, true), Underflow<double>(arithmetic, true)) * size;
}

// BOUND-5. |computed - y| for y = x0 c - x1 s (or the other component), where
//   S  = |x0 c| + |x1 s|, S' = |x0 s| + |x1 c|, size = |x0| + |x1|, D the angle error,
//   d the relative error of the tables against their own angle (TableError, GivenTableError),
//   inputs what inputs and given tables cost that underflow (UnderflowOfInputs).
template <class T>
T RotationBound(const Profile& profile, Format output, const T& y, const T& S, const T& S_turned,
                const T& size, const T& D, double d, const T& inputs = T(0)) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const double u = UnitRoundoff(arithmetic);
  const T rounding = (T(2 * u) + T(d) + T(8 * u * u)) * (S + D * S_turned);
  T underflow = 3 * Underflow<T>(arithmetic, profile.flushes) + inputs;
  if (d > 0 && !profile.flushes)
    underflow += size * PowerOfTwo<T>(EtaExponent(FormatAt(profile.tables, output)));
  const T moved = D * S_turned + D * D / 2 * S;
  const T in_arithmetic = rounding + underflow + moved;
  if (output == arithmetic) return in_arithmetic;
  const double v = UnitRoundoff(output);
  return v * abs(y) + (1 + v) * in_arithmetic + Underflow<T>(output, profile.flushes);
}

}  // namespace gnomon

#endif  // GNOMON_SPEC_BOUNDS_H_
