// xPos, the second page of RoPE, as a contract (spec/rope_xpos.md; Sun et al. 2022,
// arXiv:2212.10554): rope.xpos, a rotation of which every pair is scaled by the distance of its
// position from a centre.
#ifndef GNOMON_SPEC_ROPE_XPOS_H_
#define GNOMON_SPEC_ROPE_XPOS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/rope.h"

namespace gnomon {

// XPOS-1. A query is multiplied by the scale, a key divided by it.
enum class XposRole { kQuery, kKey };
inline const std::vector<std::string> kXposRoleNames = {"query", "key"};

// XPOS-1 to XPOS-3.
struct Xpos {
  RopeApply apply;  // the rotation, without context extension
  XposRole role = XposRole::kQuery;
  int64_t scale_base = 512;  // tokens, 1 to 2^20
  int64_t center = 0;        // the position where the scale is 1, in [-2^24, 2^24]

  // XPOS-1. zeta of a pair is Numerator / Denominator.
  int64_t Numerator(int64_t pair) const { return 10 * pair + 2 * apply.frequencies.rotary_dim; }
  int64_t Denominator() const { return 7 * apply.frequencies.rotary_dim; }
  // n of the scale zeta^(n / scale_base).
  int64_t Steps(int64_t position) const {
    return role == XposRole::kQuery ? position - center : center - position;
  }
};

namespace rope {

inline constexpr int64_t kMaxScaleBase = int64_t{1} << 20, kMaxCenter = int64_t{1} << 24;
inline constexpr int64_t kMaxXposExponent = 64;  // of zeta, either way (XPOS-1)

Xpos ReadXpos(const Case& c);
// For Operations().
OperationSpec XposOperation(const std::vector<ParameterSpec>& apply, const TensorSpec& positions);

// XPOS-5. K: roundings that the scale of a pair amounts to.
inline double ScaleRoundings(AngleForm form, const Xpos& p, int64_t position, int64_t pair,
                             Format output) {
  if (position == p.center) return 0;
  const double inverse = p.role == XposRole::kKey ? 2 : 0;
  if (form == AngleForm::kExact) return 2 + inverse;
  const double largest = ExactPowerOfTwo(Traits(WorkingFormat(output)).precision);
  const double distance = std::abs(static_cast<double>(position - p.center));
  const double base = static_cast<double>(p.scale_base);
  const double log_zeta =
      std::log(static_cast<double>(p.Denominator()) / static_cast<double>(p.Numerator(pair))) *
      (1 + 0x1p-40);
  const double at = std::abs(static_cast<double>(position));
  return 2 + inverse + distance / base * (6 + log_zeta * (distance > largest ? 2 : 1)) +
         (at > largest ? 2 * log_zeta * at / base : 0);
}

// XPOS-6. How far off the scale is, relatively, in the format that tables are stored in.
inline double ScaleError(const Profile& profile, Format output, double roundings) {
  if (roundings == 0) return 0;
  const Format working = WorkingFormat(output), stored = FormatAt(profile.tables, output);
  const double s = Gamma(roundings, UnitRoundoff(working));
  return stored == working ? s : s + UnitRoundoff(stored) * (1 + s);
}

// XPOS-6. As RotationBound of BOUND-5; y, S, S_turned and size times the scale.
template <class T>
T XposBound(const Profile& profile, Format output, double roundings, const T& scale, const T& y,
            const T& S, const T& S_turned, const T& size, const T& D) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const double u = UnitRoundoff(arithmetic), d = TableError(profile, output);
  const double s = ScaleError(profile, output, roundings);
  // (1 + d)(1 + s)(1 + u)^3 - 1, without its cancellation.
  const double entry = d + s + d * s, products = 3 * u + 3 * u * u + u * u * u;
  const double rounding = (entry + products + entry * products) * (1 + 0x1p-48);
  const T underflow =
      (1 + s) * (10 * (1 + scale) * Underflow<T>(arithmetic, profile.flushes) +
                 2 * (1 + 2 / scale) * size *
                     Underflow<T>(FormatAt(profile.tables, output), profile.flushes) +
                 (profile.flushes ? 4 * scale * Underflow<T>(output, true) : T(0)));
  const T in_arithmetic = rounding * (S + D * S_turned) + underflow + D * S_turned + D * D / 2 * S;
  if (output == arithmetic) return in_arithmetic;
  const double v = UnitRoundoff(output);
  return v * abs(y) + (1 + v) * in_arithmetic + Underflow<T>(output, profile.flushes);
}

// XPOS-4. Whether some order of the products may leave the range of the formats on the way.
// `size`: |x0| + |x1|, finite members alone.
inline bool XposMayOverflow(const Profile& profile, Format output, double roundings, double scale,
                            double size) {
  const Format tables = FormatAt(profile.tables, output);
  const double error = 1 + ScaleError(profile, output, roundings);
  const double largest = LargestFinite(FormatAt(profile.arithmetic, output));
  const double smallest = ExactPowerOfTwo(1 - Traits(tables).max_exponent);
  return size * std::max(scale, 1.0) * error * 1.05 > largest ||
         scale * error > LargestFinite(tables) || scale < smallest * error;
}

}  // namespace rope
}  // namespace gnomon

#endif  // GNOMON_SPEC_ROPE_XPOS_H_
