// T5's relative position bias and DeBERTa's buckets, as a contract (spec/t5_bias.md; Raffel et al.
// 2020, arXiv:1910.10683; He et al. 2020, arXiv:2006.03654).
#ifndef GNOMON_SPEC_T5_BIAS_H_
#define GNOMON_SPEC_T5_BIAS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/spec/attention.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon {

// T5-1.
struct T5Buckets {
  int64_t num_buckets = 32;
  int64_t max_distance = 128;  // D, in tokens
  bool bidirectional = true;

  int64_t side() const { return bidirectional ? num_buckets / 2 : num_buckets; }  // b
  int64_t max_exact() const { return side() / 2; }                                // E
  int64_t logarithmic() const { return side() - max_exact(); }                    // L
  // T5-3. The distance that is looked up, and what is added to its bucket. `rel`: key - query.
  int64_t Distance(int64_t rel) const {
    return bidirectional ? (rel < 0 ? -rel : rel) : std::max<int64_t>(-rel, 0);
  }
  int64_t Offset(int64_t rel) const { return bidirectional && rel > 0 ? side() : 0; }
};

// T5-5.
struct DebertaBuckets {
  int64_t position_buckets = 256;
  int64_t max_relative_positions = 512;
  bool clamp = true;

  int64_t middle() const { return position_buckets / 2; }      // M
  int64_t last() const { return max_relative_positions - 1; }  // D, in tokens
  // The distance whose logarithm is taken. `rel`: query - key.
  int64_t Distance(int64_t rel) const {
    const int64_t x = rel < 0 ? -rel : rel;
    return clamp ? std::min(x, last()) : x;
  }
};

namespace t5_bias {

inline constexpr int64_t kMaxBuckets = 4096;
inline constexpr int64_t kMaxDistance = int64_t{1} << 31;

inline T5Buckets ReadBuckets(ParameterReader& reader) {
  T5Buckets t;
  t.num_buckets = reader.GetInteger("num_buckets", 32, 1, kMaxBuckets);
  t.max_distance = reader.GetInteger("max_distance", 128, 1, kMaxDistance);
  t.bidirectional = reader.GetFlag("bidirectional", std::nullopt, "T5-1");
  if (t.max_exact() < 1)
    throw Rejected("num_buckets", std::to_string(t.num_buckets),
                   "must leave each side at least 2 buckets", "T5-1");
  if (t.max_distance <= t.max_exact())
    throw Rejected("max_distance", std::to_string(t.max_distance),
                   "must be above max_exact, " + std::to_string(t.max_exact()), "T5-1");
  return t;
}

inline T5Buckets ReadBuckets(const Case& c) {
  ParameterReader reader(c.parameters, "T5-1");
  const T5Buckets t = ReadBuckets(reader);
  reader.RejectOthers();
  return t;
}

// T5-9. `scale` is 1 unless it is given.
struct AttentionParameters {
  attention::Parameters heads;
  T5Buckets buckets;
};

inline AttentionParameters ReadAttention(const Case& c) {
  ParameterReader reader(c.parameters, "T5-9");
  AttentionParameters p;
  p.heads = attention::ReadMaskAndScale(reader);
  if (!p.heads.scale) p.heads.scale = Number(1);
  p.buckets = ReadBuckets(reader);
  reader.RejectOthers();
  return p;
}

inline DebertaBuckets ReadDeberta(const Case& c) {
  ParameterReader reader(c.parameters, "T5-5");
  DebertaBuckets d;
  d.position_buckets = reader.GetInteger("position_buckets", 256, 4, kMaxBuckets);
  d.max_relative_positions = reader.GetInteger("max_relative_positions", 512, 1, kMaxDistance);
  d.clamp = reader.GetFlag("clamp", true, "T5-5");
  reader.RejectOthers();
  if (d.last() <= d.middle())
    throw Rejected("max_relative_positions", std::to_string(d.max_relative_positions),
                   "must be above position_buckets / 2 + 1", "T5-5");
  if (!d.clamp && d.max_relative_positions < d.position_buckets)
    throw Rejected("max_relative_positions", std::to_string(d.max_relative_positions),
                   "must not be below position_buckets without clamp", "T5-5");
  return d;
}

// T5-6. Between which numbers the float recipe's quotient lies, for a distance x of at least E.
// `E`, `D`, `L`: max_exact, max_distance, logarithmic buckets; DeBERTa: M, D, M - 1.
template <class T>
struct FloatQuotient {
  T low, high;
};
template <class T>
FloatQuotient<T> QuotientOf(Format output, int64_t E, int64_t D, int64_t L, int64_t x) {
  using std::log;
  const double u = UnitRoundoff(WorkingFormat(output));
  const double A = Gamma(5, u), F = Gamma(2, u), G = Gamma(6, u);
  const T t = log(T(static_cast<double>(x)) / static_cast<double>(E));
  const T c = log(T(static_cast<double>(D)) / static_cast<double>(E));
  const double buckets = static_cast<double>(L), exact = static_cast<double>(E);
  FloatQuotient<T> q;  // c is at least 1/2049, so c - F is positive
  q.high = (t + A) * buckets / (c - F) * (1 + G);
  q.high = q.high + u * (exact + q.high);
  q.low = (t - A) * buckets / (c + F) * (1 - G);
  q.low = q.low - u * (exact + q.low);
  return q;
}

// Whether the profile forms the logarithm in floating point.
inline bool ByFloat(const Profile& profile) { return profile.angle != AngleForm::kExact; }

}  // namespace t5_bias
}  // namespace gnomon

#endif  // GNOMON_SPEC_T5_BIAS_H_
