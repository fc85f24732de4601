// Positions on more than one axis, as a contract (spec/multi_axis.md): parameters and their domain,
// which axis turns a pair, and the places of a window.
#ifndef GNOMON_SPEC_MULTI_AXIS_H_
#define GNOMON_SPEC_MULTI_AXIS_H_

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/spec/rope.h"
#include "gnomon/spec/sinusoidal.h"

namespace gnomon {

// AXES-11. Which dims form a pair; h pairs, n of them on the pair's axis.
enum class AxialLayout {
  kInterleaved,      // (2i, 2i + 1)
  kHalfSplit,        // (i, h + i)
  kHalfSplitByAxis,  // the dims of an axis are a window of their own, half split
};
// AXES-10. What the frequency of pair k of an axis counts.
enum class AxialExponent {
  kReset,        // k, over the pairs of its axis
  kRunning,      // the pair's number among all
  kAlternating,  // axes take the frequencies of one list in turns
};
// AXES-2, AXES-3, AXES-12. Which pairs an axis has.
enum class SectionOrder { kContiguous, kInterleaved, kInterleavedExtra, kAlternating };

inline const std::vector<std::string> kAxialLayoutNames = {"interleaved", "half_split",
                                                           "half_split_by_axis"};
inline const std::vector<std::string> kAxialExponentNames = {"reset", "running", "alternating"};
inline const std::vector<std::string> kSectionOrderNames = {"contiguous", "interleaved",
                                                            "interleaved_extra", "alternating"};

struct AxialPair {
  int64_t axis = 0;
  int64_t number = 0;     // among the pairs of its axis
  int64_t numerator = 0;  // AXES-10: the frequency is rope_theta^(-numerator / denominator)
  int64_t denominator = 1;
};

// AXES-1, AXES-10, AXES-11: multi_axis.axial, multi_axis.mrope and multi_axis.mixed.
struct AxialRotation {
  int64_t head_dim = 0, rotary_dim = 0, rotary_offset = 0;
  Number rope_theta = 10000;
  std::vector<Number> frequencies;  // empty, or one for every pair
  AxialLayout layout = AxialLayout::kHalfSplit;
  RopeDirection direction = RopeDirection::kForward;
  std::vector<int64_t> sizes;   // pairs of each axis
  std::vector<AxialPair> pair;  // mixed: empty, a pair belongs to every axis
  bool mixed = false;           // AXES-20

  int64_t axes() const { return static_cast<int64_t>(sizes.size()); }
  int64_t pairs() const { return rotary_dim / 2; }
  const AxialPair& at(int64_t i) const { return pair[static_cast<size_t>(i)]; }

  // The dim, within a head, that holds member 0 or 1 of pair i.
  int64_t Dim(int64_t i, int member) const {
    if (layout == AxialLayout::kInterleaved) return rotary_offset + 2 * i + member;
    if (layout == AxialLayout::kHalfSplit) return rotary_offset + i + member * pairs();
    const int64_t first = i - at(i).number;  // sections are contiguous in this layout
    return rotary_offset + first + i + member * sizes[static_cast<size_t>(at(i).axis)];
  }
  bool InWindow(int64_t dim) const {
    return dim >= rotary_offset && dim < rotary_offset + rotary_dim;
  }
  // The inverse of Dim, for every dim of the window.
  std::vector<std::pair<int64_t, int>> PairsByDim() const {
    std::vector<std::pair<int64_t, int>> by_dim(static_cast<size_t>(rotary_dim));
    for (int64_t i = 0; i < pairs(); ++i)
      for (int member = 0; member < 2; ++member)
        by_dim[static_cast<size_t>(Dim(i, member) - rotary_offset)] = {i, member};
    return by_dim;
  }
};

// AXES-2, AXES-3, AXES-12.
struct Sections {
  std::vector<int64_t> sizes;
  SectionOrder order = SectionOrder::kContiguous;

  int64_t pairs() const { return std::accumulate(sizes.begin(), sizes.end(), int64_t{0}); }
  int64_t AxisOf(int64_t pair) const {
    const int64_t turn = pair % 3;
    switch (order) {
      case SectionOrder::kInterleaved:
        return turn > 0 && pair < 3 * sizes[static_cast<size_t>(turn)] ? turn : 0;
      case SectionOrder::kInterleavedExtra:
        return pair < 3 * sizes[static_cast<size_t>(turn)] ? turn : 3;
      case SectionOrder::kAlternating:
        return pair < sizes[0] + sizes[1] ? pair % 2 : 2;
      default:
        break;
    }
    int64_t axis = 0;
    for (int64_t end = sizes[0]; pair >= end; end += sizes[static_cast<size_t>(axis)]) ++axis;
    return axis;
  }
};

// AXES-13: multi_axis.sincos_2d.
struct SincosTable {
  SinusoidalTable half;       // of one axis: width / 2 columns
  bool column_first = false;  // the first columns encode the column, not the row
  int64_t zero_rows = 0;      // before the others, of prefix tokens

  int64_t width() const { return 2 * half.width; }
};
inline const std::vector<std::string> kFirstHalfNames = {"row", "column"};

// AXES-4, AXES-5: multi_axis.factorized.
enum class Combine { kSum, kConcatenate };
inline const std::vector<std::string> kCombineNames = {"sum", "concatenate"};

// AXES-14, AXES-15: multi_axis.window_index and multi_axis.window_bias.
enum class ClsToken { kNone, kBeit };
inline const std::vector<std::string> kClsTokenNames = {"none", "beit"};

struct Window {
  int64_t height = 0, width = 0;  // rows and columns of the window
  ClsToken cls = ClsToken::kNone;

  int64_t tokens() const { return height * width + (cls == ClsToken::kBeit ? 1 : 0); }
  int64_t offsets() const { return (2 * height - 1) * (2 * width - 1); }
  int64_t rows() const { return offsets() + (cls == ClsToken::kBeit ? 3 : 0); }
};

namespace multi_axis {

inline constexpr int64_t kMostAxes = 8;
inline constexpr int64_t kMaxWindow = 4096;

inline std::vector<int64_t> ReadSizes(ParameterReader& reader, const std::string& name,
                                      int64_t least, const std::string& clause) {
  if (!reader.Has(name)) throw Rejected(name, "(missing)", "is required", clause);
  std::vector<int64_t> sizes;
  for (const Number& number : reader.GetNumbers(name)) {
    if (!(number.value >= static_cast<double>(least)) || number.value > rope::kMaxHeadDim ||
        number.value != std::floor(number.value) || !IsBinary64(number))
      throw Rejected(name, Plain(number),
                     "must hold integers from " + std::to_string(least) + " to 1048576", clause);
    sizes.push_back(static_cast<int64_t>(number.value));
  }
  if (sizes.empty() || static_cast<int64_t>(sizes.size()) > kMostAxes)
    throw Rejected(name, std::to_string(sizes.size()) + " numbers", "must have 1 to 8 axes",
                   clause);
  return sizes;
}

inline std::string ToText(const std::vector<int64_t>& sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

// AXES-2, AXES-3, AXES-12.
inline Sections ReadSections(ParameterReader& reader) {
  Sections s;
  s.sizes = ReadSizes(reader, "mrope_section", 0, "AXES-2");
  s.order = reader.GetName("section_order", s.order, kSectionOrderNames);
  const int64_t N = s.pairs();
  const auto reject = [&](const std::string& why, const std::string& clause) {
    throw Rejected("mrope_section", ToText(s.sizes), why, clause);
  };
  if (N < 1 || N > rope::kMaxHeadDim / 2) reject("must sum to 1 to 524288 pairs", "AXES-2");
  if (s.order == SectionOrder::kInterleaved) {
    if (s.sizes.size() != 3) reject("interleaved sections have three sizes", "AXES-3");
    if (3 * s.sizes[1] > N + 1 || 3 * s.sizes[2] > N)
      reject("interleaved, the sizes after the first must not exceed a third", "AXES-3");
  }
  if (s.order == SectionOrder::kInterleavedExtra && s.sizes.size() != 4)
    reject("sections interleaved with an extra axis have four sizes", "AXES-12");
  if (s.order == SectionOrder::kAlternating && (s.sizes.size() != 3 || s.sizes[0] != s.sizes[1]))
    reject("alternating sections have three sizes, the first two equal", "AXES-12");
  return s;
}

inline Sections ReadSections(const Case& c) {
  ParameterReader reader(c.parameters, "AXES-2");
  const Sections s = ReadSections(reader);
  reader.RejectOthers();
  return s;
}

// AXES-11, but for layouts that an operation has not.
inline void ReadWindow(ParameterReader& reader, AxialRotation* a) {
  a->rotary_offset = reader.GetInteger("rotary_offset", 0, 0, rope::kMaxHeadDim);
  if (a->rotary_offset + a->rotary_dim > a->head_dim)
    throw Rejected("rotary_offset", std::to_string(a->rotary_offset),
                   "the rotary window of " + std::to_string(a->rotary_dim) +
                       " dims ends beyond head_dim = " + std::to_string(a->head_dim),
                   "AXES-11");
  if (!reader.Has("layout"))
    throw Rejected("layout", "(missing)",
                   "is never guessed: give interleaved, half_split or half_split_by_axis",
                   "AXES-11");
  a->layout = reader.GetName("layout", a->layout, kAxialLayoutNames);
  a->direction = reader.GetName("direction", a->direction, kRopeDirectionNames);
}

// AXES-10. What multi_axis.axial and multi_axis.mrope turn by.
inline void ReadFrequencies(ParameterReader& reader, AxialRotation* a) {
  a->frequencies = reader.GetNumbers("frequencies");
  if (reader.Has("frequencies")) {
    if (reader.Has("rope_theta"))
      throw Rejected("rope_theta", "(given)", "excludes frequencies: give one of the two",
                     "AXES-10");
    if (static_cast<int64_t>(a->frequencies.size()) != a->pairs())
      throw Rejected("frequencies", std::to_string(a->frequencies.size()) + " numbers",
                     "must hold one for every pair, " + std::to_string(a->pairs()), "AXES-10");
  }
  a->rope_theta = reader.GetNumber("rope_theta", 10000);
  if (!(a->rope_theta.value > 0))
    throw Rejected("rope_theta", Plain(a->rope_theta), "must be positive", "AXES-10");
}

// AXES-1, AXES-10: multi_axis.axial.
inline AxialRotation ReadAxial(ParameterReader& reader) {
  AxialRotation a;
  a.head_dim = reader.GetRequiredInteger("head_dim", 1, rope::kMaxHeadDim);
  const std::vector<int64_t> dims = ReadSizes(reader, "axes_dims", 2, "AXES-10");
  const auto exponent = reader.GetName("exponent", AxialExponent::kReset, kAxialExponentNames);
  const int64_t axes = static_cast<int64_t>(dims.size());
  for (const int64_t dim : dims) {
    if (dim % 2 != 0)
      throw Rejected("axes_dims", ToText(dims), "must hold even numbers", "AXES-10");
    if (exponent == AxialExponent::kAlternating && dim != dims[0])
      throw Rejected("axes_dims", ToText(dims), "must be equal where exponents alternate",
                     "AXES-10");
    a.rotary_dim += dim;
    a.sizes.push_back(dim / 2);
  }
  ReadWindow(reader, &a);
  ReadFrequencies(reader, &a);
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t k = 0; k < a.sizes[static_cast<size_t>(axis)]; ++k) {
      const int64_t all = static_cast<int64_t>(a.pair.size());
      AxialPair pair{axis, k, 2 * all, a.rotary_dim};
      if (exponent == AxialExponent::kReset) {
        pair.numerator = 2 * k;
        pair.denominator = dims[static_cast<size_t>(axis)];
      } else if (exponent == AxialExponent::kAlternating) {
        pair.numerator = 2 * (axes * k + axis);
      }
      a.pair.push_back(pair);
    }
  }
  return a;
}

inline void ReadDims(ParameterReader& reader, const std::string& clause, AxialRotation* a) {
  a->head_dim = reader.GetRequiredInteger("head_dim", 1, rope::kMaxHeadDim);
  a->rotary_dim = rope::ReadRotaryDim(reader, a->head_dim, clause);
}
inline void RejectByAxis(const AxialRotation& a, const std::string& why) {
  if (a.layout == AxialLayout::kHalfSplitByAxis)
    throw Rejected("layout", "\"half_split_by_axis\"", why, "AXES-11");
}

// AXES-2, AXES-3, AXES-12: multi_axis.mrope.
inline AxialRotation ReadMrope(ParameterReader& reader) {
  AxialRotation a;
  ReadDims(reader, "AXES-2", &a);
  const Sections s = ReadSections(reader);
  if (s.pairs() != a.pairs())
    throw Rejected("mrope_section", ToText(s.sizes),
                   "must sum to the pairs, " + std::to_string(a.pairs()), "AXES-2");
  ReadWindow(reader, &a);
  RejectByAxis(a, "sections are no windows of their own");
  ReadFrequencies(reader, &a);
  a.sizes.assign(s.sizes.size(), 0);
  for (int64_t i = 0; i < a.pairs(); ++i) {
    const int64_t axis = s.AxisOf(i);
    a.pair.push_back({axis, a.sizes[static_cast<size_t>(axis)]++, 2 * i, a.rotary_dim});
  }
  return a;
}

// AXES-20: multi_axis.mixed, over so many axes.
inline AxialRotation ReadMixed(ParameterReader& reader, int64_t axes) {
  AxialRotation a;
  a.mixed = true;
  ReadDims(reader, "AXES-20", &a);
  ReadWindow(reader, &a);
  RejectByAxis(a, "no axis has pairs of its own");
  a.sizes.assign(static_cast<size_t>(axes), a.pairs());
  return a;
}

inline bool IsMrope(const Case& c) { return c.operation == "multi_axis.mrope"; }
inline bool IsMixed(const Case& c) { return c.operation == "multi_axis.mixed"; }

// The axes of multi_axis.mixed are those of its frequencies.
inline AxialRotation ReadRotation(const Case& c) {
  ParameterReader reader(c.parameters, "AXES-1");
  const AxialRotation a = IsMixed(c) ? ReadMixed(reader, c.inputs.at("frequencies").shape().at(0))
                                     : (IsMrope(c) ? ReadMrope(reader) : ReadAxial(reader));
  reader.RejectOthers();
  return a;
}

// AXES-13. The columns of one axis are a sinusoidal table of half the width.
inline SincosTable ReadSincos(const Case& c) {
  ParameterReader reader(c.parameters, "AXES-13");
  SincosTable t;
  const int64_t width = reader.GetRequiredInteger("width", 4, sinusoidal::kMaxWidth);
  if (width % 4 != 0)
    throw Rejected("width", std::to_string(width), "must be a multiple of 4", "AXES-13");
  t.half.width = width / 2;
  t.half.layout = reader.GetName("layout", SinusoidalLayout::kSinCos, kSinusoidalLayoutNames);
  t.half.divisor = reader.GetName("divisor", t.half.divisor, kSinusoidalDivisorNames);
  t.half.base = reader.GetNumber("base", 10000);
  if (!(t.half.base.value > 0))
    throw Rejected("base", Plain(t.half.base), "must be positive", "AXES-13");
  if (!reader.Has("first_half"))
    throw Rejected("first_half", "(missing)", "is never guessed: give row or column", "AXES-13");
  t.column_first = reader.GetName("first_half", 0, kFirstHalfNames) == 1;
  t.zero_rows = reader.GetInteger("zero_rows", 0, 0, sinusoidal::kMaxWidth);
  reader.RejectOthers();
  return t;
}

inline Combine ReadCombine(const Case& c) {
  ParameterReader reader(c.parameters, "AXES-4");
  if (!reader.Has("combine"))
    throw Rejected("combine", "(missing)", "is never guessed: give sum or concatenate", "AXES-4");
  const Combine combine = reader.GetName("combine", Combine::kSum, kCombineNames);
  reader.RejectOthers();
  return combine;
}

inline Window ReadWindowSize(const Case& c) {
  ParameterReader reader(c.parameters, "AXES-14");
  Window w;
  w.height = reader.GetRequiredInteger("window_height", 1, kMaxWindow);
  w.width = reader.GetRequiredInteger("window_width", 1, kMaxWindow);
  w.cls = reader.GetName("cls_token", w.cls, kClsTokenNames);
  reader.RejectOthers();
  return w;
}

// AXES-16. |computed - (p + q)|: one rounding, in the arithmetic's format, and one to the output's.
// A sum of two values of a format that is subnormal is exact.
template <class T>
T SumBound(const Profile& profile, Format output, const T& y) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const T error = UnitRoundoff(arithmetic) * abs(y);
  if (output == arithmetic) return error;
  const double v = UnitRoundoff(output);
  return v * abs(y) + (1 + v) * error + PowerOfTwo<T>(EtaExponent(output));
}

// AXES-21. Whether the sizes of the products of an angle sum to more than the working format holds.
inline bool LeavesTheRange(double products, Format output) {
  return products > LargestFinite(WorkingFormat(output));
}
// D of an angle that is a sum of `terms` products other than 0 and does not leave the range: of
// their sizes, and of those of the positions in them; whether one of these is rounded.
template <class T>
T MixedAngleError(const Profile& profile, Format output, int64_t terms, bool rounded,
                  const T& products, double positions) {
  const Format working = WorkingFormat(output);
  if (profile.angle == AngleForm::kExact || terms == 0) return T(0);
  const double n = static_cast<double>(terms) + (rounded ? 1 : 0);
  return Gamma(n, UnitRoundoff(working)) * products +
         (positions + 2 * static_cast<double>(terms)) * Underflow<T>(working, profile.flushes);
}
// Whether the working format rounds a position.
inline bool IsPositionRounded(int64_t position, Format output) {
  return std::abs(static_cast<double>(position)) >
         ExactPowerOfTwo(Traits(WorkingFormat(output)).precision);
}

}  // namespace multi_axis
}  // namespace gnomon

#endif  // GNOMON_SPEC_MULTI_AXIS_H_
