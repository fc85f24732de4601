// Sinusoidal positions, as a contract (spec/sinusoidal.md; Vaswani et al. 2017, arXiv:1706.03762).
#ifndef GNOMON_SPEC_SINUSOIDAL_H_
#define GNOMON_SPEC_SINUSOIDAL_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon {

// SIN-2. Which column holds which function; h = floor(width / 2).
enum class SinusoidalLayout {
  kInterleaved,  // column 2i: sine of pair i, column 2i + 1: its cosine
  kSinCos,       // columns 0 to h - 1: sines, h to 2h - 1: cosines
  kCosSin,       // the other way round
};
// SIN-1. What the exponent of pair i is divided by.
enum class SinusoidalDivisor {
  kHalf,          // i / (width / 2), a half-integer for odd widths
  kHalfMinusOne,  // i / max(floor(width / 2) - 1, 1)
};
// SIN-3. The last column of an odd width.
enum class OddWidth { kSine, kZero };

inline const std::vector<std::string> kSinusoidalLayoutNames = {"interleaved", "sin_cos",
                                                                "cos_sin"};
inline const std::vector<std::string> kSinusoidalDivisorNames = {"half", "half_minus_one"};
inline const std::vector<std::string> kOddWidthNames = {"sine", "zero"};

// What one column of the table is.
struct SinusoidalColumn {
  enum Kind { kSine, kCosine, kZero } kind;
  int64_t pair;
};

struct SinusoidalTable {
  int64_t width = 0;  // columns, 1 to 2^20
  Number base = 10000;
  std::vector<Number> frequencies;  // empty, or one for every sine: any finite numbers
  SinusoidalLayout layout = SinusoidalLayout::kInterleaved;
  SinusoidalDivisor divisor = SinusoidalDivisor::kHalf;
  OddWidth odd_width = OddWidth::kSine;
  Number scale = 1;  // multiplies every entry (SIN-4)

  int64_t pairs() const { return width / 2; }
  // Sines: the odd column of SIN-3 is one more.
  int64_t sines() const {
    return pairs() + (width % 2 != 0 && odd_width == OddWidth::kSine ? 1 : 0);
  }
  // SIN-1. The exponent of pair i is numerator / denominator.
  int64_t ExponentNumerator(int64_t pair) const {
    return divisor == SinusoidalDivisor::kHalf ? 2 * pair : pair;
  }
  int64_t ExponentDenominator() const {
    return divisor == SinusoidalDivisor::kHalf ? width : std::max<int64_t>(pairs() - 1, 1);
  }
  SinusoidalColumn Column(int64_t column) const {
    using C = SinusoidalColumn;
    const int64_t h = pairs();
    if (column == 2 * h) return {odd_width == OddWidth::kSine ? C::kSine : C::kZero, h};
    if (layout == SinusoidalLayout::kInterleaved)
      return {column % 2 ? C::kCosine : C::kSine, column / 2};
    const bool first = column < h;
    return {first == (layout == SinusoidalLayout::kSinCos) ? C::kSine : C::kCosine, column % h};
  }
};

namespace sinusoidal {

inline constexpr int64_t kMaxWidth = int64_t{1} << 20;

inline SinusoidalTable ReadTable(ParameterReader& reader) {
  SinusoidalTable t;
  t.width = reader.GetRequiredInteger("width", 1, kMaxWidth);
  t.layout = reader.GetName("layout", t.layout, kSinusoidalLayoutNames);
  t.divisor = reader.GetName("divisor", t.divisor, kSinusoidalDivisorNames);
  t.odd_width = reader.GetName("odd_width", t.odd_width, kOddWidthNames);
  t.frequencies = reader.GetNumbers("frequencies");
  if (reader.Has("frequencies")) {
    if (reader.Has("base"))
      throw Rejected("base", "(given)", "excludes frequencies: give one of the two", "SIN-1");
    if (static_cast<int64_t>(t.frequencies.size()) != t.sines())
      throw Rejected("frequencies", std::to_string(t.frequencies.size()) + " numbers",
                     "must hold one for every sine, " + std::to_string(t.sines()), "SIN-1");
  }
  t.base = reader.GetNumber("base", 10000);
  if (!(t.base.value > 0)) throw Rejected("base", Plain(t.base), "must be positive", "SIN-1");
  t.scale = reader.GetNumber("scale", 1);
  return t;
}

// SIN-5: sinusoidal.add. token_scale is a number, or "sqrt_width".
struct AddParameters {
  SinusoidalTable table;
  Number token_scale = 1;
  bool sqrt_width = false;  // token_scale is the square root of the width
};

inline SinusoidalTable ReadTable(const Case& c) {
  ParameterReader reader(c.parameters, "SIN-1");
  const SinusoidalTable t = ReadTable(reader);
  reader.RejectOthers();
  return t;
}

inline AddParameters ReadAdd(const Case& c) {
  ParameterReader reader(c.parameters, "SIN-5");
  AddParameters a;
  a.table = ReadTable(reader);
  const auto found = c.parameters.find("token_scale");
  a.sqrt_width = found != c.parameters.end() && found->second == Value(std::string("sqrt_width"));
  if (a.sqrt_width) {
    reader.Has("token_scale");
  } else {
    a.token_scale = reader.GetNumber("token_scale", 1);
  }
  reader.RejectOthers();
  return a;
}

// SIN-6, SIN-7: what needs whole pairs. `offset` in tokens; `gain` multiplies the matrix.
struct MatrixParameters {
  SinusoidalTable table;
  int64_t offset = 0;
  Number gain = 1;
};

inline void RequireEvenWidth(const SinusoidalTable& t, const std::string& clause) {
  if (t.width % 2 != 0) throw Rejected("width", std::to_string(t.width), "must be even", clause);
}

inline MatrixParameters ReadMatrix(const Case& c) {
  ParameterReader reader(c.parameters, "SIN-6");
  MatrixParameters m;
  m.table = ReadTable(reader);
  RequireEvenWidth(m.table, "SIN-6");
  m.offset = reader.GetRequiredInteger("offset", kMinPosition, kMaxPosition);
  if (c.operation == "sinusoidal.relative_head") {
    m.gain = reader.GetNumber("gain", 1);
    if (!(m.gain.value > 0)) throw Rejected("gain", Plain(m.gain), "must be positive", "SIN-7");
  }
  reader.RejectOthers();
  return m;
}

// SIN-11. |computed - y| for y = k x + pe: scaled_x = |k x|, pe_error the bound of the stored
// entry. `scaled`: k is not 1, so k and the product are rounded too. `factor`: |k|, for a flushed x
// (BOUND-8).
template <class T>
T AddBound(const Profile& profile, Format output, const T& y, const T& scaled_x, const T& pe,
           const T& pe_error, bool scaled, const T& factor = T(1)) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const double u = UnitRoundoff(arithmetic), d = scaled ? Gamma(2, u) : 0;
  T error = d * scaled_x + pe_error + u * ((1 + d) * scaled_x + abs(pe) + pe_error);
  if (scaled) error += (1 + u) * Underflow<T>(arithmetic, profile.flushes);
  if (profile.flushes)
    error += factor * Underflow<T>(output, true) + Underflow<T>(arithmetic, true);
  if (output == arithmetic) return error;
  const double v = UnitRoundoff(output);
  return v * abs(y) + (1 + v) * error + Underflow<T>(output, profile.flushes);
}

// SIN-12. Bounds of PE[m] . PE[n] and |PE[m] - PE[n]| computed from stored rows, in any order.
template <class T>
class PairwiseBound {
 public:
  PairwiseBound(const Profile& profile, Format output, int64_t width, bool scaled)
      : output_(output),
        arithmetic_(FormatAt(profile.arithmetic, output)),
        tables_(FormatAt(profile.tables, output)),
        flushes_(profile.flushes),
        width_(static_cast<double>(width)),
        d_(TableError(profile, output) +
           (scaled ? Gamma(3, UnitRoundoff(WorkingFormat(output))) : 0)) {}

  // cos and sin of (m - n) w_i; D_m and D_n, the errors of the two angles.
  void AddPair(const T& cos, const T& sin, const T& D_m, const T& D_n) {
    using std::abs;
    const T D = D_m + D_n;
    const T e_m = d_ + (1 + d_) * D_m, e_n = d_ + (1 + d_) * D_n;
    pairs_ += 1;
    moved_ += D * abs(sin) + D * D / 2 * abs(cos);
    row_m_ += e_m * e_m;
    row_n_ += e_n * e_n;
  }

  // `scale`: its absolute value.
  T OfSimilarity(const T& value, const T& scale) const {
    const double u = UnitRoundoff(arithmetic_),
                 sums = Gamma(width_ - 1, UnitRoundoff(WorkingFormat(output_)));
    const double products = u + sums + u * sums;  // (1 + u)(1 + sums) - 1
    const double relative = (2 * d_ + d_ * d_ + (1 + d_) * (1 + d_) * products) * kRoundedUp;
    return Rounded(value,
                   scale * scale * (relative * pairs_ + moved_) +
                       4 * width_ * (1 + scale) * (1 + scale) * Underflow<T>(tables_, flushes_));
  }
  T OfDistance(const T& value, const T& scale) const {
    using std::sqrt;
    const double few = Gamma(4, UnitRoundoff(arithmetic_)),
                 sums = Gamma(width_ / 2, UnitRoundoff(WorkingFormat(output_)));
    const double g = (few + sums + few * sums) * kRoundedUp;
    const T rows = scale * (sqrt(row_m_) + sqrt(row_n_)) +
                   4 * width_ * (1 + scale) * Underflow<T>(tables_, flushes_);
    const T lost = width_ * Underflow<T>(arithmetic_, flushes_);
    const T squares = flushes_ ? T((1 + 2 * scale) * sqrt(2 * lost)) : T(sqrt(lost));
    return Rounded(value, rows + g * (value + rows) + (1 + g) * squares);
  }

 private:
  // Makes up for the roundings of binary64 in the factor that it multiplies.
  static constexpr double kRoundedUp = 1 + 0x1p-50;

  T Rounded(const T& value, const T& error) const {
    using std::abs;
    if (output_ == WorkingFormat(output_)) return error;
    const double v = UnitRoundoff(output_);
    return v * abs(value) + (1 + v) * error + Underflow<T>(output_, flushes_);
  }
  Format output_, arithmetic_, tables_;
  bool flushes_;
  double width_, d_;
  T pairs_{0}, moved_{0}, row_m_{0}, row_n_{0};
};

}  // namespace sinusoidal
}  // namespace gnomon

#endif  // GNOMON_SPEC_SINUSOIDAL_H_
