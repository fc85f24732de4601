// Context extension of rotary embeddings, as a contract (spec/rope_scaling.md): parameters, their
// domain, and error counts. Nothing here computes a value of the scheme.
//
// rope.h includes this: rope.frequencies, rope.table and rope.apply take the same parameters.
#ifndef GNOMON_SPEC_ROPE_SCALING_H_
#define GNOMON_SPEC_ROPE_SCALING_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon {

enum class RopeType {
  kDefault,
  kLinear,
  kNtk,
  kDynamic,
  kNtkByParts,
  kYarn,
  kLlama3,
  kLongrope,
  kProportional,
};
enum class DynamicUpdate { kReset, kGrow, kStateless };               // SCALE-10
enum class YarnRamp { kIndex, kRotations };                           // SCALE-6, SCALE-5
enum class MscaleRule { kBoth, kEach };                               // SCALE-7
enum class MagnitudePlacement { kTables, kInput, kSoftmax, kSplit };  // SCALE-13

inline const std::vector<std::string> kRopeTypeNames = {"default", "linear",       "ntk",
                                                        "dynamic", "ntk_by_parts", "yarn",
                                                        "llama3",  "longrope",     "proportional"};
inline const std::vector<std::string> kDynamicUpdateNames = {"reset", "grow", "stateless"};
inline const std::vector<std::string> kYarnRampNames = {"index", "rotations"};
inline const std::vector<std::string> kMscaleRuleNames = {"both", "each"};
inline const std::vector<std::string> kMagnitudePlacementNames = {"tables", "input", "softmax",
                                                                  "split"};

// What each type does not list is at its default.
struct RopeScaling {
  RopeType type = RopeType::kDefault;
  // s = factor / factor_divisor: as given, or max_position_embeddings / L.
  Number factor = 1, factor_divisor = 1;
  Number original_length = 1;  // L, original_max_position_embeddings
  int64_t seq_len = 0;         // n of this call; 0: not known yet
  std::vector<int64_t> earlier_seq_lens;
  DynamicUpdate update = DynamicUpdate::kReset;
  YarnRamp ramp = YarnRamp::kIndex;
  Number beta_fast = 32, beta_slow = 1;
  bool truncate = true;
  Number extrapolation_factor = 1, ntk_factor = 1;
  std::optional<Number> attention_factor;
  Number attn_factor = 1;
  std::optional<Number> mscale, mscale_all_dim;  // SCALE-7: absent, or not 0
  MscaleRule mscale_rule = MscaleRule::kBoth;
  MagnitudePlacement placement = MagnitudePlacement::kTables;
  Number low_freq_factor = 1, high_freq_factor = 4;
  std::vector<Number> short_factor, long_factor;
  std::optional<Number> short_mscale, long_mscale;
  Number partial_rotary_factor = 1;

  bool Uses(const std::string& parameter) const;  // whether the page lists it for the type
  // SCALE-13. Whether the magnitude of SCALE-7 or SCALE-9 stands in the tables, or in y.
  bool HasMagnitude() const { return type == RopeType::kYarn || type == RopeType::kLongrope; }
  bool ScalesTables() const {
    return HasMagnitude() &&
           (placement == MagnitudePlacement::kTables || placement == MagnitudePlacement::kSplit);
  }
  bool ScalesRotation() const {
    return HasMagnitude() && placement != MagnitudePlacement::kSoftmax;
  }
  bool NeedsLength() const { return type == RopeType::kDynamic || type == RopeType::kLongrope; }
};

// SCALE-17. Of one frequency, by AngleForm: C of BOUND-3. Infinite: nothing is promised.
using FrequencyCounts = std::array<double, 4>;

namespace rope_scaling {

inline constexpr int64_t kLongestSequence = int64_t{1} << 31;
inline constexpr int64_t kMostLayers = int64_t{1} << 20;

// What a type's frequencies do not depend on may be missing where only a magnitude is asked.
enum class Asked { kFrequencies, kMagnitude };

// Throws Rejected unless the parameters are in the domain of the page. `rotary_dim`, `rope_theta`:
// ROPE-1; 0: not stated (magnitude alone).
RopeScaling ReadScaling(const Parameters& parameters, ParameterReader& reader, Asked asked,
                        int64_t rotary_dim, const Number& rope_theta);

// The length of the call, where the parameters do not say it: largest position + 1, at least 1.
void ResolveLength(const Case& c, RopeScaling* scaling);
// The rope_type that they state; default where none.
RopeType TypeIn(const Parameters& parameters);
// Throws Rejected where a length is needed and there is none.
void RequireLength(const RopeScaling& scaling);

// SCALE-7, SCALE-9: the parameters of rope_scaling.magnitude.
RopeScaling ReadMagnitude(const Case& c);

// For rope.* operations: the parameters above.
const std::vector<ParameterSpec>& ScalingParameters();

struct Layers {
  int64_t layers = 0;
  int64_t interval = 0;           // 0: none
  std::vector<int64_t> use_rope;  // as given, or empty
};
Layers ReadLayers(const Case& c);

struct Temperature {
  Number attn_scale{std::string("0.1")}, floor_scale = 8192;
};
Temperature ReadTemperature(const Case& c);

// The error counts. `u`: unit roundoff of the working format.

// s = factor / factor_divisor as binary64, and whether that is s; upper bounds serve elsewhere.
inline double FactorValue(const RopeScaling& s) { return s.factor.value / s.factor_divisor.value; }
inline bool FactorIsInexact(const RopeScaling& s) {
  const double q = FactorValue(s);
  return !IsBinary64(s.factor) || !IsBinary64(s.factor_divisor) ||
         std::fma(q, s.factor_divisor.value, -s.factor.value) != 0 || IsInexact(Number(q));
}

// SCALE-17, D(x): of a division by x.
inline double DivisionCount(double x, bool inexact) {
  int exponent;
  if (!inexact && std::abs(std::frexp(x, &exponent)) == 0.5) return 0;
  return inexact ? 3 : 2;
}
inline double DivisionCount(const Number& x) { return DivisionCount(x.value, IsInexact(x)); }
inline double FactorCount(const RopeScaling& s) {
  return DivisionCount(FactorValue(s), FactorIsInexact(s));
}

// SCALE-17. A frequency of a base that is computed: log_base of b', e = numerator / denominator.
// log_factor = ln s', growth = (s max(n, L) / L + s) / s' for dynamic, 0 for ntk.
struct NewBase {
  int64_t numerator = 0, rotary_dim = 4, pair = 0;
  double log_base = 0, log_factor = 0, growth = 0;
  bool inexact_base = false, inexact_factor = false;
};
inline double NewBaseCount(AngleForm form, const NewBase& o, double u) {
  if (form == AngleForm::kExact || o.numerator == 0) return 0;
  const double d = static_cast<double>(o.rotary_dim), e = static_cast<double>(o.numerator) / d;
  const double F = o.growth > 0 ? (4 + o.inexact_factor) * o.growth : o.inexact_factor;
  const double B = 6 + o.inexact_base + d / (d - 2) * (o.log_factor + F);
  if (B * u > 0.125) return std::numeric_limits<double>::infinity();
  const double spread = o.log_base * e;
  if (form == AngleForm::kExp) return 3 + 2 * spread + B * e;
  return 3 + spread + (form == AngleForm::kChained ? 3 * static_cast<double>(o.pair) : 0) + B * e;
}

// SCALE-17. A blend of p and q, 0 < g < 1: K of the ramp, `distance` = |q - p| / w'.
inline double BlendCount(double count_p, double count_q, double K, double distance) {
  return std::max(count_p, count_q) + 3 + K * distance;
}
inline constexpr double kTruncatedRamp = 3;
inline double OpenRamp(double lo, double hi, double u) {
  if (u * (lo + hi) > (hi - lo) / 4) return std::numeric_limits<double>::infinity();
  return 3 + 2 * ((2 * lo + hi) / (hi - lo) + 2);
}
inline double RotationsRamp(double count, double r, double low, double high, bool inexact,
                            double u) {
  if ((count + 4) * u > 0.25 || !(low < high)) return std::numeric_limits<double>::infinity();
  return 4 + 2 * ((count + 4) * r + (inexact ? low + high : 0)) / (high - low);
}

// BOUND-3 with that count. Pair 0 of a base and division by a power of two leave a power of two.
inline double ScaledAngleError(AngleForm form, const FrequencyCounts& counts, int64_t position,
                               Format output) {
  if (form == AngleForm::kExact || position == 0) return 0;
  const Format working = WorkingFormat(output);
  const double count = counts[static_cast<size_t>(form)];
  const double rounded =
      std::abs(static_cast<double>(position)) > ExactPowerOfTwo(Traits(working).precision);
  return Gamma(count + (count > 0) + rounded, UnitRoundoff(working));
}
template <class T>
T ScaledFrequencyBound(const Profile& profile, Format output, const T& w,
                       const FrequencyCounts& counts) {
  using std::abs;
  const Format working = WorkingFormat(output);
  const double count = std::max(2.0, counts[static_cast<size_t>(profile.angle)]);
  const T in_working =
      Gamma(count, UnitRoundoff(working)) * abs(w) + Underflow<T>(working, profile.flushes);
  if (output == working) return in_working;
  const double u = UnitRoundoff(output);
  return u * abs(w) + (1 + u) * in_working + Underflow<T>(output, profile.flushes);
}

// SCALE-18. mu, of the magnitude; softmax_factor squares it.
double MagnitudeCount(const RopeScaling& scaling, Format output);
// gamma(n) |v| + eta, and one rounding more for 16 bits.
template <class T>
T CountedBound(Format output, const T& v, double count) {
  using std::abs;
  const Format working = WorkingFormat(output);
  const T in_working =
      Gamma(count, UnitRoundoff(working)) * abs(v) + PowerOfTwo<T>(EtaExponent(working));
  if (output == working) return in_working;
  const double u = UnitRoundoff(output);
  return u * abs(v) + (1 + u) * in_working + PowerOfTwo<T>(EtaExponent(output));
}

// SCALE-18. As RotationBound of BOUND-5; y, S, S_turned and size times t. `t`: not 1.
template <class T>
T ScaledRotationBound(const Profile& profile, Format output, const RopeScaling& scaling, double mu,
                      double t, const T& y, const T& S, const T& S_turned, const T& size,
                      const T& D, double d, const T& inputs = T(0)) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const double u = UnitRoundoff(arithmetic);
  const bool input = scaling.placement == MagnitudePlacement::kInput;
  const double scaled = input ? u : UnitRoundoff(WorkingFormat(output));
  // (1 + d)(1 + gamma) - 1 and (1 + d')(1 + u)^2 - 1, without their cancellation.
  const double gamma = Gamma(1 + mu, scaled), d_t = d + gamma + d * gamma;
  const double rounding = (d_t + (2 * u + u * u) * (1 + d_t)) * (1 + 0x1p-50);
  const T underflow =
      8 * Underflow<T>(arithmetic, profile.flushes) +
      2 * (1 + 1 / t) * size * Underflow<T>(FormatAt(profile.tables, output), profile.flushes) +
      inputs;
  const T in_arithmetic = rounding * (S + D * S_turned) + underflow + D * S_turned + D * D / 2 * S;
  if (output == arithmetic) return in_arithmetic;
  const double v = UnitRoundoff(output);
  return v * abs(y) + (1 + v) * in_arithmetic + Underflow<T>(output, profile.flushes);
}

}  // namespace rope_scaling
}  // namespace gnomon

#endif  // GNOMON_SPEC_ROPE_SCALING_H_
