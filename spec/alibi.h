// ALiBi, as a contract (spec/alibi.md; Press, Smith, Lewis 2022, arXiv:2108.12409).
#ifndef GNOMON_SPEC_ALIBI_H_
#define GNOMON_SPEC_ALIBI_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/spec/attention.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon {

// ALIBI-3. What a row is measured from.
enum class AlibiForm {
  kDistance,       // -slope |m - n|
  kKey,            // slope n
  kKeyFromTheEnd,  // slope (n - (T - 1)), T keys
  kDistanceBelow,  // -slope (m - n) where n <= m, else 0
};
inline const std::vector<std::string> kAlibiFormNames = {"distance", "key", "key_from_the_end",
                                                         "distance_below"};

// ALIBI-1. A slope is 2^(-B numerator / denominator).
struct AlibiExponent {
  Number bias_max = 8;  // B
  int64_t numerator = 1, denominator = 1;
};

// ALIBI-1. Heads are counted from 0 here: `head` = h - 1.
struct AlibiSlopes {
  int64_t num_heads = 1;  // H, 1 to 2^16
  Number bias_max = 8;    // B, in (0, 2^20]

  // c: the largest power of two that is at most H.
  int64_t heads_below() const {
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(num_heads)));
  }
  // h / c, or (2 (h - c) - 1) / (2 c).
  AlibiExponent ExponentOf(int64_t head) const {
    const int64_t h = head + 1, c = heads_below();
    return h <= c ? AlibiExponent{bias_max, h, c} : AlibiExponent{bias_max, 2 * (h - c) - 1, 2 * c};
  }
};

namespace alibi {

inline constexpr int64_t kMaxHeads = int64_t{1} << 16;
inline constexpr double kMaxBiasMax = 0x1p20;

inline Number ReadBiasMax(ParameterReader& reader) {
  const Number bias_max = reader.GetNumber("alibi_bias_max", 8);
  if (!(bias_max.value > 0 && bias_max.value <= kMaxBiasMax))
    throw Rejected("alibi_bias_max", Plain(bias_max), "must be positive and at most 2^20",
                   "ALIBI-1");
  return bias_max;
}

inline AlibiSlopes ReadSlopes(ParameterReader& reader) {
  AlibiSlopes s;
  s.num_heads = reader.GetRequiredInteger("num_heads", 1, kMaxHeads);
  s.bias_max = ReadBiasMax(reader);
  return s;
}

inline AlibiSlopes ReadSlopes(const Case& c) {
  ParameterReader reader(c.parameters, "ALIBI-1");
  const AlibiSlopes s = ReadSlopes(reader);
  reader.RejectOthers();
  return s;
}

struct BiasParameters {
  AlibiSlopes slopes;
  AlibiForm form = AlibiForm::kDistance;
};

inline AlibiForm ReadForm(ParameterReader& reader) {
  if (!reader.Has("form"))
    throw Rejected("form", "(missing)",
                   "is required: one of distance, key, key_from_the_end, "
                   "distance_below",
                   "ALIBI-3");
  return reader.GetName("form", AlibiForm::kDistance, kAlibiFormNames);
}

inline BiasParameters ReadBias(const Case& c) {
  ParameterReader reader(c.parameters, "ALIBI-3");
  BiasParameters p;
  p.slopes = ReadSlopes(reader);
  p.form = ReadForm(reader);
  reader.RejectOthers();
  return p;
}

// ALIBI-8. Attention: the heads are those of q.
struct AttentionParameters {
  attention::Parameters heads;
  BiasParameters bias;
};

inline AttentionParameters ReadAttention(const Case& c) {
  ParameterReader reader(c.parameters, "ALIBI-8");
  AttentionParameters p;
  p.heads = attention::ReadMaskAndScale(reader);
  p.bias.slopes.num_heads = attention::ExtentsOf(c).heads;
  if (p.bias.slopes.num_heads < 1 || p.bias.slopes.num_heads > kMaxHeads)
    throw Rejected("q", "query_heads " + std::to_string(p.bias.slopes.num_heads),
                   "must be 1 to 65536", "ALIBI-8");
  p.bias.slopes.bias_max = ReadBiasMax(reader);
  p.bias.form = ReadForm(reader);
  reader.RejectOthers();
  return p;
}

// ALIBI-2, ALIBI-3. The integer that the slope is multiplied by, m the query's position, n the
// key's.
inline int64_t Factor(AlibiForm form, int64_t m, int64_t n, int64_t keys) {
  switch (form) {
    case AlibiForm::kKey:
      return n;
    case AlibiForm::kKeyFromTheEnd:
      return n - (keys - 1);
    case AlibiForm::kDistanceBelow:
      return n <= m ? n - m : 0;
    default:
      return n <= m ? n - m : m - n;
  }
}

// ALIBI-5. C: how many roundings a slope amounts to.
inline double SlopeRoundings(AngleForm form, const AlibiExponent& of) {
  const double k = static_cast<double>(of.numerator), d = static_cast<double>(of.denominator);
  const double e = of.bias_max.value * k / d;
  const bool exact = !IsInexact(of.bias_max) && RoundToFormat(Format::kF32, e) == e &&
                     std::fma(of.bias_max.value, k, -e * d) == 0;
  const double spread = 0x1.62e42fefa39f0p-1 * e * (1 + 0x1p-40), twice = exact ? 0 : 2 * spread;
  switch (form) {
    case AngleForm::kExact:
      return 2;
    case AngleForm::kExp:
      return 3 + 2 * spread + twice;
    case AngleForm::kChained:
      return 3 * k + 2 + twice;
    default:
      return 3 + twice;
  }
}

// ALIBI-5. S: |stored slope - slope|, stored in that format.
template <class T>
T SlopeBound(const Profile& profile, Format output, Format stored, const AlibiExponent& of,
             const T& slope) {
  const Format working = WorkingFormat(output);
  const double underflows =
      profile.angle == AngleForm::kChained ? static_cast<double>(of.numerator) : 1;
  const T in_working = Gamma(SlopeRoundings(profile.angle, of), UnitRoundoff(working)) * slope +
                       underflows * PowerOfTwo<T>(EtaExponent(working));
  if (stored == working) return in_working;
  const double u = UnitRoundoff(stored);
  return u * slope + (1 + u) * in_working + PowerOfTwo<T>(EtaExponent(stored));
}

// ALIBI-5. E: |computed - slope x| before it is stored in 16 bits.
template <class T>
T BiasError(const Profile& profile, Format output, const AlibiExponent& of, const T& slope,
            int64_t x) {
  if (x == 0) return T(0);
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const double size = std::abs(static_cast<double>(x)), u = UnitRoundoff(arithmetic);
  const double g = Gamma(size > ExactPowerOfTwo(Traits(arithmetic).precision) ? 2 : 1, u);
  const T S = SlopeBound<T>(profile, output, FormatAt(profile.tables, output), of, slope);
  const T y = size * slope;
  return size * S * (1 + g) + g * y + PowerOfTwo<T>(EtaExponent(arithmetic));
}

// ALIBI-5. |computed - slope x|.
template <class T>
T BiasBound(const Profile& profile, Format output, const AlibiExponent& of, const T& slope,
            int64_t x) {
  if (x == 0) return T(0);
  const T E = BiasError(profile, output, of, slope, x);
  if (output == FormatAt(profile.arithmetic, output)) return E;
  const double v = UnitRoundoff(output);
  return v * (std::abs(static_cast<double>(x)) * slope) + (1 + v) * E +
         PowerOfTwo<T>(EtaExponent(output));
}

// ALIBI-8. Whether f16 arithmetic makes an infinity of the distance (ALIBI-4).
inline bool IsInfinite(const Profile& profile, Format output, int64_t x) {
  return FormatAt(profile.arithmetic, output) == Format::kF16 &&
         std::abs(static_cast<double>(x)) >= 65520;
}

}  // namespace alibi
}  // namespace gnomon

#endif  // GNOMON_SPEC_ALIBI_H_
