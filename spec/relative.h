// Relative position vectors, as a contract (spec/relative.md; Shaw et al. 2018, arXiv:1803.02155).
#ifndef GNOMON_SPEC_RELATIVE_H_
#define GNOMON_SPEC_RELATIVE_H_

#include <cmath>
#include <string>
#include <vector>

#include "gnomon/spec/attention.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon {

// REL-2. Which way round positions are subtracted.
enum class Difference { kKeyMinusQuery, kQueryMinusKey };
// REL-7. What stands at keys after the query.
enum class AfterQuery {
  kLeftover,  // the next query's row, or the padding
  kZero,
};
// REL-8. Which columns the skew is given.
enum class SkewForm {
  kCausal,  // keys up to the query
  kFull,    // keys on both sides
};

inline const std::vector<std::string> kDifferenceNames = {"key_minus_query", "query_minus_key"};
inline const std::vector<std::string> kAfterQueryNames = {"leftover", "zero"};
inline const std::vector<std::string> kSkewFormNames = {"causal", "full"};

namespace relative {

inline constexpr int64_t kMaxRelativePosition = int64_t{1} << 20;

// REL-1 to REL-4.
struct VectorParameters {
  int64_t K = 0;  // max_relative_position
  Difference difference = Difference::kKeyMinusQuery;
  Number scale = 1;    // of the scores
  bool rsqrt = false;  // scale is 1 / sqrt(head_dim)

  int64_t rows() const { return 2 * K + 1; }
  bool scaled() const { return rsqrt || !(scale == Number(1)); }
};

inline VectorParameters ReadVectors(const Case& c) {
  ParameterReader reader(c.parameters, "REL-2");
  VectorParameters p;
  p.K = reader.GetRequiredInteger("max_relative_position", 0, kMaxRelativePosition);
  p.difference = reader.GetName("difference", p.difference, kDifferenceNames);
  if (c.operation == "relative.scores") {
    const auto found = c.parameters.find("scale");
    p.rsqrt = found == c.parameters.end() || found->second == Value(std::string("rsqrt_head_dim"));
    if (p.rsqrt) {
      reader.Has("scale");
    } else {
      p.scale = reader.GetNumber("scale", 1);
      if (!(p.scale.value > 0))
        throw Rejected("scale", Plain(p.scale), "must be positive", "REL-3");
    }
  }
  reader.RejectOthers();
  return p;
}

// REL-12.
struct AttentionParameters {
  attention::Parameters heads;
  VectorParameters rows;
};

inline AttentionParameters ReadAttention(const Case& c) {
  ParameterReader reader(c.parameters, "REL-12");
  AttentionParameters p;
  p.heads = attention::ReadMaskAndScale(reader);
  p.rows.K = reader.GetRequiredInteger("max_relative_position", 0, kMaxRelativePosition);
  p.rows.difference = reader.GetName("difference", p.rows.difference, kDifferenceNames);
  reader.RejectOthers();
  return p;
}

// REL-5, REL-7, REL-8.
struct ShiftParameters {
  AfterQuery after = AfterQuery::kLeftover;
  SkewForm form = SkewForm::kCausal;
};

inline ShiftParameters ReadShift(const Case& c) {
  ParameterReader reader(c.parameters, "REL-5");
  ShiftParameters p;
  if (c.operation == "relative.skew") p.form = reader.GetName("form", p.form, kSkewFormNames);
  if (p.form == SkewForm::kCausal) {
    p.after = reader.GetName("after", p.after, kAfterQueryNames);
  } else if (reader.Has("after")) {
    throw Rejected("after", "(given)", "has no meaning where form is full", "REL-8");
  }
  reader.RejectOthers();
  return p;
}

// REL-10. |computed - y| for a sum of products, in any order, fused or not: `size` is the sum of
// the absolute products, `roundings` what the factor of any of them may go through, `lost` how many
// times eta what underflows may cost.
template <class T>
T SumBound(const Profile& profile, Format output, const T& y, const T& size, double roundings,
           const T& lost) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const T error = Gamma(roundings, UnitRoundoff(arithmetic)) * size +
                  2 * lost * PowerOfTwo<T>(EtaExponent(arithmetic));
  if (output == arithmetic) return error;
  const double v = UnitRoundoff(output);
  return v * abs(y) + (1 + v) * error + PowerOfTwo<T>(EtaExponent(output));
}

// REL-10. Of a score; `factors` is the sum of |k| + |a|, `scale` that of REL-3.
template <class T>
T ScoreBound(const Profile& profile, Format output, const T& y, const T& size, int64_t head_dim,
             const T& scale, bool scaled, const T& factors) {
  const double products = 2 * static_cast<double>(head_dim);
  T lost = products;
  if (scaled) lost += products * scale + 1 + factors;
  return SumBound<T>(profile, output, y, size, products + (scaled ? 3 : 0), lost);
}

// REL-10. Of a value, summed over that many keys.
template <class T>
T ValueBound(const Profile& profile, Format output, const T& y, const T& size, int64_t keys) {
  const double products = 2 * static_cast<double>(keys);
  return SumBound<T>(profile, output, y, size, products, T(products));
}

// REL-9. Whether arithmetic of the profile may overflow on the way to a number: `largest` is the
// largest number that some order of the operations can meet, roundings apart.
inline bool MayOverflow(const Profile& profile, Format output, double largest) {
  return !(2 * largest <= LargestFinite(FormatAt(profile.arithmetic, output)));
}

}  // namespace relative
}  // namespace gnomon

#endif  // GNOMON_SPEC_RELATIVE_H_
