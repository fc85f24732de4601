// Plain kernels over more than one axis, and the mistakes people make in them. Each is one precise
// change, marked by Is().
#include <algorithm>
#include <cmath>
#include <map>

#include "gnomon/properties/multi_axis_mixed.h"
#include "gnomon/properties/plain_kernel.h"

namespace gnomon::properties::multi_axis {
namespace {

enum class M {
  kNone,
  kFirstAxesSwapped,
  kAxesReversed,
  kFirstAxisForAll,
  kLastAxisUnturned,
  kSectionShifted,
  kLeftoverByTurn,
  kLeftoverToFirst,
  kOrderContiguous,
  kOrderInterleaved,
  kRunningForReset,
  kResetForRunning,
  kAlternatingAsRuns,
  kWholeWindowDivisor,
  kHeadDimDivisor,
  kReadsHalfSplit,
  kReadsInterleaved,
  kReadsByAxis,
  kSign,
  kForwardReused,
  kHeadsCrossed,
  kInPlace,
  kDividesByFrequency,
  kOddCosine,
  kBaseIgnored,
  kPlusOne,
  kMinusStart,
  kStaleTable,
  kStalePrevious,
  kRowZero,
  kCountsTokens,
  kPositionsBf16,
  kPositionsF16,
  kFrequenciesBf16,
  kFrequenciesF16,
  kFloatTwoPi,
  kPolynomialBeyondRange,
  kChained,
  kTailSkipped,
  kTailBeyond,
  kInputStrides,
  kOutputStrides,
  kReadsPadding,
  kZeroesCopied,
  kOffsetIgnored,
  kNanAsZero,
  kCapsInfinity,
  kSaturates,
  kTruncates,
  kRoundsTwice,
  kMagnitude,
  kTwoUlps,
  kOneUlp,
  kZeroFrequencyAsOne,
  kNegativeFrequency,
  kAbsolutePosition,
  kFlushesResult,
  kFlushesInput,
  kBf16Arithmetic,
  kFirstHalfOther,
  kSineHalves,
  kSineLayout,
  kSineDivisor,
  kSineFullWidth,
  kZeroRowsEncoded,
  kFactorsExchanged,
  kFactorsTransposed,
  kSumHalved,
  kIndexReversed,
  kIndexByColumns,
  kIndexStride,
  kIndexClsExchanged,
  kIndexClsLast,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

constexpr MistakeRow<M> kRows[] = {
    {M::kFirstAxesSwapped, "axes", "positions of the first two axes exchanged", kFormula,
     "standard"},
    {M::kAxesReversed, "axes/reversed", "axes in reverse order", kFormula, "standard"},
    {M::kFirstAxisForAll, "axes/first", "the first axis' position for every pair", kFormula,
     "standard"},
    {M::kLastAxisUnturned, "axes/last-unturned", "pairs of the last axis not turned", kFormula,
     "standard"},
    {M::kSectionShifted, "section-shift", "every section begins one pair early", kFormula,
     "standard"},
    {M::kLeftoverByTurn, "section-leftover", "axis i mod 3, whatever the sizes are", kFormula,
     "standard"},
    {M::kLeftoverToFirst, "section-leftover/first",
     "pairs left over go to axis 0, not to the extra one", kFormula, "standard"},
    {M::kOrderContiguous, "section-order/contiguous", "sections taken as runs", kFormula,
     "standard"},
    {M::kOrderInterleaved, "section-order/interleaved", "three runs taken as interleaved", kFormula,
     "standard"},
    {M::kRunningForReset, "axis-exponent/not-reset", "the exponent does not start anew", kFormula,
     "standard"},
    {M::kResetForRunning, "axis-exponent/reset", "the exponent starts anew on every axis", kFormula,
     "standard"},
    {M::kAlternatingAsRuns, "axis-exponent/in-runs", "alternating frequencies taken in runs",
     kFormula, "standard"},
    {M::kWholeWindowDivisor, "axis-exponent/divisor",
     "the exponent of an axis divided by the dims of all", kFormula, "standard"},
    {M::kHeadDimDivisor, "divisor", "exponent divided by head_dim", kFormula, "standard"},
    {M::kReadsHalfSplit, "layout/half-split", "always pairs (i, i+h)", kFormula, "standard"},
    {M::kReadsInterleaved, "layout/interleaved", "always pairs (2i, 2i+1)", kFormula, "standard"},
    {M::kReadsByAxis, "layout/by-axis", "half split within each axis for half split", kFormula,
     "standard"},
    {M::kSign, "sign", "sine negated", kFormula, "standard"},
    {M::kForwardReused, "backward", "the transpose turns forward", kFormula, "standard"},
    {M::kHeadsCrossed, "q-k-crossed/heads", "heads taken in reverse order", kState, "standard"},
    {M::kInPlace, "in-place", "y_b from the overwritten x_a", kState, "standard"},
    {M::kDividesByFrequency, "exponent-inverse", "position divided by the frequency", kFormula,
     "standard"},
    {M::kOddCosine, "exponent-odd-cosine", "cosine with exponent (2i+1)/r", kFormula, "standard"},
    {M::kBaseIgnored, "base", "10000 whatever the base is", kFormula, "standard"},
    {M::kPlusOne, "offset", "position + 1", kFormula, "standard"},
    {M::kMinusStart, "arange-positions/from-first", "positions counted from the first token's",
     kFormula, "standard"},
    {M::kStaleTable, "stale-table", "table cached by shape, not by position", kState, "standard"},
    {M::kStalePrevious, "stale-table/previous", "the table of the call before", kState, "standard"},
    {M::kRowZero, "row-positions", "the first row's positions for every row", kState, "standard"},
    {M::kCountsTokens, "arange-positions", "0..T-1 whatever the positions are", kFormula,
     "standard"},
    {M::kPositionsBf16, "positions-bf16", "positions in bf16", kFormula, "f32-angle"},
    {M::kPositionsF16, "positions-f16", "positions in f16", kFormula, "f32-angle"},
    {M::kFrequenciesBf16, "frequencies-bf16", "frequencies in bf16", kFormula, "f32-angle"},
    {M::kFrequenciesF16, "frequencies-f16", "frequencies in f16", kFormula, "f32-angle"},
    {M::kFloatTwoPi, "unreduced/float-two-pi", "angle reduced by a float32 2 pi", kFormula,
     "standard"},
    {M::kPolynomialBeyondRange, "unreduced/polynomial", "sine by a polynomial for |a| < pi",
     kFormula, "f32-angle"},
    {M::kChained, "unreduced/chained", "theta multiplied up in float32, exact angles promised",
     kFormula, "standard"},
    {M::kTailSkipped, "tail-vector", "pairs after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite", "an element written behind the last", kState, "standard"},
    {M::kInputStrides, "stride-ignored/input", "input taken as contiguous", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/output", "output taken as contiguous", kState, "standard"},
    {M::kReadsPadding, "stride-ignored/padding-read", "adds zero times what lies after the head",
     kState, "standard"},
    {M::kZeroesCopied, "window-not-copied/zeroed", "dims outside the window zeroed", kState,
     "standard"},
    {M::kOffsetIgnored, "pair-offset/window", "the window starts at dim 0", kFormula, "standard"},
    {M::kNanAsZero, "nan-lost/as-zero", "NaN inputs count as 0", kFormula, "standard"},
    {M::kCapsInfinity, "nan-lost/infinity", "infinite results become the largest number", kFormula,
     "standard"},
    {M::kSaturates, "f16-saturated", "overflow to the largest number", kFormula, "standard"},
    {M::kTruncates, "bf16-truncated", "bf16 by truncation", kFormula, "standard"},
    {M::kMagnitude, "magnitude", "everything 0.03 % too large", kFormula, "standard"},
    {M::kTwoUlps, "table-ulp/two", "table entries two ulps up", kFormula, "standard"},
    {M::kZeroFrequencyAsOne, "frequency-zero/as-one", "frequency 0 counts as 1", kFormula,
     "standard"},
    {M::kNegativeFrequency, "negative-position/frequency", "|frequency|", kFormula, "standard"},
    {M::kAbsolutePosition, "negative-position", "|position|", kFormula, "standard"},
    {M::kFlushesResult, "subnormals-flushed/result", "subnormal results flushed to zero", kFormula,
     "standard"},
    {M::kFlushesInput, "subnormals-flushed/input", "subnormal inputs count as 0", kFormula,
     "standard"},
    {M::kBf16Arithmetic, "bf16-double-rounding/arithmetic", "rotation in 16 bits, f32 promised",
     kFormula, "standard"},
    {M::kFirstHalfOther, "sincos-first-half", "rows and columns exchanged", kFormula, "standard"},
    {M::kSineHalves, "sin-halves", "sine and cosine exchanged", kFormula, "standard"},
    {M::kSineLayout, "sin-layout", "interleaved for halves, and the reverse", kFormula, "standard"},
    {M::kSineDivisor, "sin-divisor", "h - 1 for h, and the reverse", kFormula, "standard"},
    {M::kSineFullWidth, "axis-exponent/full-width", "exponents of the whole width in each half",
     kFormula, "standard"},
    {M::kZeroRowsEncoded, "zero-rows", "the row of place (0, 0) for rows of zeros", kFormula,
     "standard"},
    {M::kFactorsExchanged, "factor-order/concatenated", "py before px", kFormula, "standard"},
    {M::kFactorsTransposed, "factor-order", "places numbered by y, then x", kFormula, "standard"},
    {M::kSumHalved, "factor-sum", "the mean for the sum", kFormula, "standard"},
    {M::kIndexReversed, "window-index/reversed", "key minus query", kFormula, "standard"},
    {M::kIndexByColumns, "window-index/columns", "rows and columns exchanged", kFormula,
     "standard"},
    {M::kIndexStride, "window-index/stride", "rows 2W apart, not 2W - 1", kFormula, "standard"},
    {M::kIndexClsExchanged, "window-index/cls", "the class token's two directions exchanged",
     kFormula, "standard"},
    {M::kIndexClsLast, "window-index/cls-last", "the class token after the window, not before",
     kFormula, "standard"},
};

const RoundingRow kRoundings[] = {
    {"plain", "every operation rounded, float64 angles", "standard", {}},
    {"plain", "every operation rounded, f32 angles", "f32-angle", {}},
    {"plain", "every operation rounded, frequencies by exp", "f32-exp", {}},
    {"plain", "16-bit tables and arithmetic", "f32-angle-16", {}},
    {"plain", "angles multiplied up pair by pair", "f32-chained", {}},
    {"negative-exponent", "frequencies by pow(base, -e)", "f32-angle", {.negative_exponent = true}},
    {"fused/first", "multiply-add on the first product", "standard", {.fused = Rounding::kFirst}},
    {"fused/either", "first for y_a, second for y_b", "f32-chained", {.fused = Rounding::kEither}},
    {"float64", "products and sum in float64", "standard", {.float64 = true}},
    {"tables/up", "entries rounded up", "standard", {.tables = Rounding::kUp}},
    {"tables/down",
     "entries rounded down, then to 16 bits",
     "f32-angle-16",
     {.tables = Rounding::kDown}},
};

// The axis of a pair, as this kernel reads the sections.
int64_t SectionOf(const Sections& s, SectionOrder order, int64_t pair) {
  const auto size = [&](int64_t axis) { return s.sizes[static_cast<size_t>(axis)]; };
  const int64_t turn = pair % 3;
  if (order == SectionOrder::kInterleaved) return turn != 0 && pair / 3 < size(turn) ? turn : 0;
  if (order == SectionOrder::kInterleavedExtra) return pair / 3 < size(turn) ? turn : 3;
  if (order == SectionOrder::kAlternating) return pair >= 2 * size(0) ? 2 : pair % 2;
  int64_t axis = 0, left = pair;
  while (axis + 1 < static_cast<int64_t>(s.sizes.size()) && left >= size(axis))
    left -= size(axis++);
  return axis;
}

// Addresses as this kernel computes them.
struct Walk {
  TensorView view;
  Shape strides;
  std::byte* At(const Shape& index) const {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
    return view.data + offset * SizeOf(view.dtype);
  }
};

class PlainAxes final : public PlainKernel<M> {
 public:
  PlainAxes(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "multi_axis") {}

  // Equal positions on all axes are compared with its own rope.apply, which is right.
  bool Declares(const std::string& operation, Format format) const override {
    if (operation == "multi_axis.mixed") return false;  // wrong_multi_axis_mixed.cc
    return PlainKernel::Declares(operation, format) ||
           (operation == "rope.apply" && format != Format::kF64);
  }

  Limits LimitsOf(const std::string& operation) const override {
    Limits limits = PlainKernel::LimitsOf(operation);
    if (operation == "rope.apply")
      limits.without.insert({"output_layout", "rope_type", "cos", "sin"});
    return limits;
  }

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    namespace axes = gnomon::multi_axis;
    format_ = c.format;
    const std::string verb = c.operation.substr(c.operation.find('.') + 1);
    if (verb == "sections") {
      const Sections s = axes::ReadSections(c);
      const TensorView& axis = outputs.at("axis");
      for (int64_t i = 0; i < s.pairs(); ++i)
        StoreBits(axis.dtype, axis.AddressOf(i), static_cast<uint64_t>(AxisOf(s, i)));
    } else if (verb == "sincos_2d") {
      Sincos(c, outputs.at("pe"));
    } else if (verb == "factorized") {
      Factorized(c, outputs.at("pe"));
    } else if (verb == "window_index" || verb == "window_bias") {
      Windows(c, outputs.begin()->second);
    } else {
      Turn(c, outputs.at("y"));
    }
    return {};
  }

 private:
  int64_t AxisOf(const Sections& s, int64_t pair) const {
    SectionOrder order = s.order;
    if (Is(M::kSectionShifted)) pair = std::min(pair + 1, s.pairs() - 1);
    if (Is(M::kOrderContiguous)) order = SectionOrder::kContiguous;
    if (Is(M::kOrderInterleaved) && order == SectionOrder::kContiguous && s.sizes.size() == 3)
      order = SectionOrder::kInterleaved;
    const bool turns =
        order == SectionOrder::kInterleaved || order == SectionOrder::kInterleavedExtra;
    if (Is(M::kLeftoverByTurn) && turns) return pair % 3;
    const int64_t axis = SectionOf(s, order, pair);
    return Is(M::kLeftoverToFirst) && order == SectionOrder::kInterleavedExtra && axis == 3 ? 0
                                                                                            : axis;
  }

  int64_t PositionOf(int64_t position) const {
    if (Is(M::kPlusOne)) return position + 1;
    return MistakenPosition(mistake(), position);
  }
  float Stored(double entry) const {
    const float v = InF32(entry);
    return promise().tables == Stage::kOutput || Is(M::kBf16Arithmetic)
               ? static_cast<float>(RoundToFormat(format_, v))
               : v;
  }

  // A rotation as this kernel reads it: rope.apply is one axis.
  struct Reading {
    AxialRotation a;
    std::vector<int64_t> axis;
    bool rope = false;
  };
  Reading Read(const Case& c) const;
  PlainFrequency FrequencyOf(const Case& c, const Reading& r, int64_t pair) const;
  std::vector<int64_t> Grid(const Case& c, const Reading& r);
  using PlainKernel::Read;

  void Turn(const Case& c, const TensorView& y);
  void Head(const Case& c, const Reading& r, const Walk& x, const Walk& y,
            const std::vector<PlainTurn>& turns, const Shape& at) const;
  void Sincos(const Case& c, const TensorView& pe) const;
  void Factorized(const Case& c, const TensorView& pe) const;
  void Windows(const Case& c, const TensorView& out) const;

  std::map<std::string, std::vector<int64_t>> cached_;  // kStaleTable
  std::vector<int64_t> previous_;                       // kStalePrevious
};

PlainAxes::Reading PlainAxes::Read(const Case& c) const {
  Reading r;
  r.rope = c.operation == "rope.apply";
  if (r.rope) {
    const RopeApply a = gnomon::rope::ReadApply(c);
    r.a.head_dim = a.frequencies.head_dim;
    r.a.rotary_dim = a.frequencies.rotary_dim;
    r.a.rotary_offset = a.rotary_offset;
    r.a.rope_theta = a.frequencies.rope_theta;
    r.a.frequencies = a.frequencies.frequencies;
    r.a.layout = static_cast<AxialLayout>(a.input_layout);
    r.a.direction = a.direction;
    r.a.sizes = {r.a.pairs()};
    for (int64_t i = 0; i < r.a.pairs(); ++i) r.a.pair.push_back({0, i, 2 * i, r.a.rotary_dim});
    r.axis.assign(r.a.pair.size(), 0);
    return r;
  }
  r.a = gnomon::multi_axis::ReadRotation(c);
  Sections s{r.a.sizes, SectionOrder::kContiguous};
  if (gnomon::multi_axis::IsMrope(c)) {
    ParameterReader reader(c.parameters, "AXES-2");
    s = gnomon::multi_axis::ReadSections(reader);
  }
  const int64_t last = r.a.axes() - 1;
  for (int64_t i = 0; i < r.a.pairs(); ++i) {
    int64_t axis = AxisOf(s, i);
    if (Is(M::kAxesReversed)) axis = last - axis;
    if (Is(M::kFirstAxesSwapped) && last > 0 && axis < 2) axis = 1 - axis;
    if (Is(M::kFirstAxisForAll)) axis = 0;
    if (Is(M::kLastAxisUnturned) && last > 0 && axis == last) axis = -1;
    r.axis.push_back(axis);
  }
  if (Is(M::kOffsetIgnored)) r.a.rotary_offset = 0;
  if (Is(M::kReadsHalfSplit)) r.a.layout = AxialLayout::kHalfSplit;
  if (Is(M::kReadsInterleaved)) r.a.layout = AxialLayout::kInterleaved;
  if (Is(M::kReadsByAxis) && r.a.layout == AxialLayout::kHalfSplit &&
      s.order == SectionOrder::kContiguous)
    r.a.layout = AxialLayout::kHalfSplitByAxis;
  return r;
}

PlainFrequency PlainAxes::FrequencyOf(const Case& c, const Reading& r, int64_t pair) const {
  const AxialPair& p = r.a.at(pair);
  PlainFrequency w;
  w.base = r.a.rope_theta;
  w.numerator = p.numerator;
  w.denominator = p.denominator;
  w.negative_exponent = rounding().negative_exponent;
  const int64_t own_dims = 2 * r.a.sizes[static_cast<size_t>(p.axis)];
  const auto exponent = c.parameters.find("exponent");
  const bool axial = c.operation == "multi_axis.axial";
  const bool reset =
      axial && (exponent == c.parameters.end() || exponent->second == Value(std::string("reset")));
  if (reset && Is(M::kRunningForReset)) w.numerator = 2 * pair, w.denominator = r.a.rotary_dim;
  if (reset && Is(M::kWholeWindowDivisor)) w.denominator = r.a.rotary_dim;
  if (!reset && !r.rope && Is(M::kResetForRunning))
    w.numerator = 2 * p.number, w.denominator = own_dims;
  if (axial && !reset && Is(M::kAlternatingAsRuns)) w.numerator = 2 * pair;
  if (Is(M::kHeadDimDivisor)) w.denominator = r.a.head_dim;
  if (Is(M::kBaseIgnored)) w.base = 10000;
  w.pair = w.numerator / 2;
  if (!r.a.frequencies.empty()) w.given = &r.a.frequencies[static_cast<size_t>(pair)];
  return w;
}

// The positions that this kernel sees, [batch, axis, seq].
std::vector<int64_t> PlainAxes::Grid(const Case& c, const Reading& r) {
  const Tensor& positions = c.inputs.at("positions");
  const Shape& x = c.inputs.at("x").shape();
  const int64_t axes = r.a.axes(), block = axes * x[1];
  std::vector<int64_t> all;
  for (int64_t i = 0; i < x[0] * block; ++i) {
    const int64_t here = Is(M::kRowZero) ? i % block : i;
    int64_t position = positions.Integer(here % positions.count());
    if (Is(M::kCountsTokens)) position = i % x[1];
    if (Is(M::kMinusStart)) position -= positions.Integer(0);
    all.push_back(position);
  }
  if (Is(M::kStaleTable)) {
    const std::string key = c.operation + "/" + std::to_string(all.size());
    all = cached_.emplace(key, all).first->second;
  }
  if (Is(M::kStalePrevious)) {
    const std::vector<int64_t> now = all;
    if (previous_.size() == all.size()) all = previous_;
    previous_ = now;
  }
  return all;
}

void PlainAxes::Head(const Case& c, const Reading& r, const Walk& x, const Walk& y,
                     const std::vector<PlainTurn>& turns, const Shape& at) const {
  const AxialRotation& a = r.a;
  const DType dtype = x.view.dtype;
  const int64_t from = Is(M::kHeadsCrossed) && !r.rope ? x.view.shape[2] - 1 - at[2] : at[2];
  const auto of_x = [&](int64_t dim) { return x.At({at[0], at[1], from, dim}); };
  const auto of_y = [&](int64_t dim) { return y.At({at[0], at[1], at[2], dim}); };
  std::vector<uint64_t> before;
  for (int64_t d = 0; d < a.head_dim; ++d) before.push_back(LoadBits(dtype, of_x(d)));
  const auto value = [&](int64_t d) {
    return Read(DecodeBits(format_, before[static_cast<size_t>(d)]));
  };
  for (int64_t d = 0; d < a.head_dim; ++d)
    if (!a.InWindow(d))
      StoreBits(dtype, of_y(d), Is(M::kZeroesCopied) ? 0 : before[static_cast<size_t>(d)]);
  for (int64_t i = 0; i < a.pairs(); ++i) {
    if (Is(M::kTailSkipped) && i >= a.pairs() / 4 * 4) break;
    const int64_t da = a.Dim(i, 0), db = a.Dim(i, 1);
    const double cos = turns[static_cast<size_t>(i)].cos;
    double sin = turns[static_cast<size_t>(i)].sin;
    if (a.direction == RopeDirection::kTranspose && !(Is(M::kForwardReused) && !r.rope)) sin = -sin;
    if (Is(M::kSign) && !r.rope) sin = -sin;
    double xa = value(da);
    const double xb = value(db), factor = Is(M::kMagnitude) ? 1.0003 : 1;
    double ya = TwoProducts(xa, cos, xb, -sin) * factor;
    if (Is(M::kReadsPadding)) ya += 0 * DecodeBits(format_, LoadBits(dtype, of_x(a.head_dim)));
    StoreAt(y.view, of_y(da), ya);
    if (Is(M::kInPlace)) xa = DecodeBits(format_, LoadBits(dtype, of_x(da)));
    StoreAt(y.view, of_y(db), TwoProducts(xa, sin, xb, cos, 1) * factor);
  }
  if (Is(M::kTailBeyond) && a.pairs() % 4 != 0) StoreBits(dtype, of_y(a.head_dim), 0);
  (void)c;
}

void PlainAxes::Turn(const Case& c, const TensorView& y) {
  const Reading r = Read(c);
  const ConstTensorView x = c.inputs.at("x").view();
  Walk from{y, y.strides}, to{y, y.strides};
  if (c.in_place.empty()) {
    from.view = {x.dtype, const_cast<std::byte*>(x.data), x.shape, x.strides};
    from.strides = x.strides;
  }
  if (Is(M::kInputStrides)) from.strides = ContiguousStrides(x.shape);
  if (Is(M::kOutputStrides)) to.strides = ContiguousStrides(x.shape);
  const std::vector<int64_t> grid = Grid(c, r);
  for (int64_t b = 0; b < x.shape[0]; ++b)
    for (int64_t s = 0; s < x.shape[1]; ++s) {
      std::vector<PlainTurn> turns;
      for (int64_t i = 0; i < r.a.pairs(); ++i) {
        const int64_t axis = r.axis[static_cast<size_t>(i)];
        PlainTurn turn;
        if (axis >= 0)
          turn = TurnWith(
              FrequencyOf(c, r, i),
              PositionOf(grid[static_cast<size_t>((b * r.a.axes() + axis) * x.shape[1] + s)]));
        if (!promise().correctly_rounded) turn = {Stored(turn.cos), Stored(turn.sin)};
        turns.push_back(turn);
      }
      for (int64_t h = 0; h < x.shape[2]; ++h) Head(c, r, from, to, turns, {b, s, h});
    }
}

void PlainAxes::Sincos(const Case& c, const TensorView& pe) const {
  SincosTable t = gnomon::multi_axis::ReadSincos(c);
  using L = SinusoidalLayout;
  if (Is(M::kFirstHalfOther)) t.column_first = !t.column_first;
  if (Is(M::kSineLayout))
    t.half.layout = t.half.layout == L::kInterleaved ? L::kSinCos : L::kInterleaved;
  const bool minus_one = t.half.divisor == SinusoidalDivisor::kHalfMinusOne;
  if (Is(M::kSineDivisor))
    t.half.divisor = minus_one ? SinusoidalDivisor::kHalf : SinusoidalDivisor::kHalfMinusOne;
  const Tensor& positions = c.inputs.at("positions");
  const int64_t seq = positions.shape()[1];
  const Shape strides = Is(M::kOutputStrides) ? ContiguousStrides(pe.shape) : pe.strides;
  const Walk to{pe, strides};
  for (int64_t row = 0; row < t.zero_rows + seq; ++row)
    for (int64_t column = 0; column < t.width(); ++column) {
      const int64_t token = row - t.zero_rows;
      if (token < 0 && !Is(M::kZeroRowsEncoded)) {
        StoreBits(pe.dtype, to.At({row, column}), 0);
        continue;
      }
      const bool second = column >= t.half.width;
      const SinusoidalColumn of = t.half.Column(column % t.half.width);
      PlainFrequency w;
      w.base = Is(M::kBaseIgnored) ? Number(10000) : t.half.base;
      w.numerator = t.half.ExponentNumerator(of.pair);
      w.denominator = t.half.ExponentDenominator();
      w.pair = of.pair;
      w.negative_exponent = rounding().negative_exponent;
      if (Is(M::kSineFullWidth)) w.numerator = 2 * of.pair, w.denominator = t.width();
      int64_t position =
          token < 0 ? 0 : positions.Integer((second != t.column_first ? seq : 0) + token);
      if (token >= 0) position = PositionOf(position);
      const PlainTurn turn = TurnWith(w, position);
      const bool sine = (of.kind == SinusoidalColumn::kSine) != Is(M::kSineHalves);
      double v = sine ? turn.sin : turn.cos;
      if (Is(M::kSign) && sine) v = -v;
      if (!promise().correctly_rounded) v = InF32(v);
      StoreAt(pe, to.At({row, column}), v * (Is(M::kMagnitude) ? 1.0003 : 1));
    }
}

void PlainAxes::Factorized(const Case& c, const TensorView& pe) const {
  const bool sum = gnomon::multi_axis::ReadCombine(c) == Combine::kSum;
  const Tensor &px = c.inputs.at("px"), &py = c.inputs.at("py");
  const int64_t wx = px.shape()[1], wy = py.shape()[1], X = px.shape()[0], Y = py.shape()[0];
  const auto of_x = [&](int64_t x, int64_t i) { return px.Value(x * wx + i); };
  const auto of_y = [&](int64_t y, int64_t i) { return py.Value(y * wy + i); };
  const Shape strides = Is(M::kOutputStrides) ? ContiguousStrides(pe.shape) : pe.strides;
  const Walk to{pe, strides};
  for (int64_t place = 0; place < X * Y; ++place) {
    int64_t x = place / Y, y = place % Y;
    if (Is(M::kFactorsTransposed)) x = place % X, y = place / X;
    for (int64_t i = 0; i < pe.shape[2]; ++i) {
      std::byte* at = to.At({place / Y, place % Y, i});
      if (sum) {
        double v = Rounded(Read(of_x(x, i)) + Read(of_y(y, i)));
        if (Is(M::kSumHalved)) v /= 2;
        StoreAt(pe, at, v * (Is(M::kMagnitude) ? 1.0003 : 1));
      } else if (Is(M::kFactorsExchanged)) {
        StoreBits(pe.dtype, at,
                  i < wy ? BitsAt(py.view(), y * wy + i) : BitsAt(px.view(), x * wx + i - wy));
      } else {
        StoreBits(pe.dtype, at,
                  i < wx ? BitsAt(px.view(), x * wx + i) : BitsAt(py.view(), y * wy + i - wx));
      }
    }
  }
}

void PlainAxes::Windows(const Case& c, const TensorView& out) const {
  const Window w = gnomon::multi_axis::ReadWindowSize(c);
  const bool beit = w.cls == ClsToken::kBeit;
  const auto index_of = [&](int64_t query, int64_t key) {
    if (Is(M::kIndexReversed)) std::swap(query, key);
    if (beit && Is(M::kIndexClsLast)) {
      query = (query + 1) % w.tokens();
      key = (key + 1) % w.tokens();
    }
    if (beit && (query == 0 || key == 0)) {
      const bool from = (query == 0) != Is(M::kIndexClsExchanged);
      return w.offsets() + (query == key ? 2 : from ? 0 : 1);
    }
    const int64_t q = query - beit, k = key - beit;
    const int64_t dr = q / w.width - k / w.width + w.height - 1;
    const int64_t dc = q % w.width - k % w.width + w.width - 1;
    if (Is(M::kIndexByColumns)) return dc * (2 * w.height - 1) + dr;
    return dr * (2 * w.width - (Is(M::kIndexStride) ? 0 : 1)) + dc;
  };
  const int64_t n = w.tokens();
  if (c.operation == "multi_axis.window_index") {
    for (int64_t i = 0; i < n * n; ++i)
      StoreBits(out.dtype, out.AddressOf(i), static_cast<uint64_t>(index_of(i / n, i % n)));
    return;
  }
  const Tensor& table = c.inputs.at("table");
  const int64_t heads = table.shape()[1];
  for (int64_t i = 0; i < heads * n * n; ++i) {
    const int64_t row = std::min(index_of(i / n % n, i % n), w.rows() - 1);
    StoreBits(out.dtype, out.AddressOf(i), BitsAt(table.view(), row * heads + i / (n * n)));
  }
}

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all = WrongWith<PlainAxes>(kRows, "multi_axis");
  for (WrongSubject& subject : MixedWrongSubjects()) all.push_back(std::move(subject));
  return all;
}

std::vector<RightSubject> RightSubjects() {
  std::vector<RightSubject> all = RightWith<PlainAxes>(M::kNone, kRoundings, "multi_axis");
  for (RightSubject& subject : MixedRightSubjects()) all.push_back(std::move(subject));
  return all;
}

}  // namespace gnomon::properties::multi_axis
