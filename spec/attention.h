// Softmax attention, as a contract (spec/attention.md; Vaswani et al. 2017, arXiv:1706.03762).
#ifndef GNOMON_SPEC_ATTENTION_H_
#define GNOMON_SPEC_ATTENTION_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon {

// ATT-2. Which keys a query sees.
enum class AttentionMask {
  kNone,
  kCausal,  // key n <= query m + (keys - queries): the last query sees every key
};
inline const std::vector<std::string> kAttentionMaskNames = {"none", "causal"};

namespace attention {

inline constexpr int64_t kMaxHeadDim = int64_t{1} << 16;

// Of attention.softmax and attention.weights.
struct Parameters {
  AttentionMask mask = AttentionMask::kNone;
  std::optional<Number> scale;           // none: 1 / sqrt(head_dim); 1 for attention.weights
  std::optional<Number> alibi_bias_max;  // given: bias is multiplied by the head's slope (ATT-12)
};

// ATT-1, ATT-2. What every operation that ends in this softmax takes.
inline Parameters ReadMaskAndScale(ParameterReader& reader) {
  Parameters p;
  if (!reader.Has("mask"))
    throw Rejected("mask", "(missing)", "must be one of none, causal", "ATT-2");
  p.mask = reader.GetName("mask", p.mask, kAttentionMaskNames);
  if (reader.Has("scale")) p.scale = reader.GetNumber("scale", 1);
  return p;
}

inline Parameters ReadParameters(const Case& c) {
  ParameterReader reader(c.parameters, "ATT-2");
  Parameters p = ReadMaskAndScale(reader);
  if (reader.Has("alibi_bias_max")) {
    p.alibi_bias_max = reader.GetNumber("alibi_bias_max", 8);
    if (!(p.alibi_bias_max->value > 0))
      throw Rejected("alibi_bias_max", Plain(*p.alibi_bias_max), "must be positive", "ATT-12");
    if (!c.inputs.count("bias"))
      throw Rejected("alibi_bias_max", Plain(*p.alibi_bias_max),
                     "multiplies bias, which is missing", "ATT-12");
  }
  reader.RejectOthers();
  return p;
}

// The extents of one case. attention.weights has head_dim 1, value_dim 0 and a key head a query
// head.
struct Extents {
  int64_t batch = 0, queries = 0, heads = 0, keys = 0, kv_heads = 0, head_dim = 1, value_dim = 0;

  // ATT-12. Heads in a row share a key head.
  int64_t KvHead(int64_t head) const { return head / (heads / kv_heads); }
  // ATT-2.
  bool Sees(AttentionMask mask, int64_t query, int64_t key) const {
    return mask == AttentionMask::kNone || key <= query + (keys - queries);
  }
};

inline Extents ExtentsOf(const Case& c) {
  Extents e;
  if (c.operation == "attention.weights") {
    const Shape& s = c.inputs.at("scores").shape();
    e.batch = s[0], e.heads = s[1], e.queries = s[2], e.keys = s[3], e.kv_heads = s[1];
    return e;
  }
  const Shape &q = c.inputs.at("q").shape(), &k = c.inputs.at("k").shape();
  e.batch = q[0], e.queries = q[1], e.heads = q[2], e.head_dim = q[3];
  e.keys = k[1], e.kv_heads = k[2], e.value_dim = c.inputs.at("v").shape()[3];
  return e;
}

// The inputs q, k, v and key_mask, and the parameters mask and scale, of the operations that define
// their bias themselves (ALIBI-8).
std::vector<TensorSpec> HeadInputs();
std::vector<ParameterSpec> HeadParameters();
// ATT-2, ATT-12. Their shapes and formats. Throws Rejected.
Extents ValidateHeads(const Case& c);
// ALIBI-8. Positions of the queries and keys, [seq] or [batch, seq]. Throws Rejected.
void ValidateHeadPositions(const Case& c, const Extents& e, const std::string& clause);

// ALIBI-1. The slope of head h, from 0, of H is base^-numerator with base = 2^(B / denominator).
struct SlopeExponent {
  int64_t numerator, denominator;
};
inline SlopeExponent SlopeOf(int64_t head, int64_t heads) {
  const int64_t c = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  if (head < c) return {head + 1, c};
  return {2 * (head - c) + 1, 2 * c};
}
// ATT-14. Roundings of slope times bias: a base within one ulp, its power, the product.
inline double SlopeRoundings(int64_t head, int64_t heads) {
  return 2.0 * static_cast<double>(SlopeOf(head, heads).numerator) + 3;
}

// (1 + gamma(in_arithmetic, u_a)) (1 + gamma(in_sums, u_w)) - 1, rounded up (ATT-14).
inline double Roundings(double in_arithmetic, double in_sums, const Profile& profile,
                        Format output) {
  const double a = Gamma(in_arithmetic, UnitRoundoff(FormatAt(profile.arithmetic, output)));
  const double s = Gamma(in_sums, UnitRoundoff(WorkingFormat(output)));
  return std::min((a + s + a * s) * (1 + 0x1p-50), 0x1p1000);  // finite: it may multiply 0
}

// ATT-14. What ends a bound: one rounding of a number within `error` of `value`.
template <class T>
T Stored(const Profile& profile, Format output, const T& value, const T& error) {
  using std::abs;
  if (output == FormatAt(profile.arithmetic, output)) return error;
  const double v = UnitRoundoff(output);
  return v * abs(value) + (1 + v) * error + PowerOfTwo<T>(EtaExponent(output));
}

// ATT-14. One key that the query sees.
template <class T>
struct KeyTerms {
  T products{0};     // |scale| sum_c |q_c k_c|, every vector of the key on its own
  T operands{0};     // sum_c |q_c| + |k_c|
  T bias{0};         // |bias|, slope included
  T bias_error{0};   // beta: how far a bias that a scheme defines may be off
  T size{0};         // |l|, or more
  T relative{0};     // l - l*, l* any score of the row
  T exponential{0};  // exp(relative)
};

// ATT-14. How far the exponentials of one row may be off, relatively to their sum Z.
template <class T>
struct RowErrors {
  std::vector<T> alpha;  // of each key
  T rho{0};              // of the sum, underflow included; from 1 on nothing is proved
  T flushed{0};          // of one exponential, by underflow: 4 T nu, or 8 T nu
};

template <class T>
T Larger(const T& a, const T& b) {
  using std::abs;
  return (a + b + abs(a - b)) / 2;
}

// exp(relative + delta) (1 + g) - exp(relative). In binary64 without the cancellation; on intervals
// without a product of 0 and infinity.
template <class T>
T Grown(const KeyTerms<T>& key, const T& delta, double g) {
  using std::exp;
  if constexpr (std::is_same_v<T, double>)
    if (key.exponential > 0) return key.exponential * (std::expm1(delta) * (1 + g) + g);
  return exp(key.relative + delta) * (1 + g) - key.exponential;
}

// lambda_n, the error of a score. `vectors`: of how many a key and a value are the sum, 1, or 2
// (REL-13).
template <class T>
T ScoreError(const Profile& profile, Format output, int64_t head_dim, bool has_bias,
             double bias_roundings, const T& scale, const KeyTerms<T>& key, int vectors = 1) {
  const double d = vectors * static_cast<double>(head_dim);
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const double u = UnitRoundoff(arithmetic);
  const T underflow =
      2 * (1 + scale) * (T(d + 1) + key.operands) * PowerOfTwo<T>(EtaExponent(arithmetic));
  const T content = Roundings(7 + vectors, d - 1, profile, output) * key.products + underflow;
  if (!has_bias) return content;
  const T sum = content +
                std::min(Gamma(2 + bias_roundings, u), 0x1p1000) * (key.bias + key.bias_error) +
                key.bias_error + PowerOfTwo<T>(EtaExponent(arithmetic));
  return sum + u * (key.size + sum);
}

template <class T>
RowErrors<T> ErrorsOfRow(const Profile& profile, Format output, int64_t head_dim, bool has_bias,
                         double bias_roundings, const T& scale, const T& Z,
                         const std::vector<KeyTerms<T>>& keys, int vectors = 1) {
  const Format arithmetic = FormatAt(profile.arithmetic, output), working = WorkingFormat(output);
  const double u = UnitRoundoff(arithmetic), count = static_cast<double>(keys.size());
  const T nu = PowerOfTwo<T>(Traits(working).min_quantum_exponent + Traits(working).precision - 1) +
               PowerOfTwo<T>(EtaExponent(arithmetic));
  const double g = Roundings(3 + 2 * vectors, (3 + vectors) * count, profile, output);
  std::vector<T> lambda;
  for (const KeyTerms<T>& key : keys)
    lambda.push_back(
        ScoreError(profile, output, head_dim, has_bias, bias_roundings, scale, key, vectors));
  T highest = keys.front().relative + lambda.front();
  for (size_t n = 1; n < keys.size(); ++n)
    highest = Larger(highest, T(keys[n].relative + lambda[n]));
  RowErrors<T> errors;
  errors.flushed = 4 * vectors * count * nu;
  errors.rho = count * errors.flushed;
  for (size_t n = 0; n < keys.size(); ++n) {
    const T delta = lambda[n] + u * (highest - keys[n].relative + lambda[n]);
    errors.alpha.push_back(Grown(keys[n], T(delta), g) / Z);
    errors.rho += errors.alpha.back();
  }
  return errors;
}

// ATT-14. For rho < 1: |computed - y|, y = sum_n a_n v_n, `moved` = sum_n alpha_n |v_n| and the
// underflow of the numerator.
template <class T>
T RatioBound(const Profile& profile, Format output, const T& y, const T& moved, const T& rho) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const double last = Gamma(2, UnitRoundoff(arithmetic));
  const T ratio = (moved + rho * abs(y)) / (1 - rho);
  return Stored(profile, output, y,
                T(ratio * (1 + last) + last * abs(y) + 2 * PowerOfTwo<T>(EtaExponent(arithmetic))));
}

// ATT-15. Of a sum of products of `factors` numbers each: S the sum of their absolute values,
// `terms` additions in a row at most, `operands` what an underflow may be multiplied with.
template <class T>
T SumBound(const Profile& profile, Format output, const T& value, const T& S, double roundings,
           double additions, const T& operands) {
  const T eta = PowerOfTwo<T>(EtaExponent(FormatAt(profile.arithmetic, output)));
  return Stored(profile, output, value,
                T(Roundings(roundings, additions, profile, output) * S + 2 * operands * eta));
}

}  // namespace attention
}  // namespace gnomon

#endif  // GNOMON_SPEC_ATTENTION_H_
