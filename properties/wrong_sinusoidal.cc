// Plain kernels of the sinusoidal operations, and the mistakes people make in them. Each is one
// precise change, marked by Is().
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gnomon/properties/plain_kernel.h"
#include "gnomon/properties/sinusoidal_real.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::properties::sinusoidal {
namespace {

enum class M {
  kNone,
  kZeroesNan,
  kClampsResult,
  kUint16,
  kInt16,
  kBaseOther,
  kDivides,
  kPlusSeven,
  kDivisorHalf,
  kDivisorLess,
  kHalves,
  kLayoutInterleaved,
  kLayoutSinCos,
  kOddExponent,
  kOddColumnZero,
  kOddColumnSine,
  kOddColumnCosine,
  kScalesPosition,
  kScaleIgnored,
  kScaleSinesOnly,
  kTokenScaleIgnored,
  kTokenScalesSum,
  kWidthForRoot,
  kShiftTransposed,
  kMatrixInterleaved,
  kOffBlockUnwritten,
  kHeadReversed,
  kGainIgnored,
  kGainOnDiagonal,
  kDistanceSquared,
  kDistanceExpanded,
  kDistanceOfSum,
  kSimilarityOfSum,
  kSimilarityScaleOnce,
  kSimilarityShifted,
  kIntegerExponent,
  kDividesByFrequency,
  kDoubledExponent,
  kOddCosine,
  kBaseIgnored,
  kFrequenciesIgnored,
  kPlusOne,
  kPaddingOffset,
  kPositionsBf16,
  kPositionsF16,
  kFrequenciesBf16,
  kFrequenciesF16,
  kFloatTwoPi,
  kPolynomialBeyondRange,
  kChained,
  kAbsolutePosition,
  kUnsignedPosition,
  kNegativeFrequency,
  kZeroFrequencyAsOne,
  kMagnitude,
  kTwoUlps,
  kOneUlp,
  kTruncates,
  kRoundsTwice,
  kSaturates,
  kFlushesResult,
  kFlushesInput,
  kNanAsZero,
  kCapsInfinity,
  kCountsTokens,
  kBatchZero,
  kStalePrevious,
  kClamps,
  kWraps,
  kInputStrides,
  kOutputStrides,
  kReadsPadding,
  kTailSkipped,
  kTailBeyond,
  kShortOffsets,
  kWritesInput,
  kAddsTwice,
  kBf16Arithmetic,
  kTablesBf16,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

constexpr MistakeRow<M> kRows[] = {
    {M::kDivisorHalf, "sin-divisor/half", "width/2 where width/2 - 1 is asked", kFormula,
     "standard"},
    {M::kDivisorLess, "sin-divisor/half-minus-one", "width/2 - 1 where width/2 is asked", kFormula,
     "standard"},
    {M::kHalves, "sin-halves", "sine and cosine exchanged", kFormula, "standard"},
    {M::kLayoutInterleaved, "sin-layout/interleaved", "always interleaved", kFormula, "standard"},
    {M::kLayoutSinCos, "sin-layout/sin-cos", "always [sines, cosines]", kFormula, "standard"},
    {M::kOddExponent, "sin-odd-exponent", "exponent 2i/(width-1) for odd widths", kFormula,
     "standard"},
    {M::kOddColumnZero, "sin-odd-column/zero", "last column 0 where a sine is asked", kFormula,
     "standard"},
    {M::kOddColumnSine, "sin-odd-column/sine", "last column a sine where 0 is asked", kFormula,
     "standard"},
    {M::kOddColumnCosine, "sin-odd-column/cosine", "last column a cosine", kFormula, "standard"},
    {M::kScalesPosition, "sin-scale-position", "scale multiplies the position", kFormula,
     "standard"},
    {M::kScaleIgnored, "sin-scale-position/ignored", "scale left out", kFormula, "standard"},
    {M::kScaleSinesOnly, "sin-scale-position/sines", "scale on the sines alone", kFormula,
     "standard"},
    {M::kTokenScaleIgnored, "sin-token-scale/ignored", "token_scale left out", kFormula,
     "standard"},
    {M::kTokenScalesSum, "sin-token-scale/sum", "token_scale on x + pe", kFormula, "standard"},
    {M::kWidthForRoot, "sin-token-scale/width", "width for its square root", kFormula, "standard"},
    {M::kShiftTransposed, "sin-shift-transposed", "M_k^T for M_k", kFormula, "standard"},
    {M::kMatrixInterleaved, "sin-layout/matrix", "blocks on adjacent columns in every layout",
     kFormula, "standard"},
    {M::kOffBlockUnwritten, "window-not-copied/off-block", "zeros of the matrix not written",
     kState, "standard"},
    {M::kHeadReversed, "sin-head-reversed", "the head for n = m + k", kFormula, "standard"},
    {M::kGainIgnored, "sin-head-reversed/gain-ignored", "gain left out", kFormula, "standard"},
    {M::kGainOnDiagonal, "sin-head-reversed/gain-on-diagonal", "gain on the cosines alone",
     kFormula, "standard"},
    {M::kDistanceSquared, "sin-distance-squared", "distance without the root", kFormula,
     "standard"},
    {M::kDistanceExpanded, "sin-distance-squared/expanded",
     "distance as the root of |p|^2 + |q|^2 - 2 p.q", kFormula, "standard"},
    {M::kDistanceOfSum, "sin-distance-squared/sum", "|PE[m] + PE[n]|", kFormula, "standard"},
    {M::kSimilarityOfSum, "sign/similarity", "cos((m + n) w) for cos((m - n) w)", kFormula,
     "standard"},
    {M::kSimilarityScaleOnce, "sin-scale-position/similarity",
     "scale, not its square, in the dot product", kFormula, "standard"},
    {M::kSimilarityShifted, "offset/similarity", "position n + 1 in the dot product", kFormula,
     "standard"},
    {M::kIntegerExponent, "exponent-integer-division", "2i/width in integers", kFormula,
     "standard"},
    {M::kDividesByFrequency, "exponent-inverse", "position divided by the frequency", kFormula,
     "standard"},
    {M::kDoubledExponent, "exponent-doubled", "twice the exponent", kFormula, "standard"},
    {M::kOddCosine, "exponent-odd-cosine", "cosine with exponent (2i+1)/width", kFormula,
     "standard"},
    {M::kBaseIgnored, "base", "10000 whatever the base is", kFormula, "standard"},
    {M::kFrequenciesIgnored, "base/frequencies-ignored", "10000 where frequencies are given",
     kFormula, "standard"},
    {M::kPlusOne, "offset", "position + 1", kFormula, "standard"},
    {M::kPaddingOffset, "offset/padding", "position + 2, as if padded", kFormula, "standard"},
    {M::kPositionsBf16, "positions-bf16", "positions in bf16", kFormula, "f32-angle"},
    {M::kPositionsF16, "positions-f16", "positions in f16", kFormula, "f32-angle"},
    {M::kFrequenciesBf16, "frequencies-bf16", "frequencies in bf16", kFormula, "f32-angle"},
    {M::kFrequenciesF16, "frequencies-f16", "frequencies in f16", kFormula, "f32-angle"},
    {M::kFloatTwoPi, "unreduced/float-two-pi", "angle reduced by a float32 2 pi", kFormula,
     "standard"},
    {M::kPolynomialBeyondRange, "unreduced/polynomial", "sine by a polynomial for |a| < pi",
     kFormula, "f32-angle"},
    {M::kChained, "unreduced/chained",
     "frequencies multiplied up in float32, exact angles promised", kFormula, "standard"},
    {M::kAbsolutePosition, "negative-position", "|position|", kFormula, "standard"},
    {M::kUnsignedPosition, "negative-position/unsigned", "positions as unsigned 32-bit numbers",
     kFormula, "standard"},
    {M::kNegativeFrequency, "negative-position/frequency", "|frequency|", kFormula, "standard"},
    {M::kZeroFrequencyAsOne, "frequency-zero/as-one", "frequency 0 counts as 1", kFormula,
     "standard"},
    {M::kMagnitude, "magnitude", "everything 0.03 % too large", kFormula, "standard"},
    {M::kTwoUlps, "table-ulp/two", "entries two ulps up", kFormula, "standard"},
    {M::kOneUlp, "table-ulp/one-rounded-promised", "entries one ulp up, rounded promised", kFormula,
     "rounded"},
    {M::kTruncates, "bf16-truncated", "bf16 by truncation", kFormula, "standard"},
    {M::kRoundsTwice, "bf16-double-rounding", "rounded to f32, then to 16 bits", kFormula,
     "rounded"},
    {M::kBf16Arithmetic, "bf16-double-rounding/arithmetic", "sums in 16 bits, f32 promised",
     kFormula, "standard"},
    {M::kTablesBf16, "table-ulp/16-bit-tables", "tables in bf16, f32 promised", kFormula,
     "standard"},
    {M::kSaturates, "f16-saturated", "overflow to the largest number", kFormula, "standard"},
    {M::kFlushesResult, "subnormals-flushed/result", "subnormal results flushed to zero", kFormula,
     "standard"},
    {M::kFlushesInput, "subnormals-flushed/input", "subnormal inputs count as 0", kFormula,
     "standard"},
    {M::kZeroesNan, "nan-lost/zero", "NaN results become 0", kFormula, "standard"},
    {M::kClampsResult, "nan-lost/clamped", "results clamped by fmax and fmin", kFormula,
     "standard"},
    {M::kUint16, "position-width/uint16", "positions in unsigned 16 bits", kFormula, "standard"},
    {M::kInt16, "position-width/int16", "positions in signed 16 bits", kFormula, "standard"},
    {M::kBaseOther, "base/10500", "base 10500 whatever the case says", kFormula, "standard"},
    {M::kDivides, "base/linear-3.7", "positions divided by 3.7", kFormula, "standard"},
    {M::kPlusSeven, "offset/+7", "position + 7", kFormula, "standard"},
    {M::kNanAsZero, "nan-lost/as-zero", "NaN inputs count as 0", kFormula, "standard"},
    {M::kCapsInfinity, "nan-lost/infinity", "infinite results become the largest number", kFormula,
     "standard"},
    {M::kCountsTokens, "arange-positions", "0..T-1 whatever the positions are", kFormula,
     "standard"},
    {M::kBatchZero, "row-positions/batch-zero", "batch row 0 for every row", kState, "standard"},
    {M::kStalePrevious, "stale-table/previous", "the positions of the call before", kState,
     "standard"},
    {M::kClamps, "table-clamp", "positions beyond a table of 2048 rows clamped", kState,
     "standard"},
    {M::kWraps, "table-wrap", "positions beyond a table of 2048 rows wrapped", kState, "standard"},
    {M::kInputStrides, "stride-ignored/input", "x taken as contiguous", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/output", "the output taken as contiguous", kState,
     "standard"},
    {M::kReadsPadding, "stride-ignored/padding-read", "adds zero times what lies after the row",
     kState, "standard"},
    {M::kTailSkipped, "tail-vector", "columns after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite", "a full vector written at the tail", kState, "standard"},
    {M::kShortOffsets, "int32-index/16-bits", "offsets in 16 bits", kState, "standard"},
    {M::kWritesInput, "in-place/input-written", "leaves the sum in x too, out of place", kState,
     "standard"},
    {M::kAddsTwice, "in-place/adds-to-output", "adds the table to what the output holds", kState,
     "standard"},
};

const RoundingRow kRoundings[] = {
    {"plain", "every operation rounded, sums forward, float64 angles", "standard", {}},
    {"plain", "f32 angles", "f32-angle", {}},
    {"plain", "frequencies by exp", "f32-exp", {}},
    {"plain", "16-bit tables and arithmetic", "f32-angle-16", {}},
    {"plain", "angles multiplied up pair by pair", "f32-chained", {}},
    {"negative-exponent", "frequencies by pow(base, -e)", "f32-angle", {.negative_exponent = true}},
    {"sum/backward", "sums from the last column", "standard", {.sum = Rounding::kBackward}},
    {"sum/pairwise", "sums pairwise", "standard", {.sum = Rounding::kPairwise}},
    {"sum/pairwise",
     "sums of 16-bit entries pairwise",
     "f32-angle-16",
     {.sum = Rounding::kPairwise}},
    {"sum/float64", "float64 accumulators", "f32-angle", {.sum = Rounding::kFloat64}},
    {"sum/fused", "sums by multiply-adds", "standard", {.sum = Rounding::kFusedForward}},
    {"sum/from-angles", "similarity from (m - n) w", "standard", {.from_angles = true}},
    {"fused/first",
     "token_scale x + pe by a multiply-add",
     "standard",
     {.fused = Rounding::kFirst}},
    {"fused/first", "the same in 16 bits", "f32-angle-16", {.fused = Rounding::kFirst}},
    {"tables/up", "entries rounded up", "standard", {.tables = Rounding::kUp}},
    {"tables/down", "entries rounded down", "standard", {.tables = Rounding::kDown}},
    {"tables/up", "entries rounded up", "f32-exp", {.tables = Rounding::kUp}},
    {"tables/down",
     "entries rounded down, then to 16 bits",
     "f32-angle-16",
     {.tables = Rounding::kDown}},
    {"flushed/inputs", "subnormal operands count as 0", "standard", {.flush = Rounding::kInputs}},
    {"flushed/results", "subnormal results become 0", "f32-angle", {.flush = Rounding::kResults}},
    {"flushed/both", "operands and results", "f32-exp", {.flush = Rounding::kBoth}},
    {"flushed/both", "the same in 16 bits", "f32-angle-16", {.flush = Rounding::kBoth}},
    {"flushed/both-from-angles",
     "operands and results, similarity from (m - n) w",
     "standard",
     {.from_angles = true, .flush = Rounding::kBoth}},
};

constexpr int64_t kLanes = 4;

class PlainSinusoidal final : public PlainKernel<M> {
 public:
  PlainSinusoidal(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "sinusoidal") {}

  // Real arguments: wrong_sinusoidal_real.cc.
  bool Declares(const std::string& operation, Format format) const override {
    return PlainKernel::Declares(operation, format) && !gnomon::sinusoidal::IsReal(operation);
  }

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    if (c.operation == "sinusoidal.table") return Table(c, outputs.at("pe"));
    if (c.operation == "sinusoidal.add") return Add(c, outputs.at("y"));
    if (c.operation == "sinusoidal.similarity" || c.operation == "sinusoidal.distance")
      return Pairwise(c, outputs.at("values"));
    return Matrix(c, outputs.at("matrix"));
  }

 private:
  PlainFrequency FrequencyOf(const SinusoidalTable& t, int64_t pair) const {
    SinusoidalTable asked = t;
    if (Is(M::kDivisorHalf)) asked.divisor = SinusoidalDivisor::kHalf;
    if (Is(M::kDivisorLess)) asked.divisor = SinusoidalDivisor::kHalfMinusOne;
    PlainFrequency w;
    w.base = t.base;
    w.numerator = asked.ExponentNumerator(pair);
    w.denominator = asked.ExponentDenominator();
    w.pair = pair;
    w.negative_exponent = rounding().negative_exponent;
    if (!t.frequencies.empty() && !Is(M::kFrequenciesIgnored))
      w.given = &t.frequencies[static_cast<size_t>(pair)];
    if (Is(M::kOddExponent) && t.width % 2 != 0 && t.width > 1 && w.denominator == t.width)
      w.denominator = t.width - 1;
    if (Is(M::kIntegerExponent)) w.numerator = w.numerator / w.denominator * w.denominator;
    if (Is(M::kDoubledExponent)) w.numerator *= 2;
    if (Is(M::kBaseIgnored)) w.base = 10000;
    if (Is(M::kBaseOther)) w.base = 10500;
    return w;
  }

  int64_t PositionOf(int64_t position) const {
    if (Is(M::kPlusOne)) return position + 1;
    if (Is(M::kPaddingOffset)) return position + 2;
    if (Is(M::kClamps)) return std::min<int64_t>(position, 2047);
    if (Is(M::kWraps)) return position % 2048;
    return MistakenPosition(mistake(), position);
  }

  PlainTurn TurnOf(const SinusoidalTable& t, int64_t position, int64_t pair) const {
    PlainFrequency w = FrequencyOf(t, pair);
    Number scaled;
    if (Is(M::kScalesPosition)) {
      scaled = FrequencyAs(form(), w) * t.scale.value;
      w.given = &scaled;
    }
    return TurnWith(w, PositionOf(position));
  }

  SinusoidalColumn ColumnOf(const SinusoidalTable& t, int64_t column) const {
    SinusoidalTable asked;  // what its columns depend on
    asked.width = t.width;
    asked.layout = t.layout;
    asked.odd_width = t.odd_width;
    if (Is(M::kLayoutInterleaved)) asked.layout = SinusoidalLayout::kInterleaved;
    if (Is(M::kLayoutSinCos)) asked.layout = SinusoidalLayout::kSinCos;
    SinusoidalColumn c = asked.Column(column);
    if (column == 2 * t.pairs()) {
      if (Is(M::kOddColumnZero)) c.kind = SinusoidalColumn::kZero;
      if (c.kind == SinusoidalColumn::kZero && Is(M::kOddColumnSine) && t.frequencies.empty())
        c.kind = SinusoidalColumn::kSine;
      if (c.kind == SinusoidalColumn::kSine && Is(M::kOddColumnCosine))
        c.kind = SinusoidalColumn::kCosine;
    } else if (Is(M::kHalves)) {
      c.kind =
          c.kind == SinusoidalColumn::kSine ? SinusoidalColumn::kCosine : SinusoidalColumn::kSine;
    }
    return c;
  }

  // Sine or cosine times a factor, as a table in the working format holds it.
  double Scaled(double v, const Number& factor) const {
    if (promise().correctly_rounded && !Is(M::kOneUlp)) return v * factor.value;
    float entry = InF32(v);
    if (factor != Number(1)) entry *= static_cast<float>(factor.value);
    return Result(Format::kF32, entry);
  }
  double Entry(const SinusoidalTable& t, int64_t position, int64_t column) const {
    const SinusoidalColumn c = ColumnOf(t, column);
    if (c.kind == SinusoidalColumn::kZero) return 0;
    const PlainTurn turn = TurnOf(t, position, c.pair);
    const bool sine = c.kind == SinusoidalColumn::kSine;
    const bool unscaled =
        Is(M::kScaleIgnored) || Is(M::kScalesPosition) || (Is(M::kScaleSinesOnly) && !sine);
    return Scaled(sine ? turn.sin : turn.cos, unscaled ? Number(1) : t.scale);
  }
  // The same as the table stores it for later arithmetic.
  double Stored(const SinusoidalTable& t, int64_t position, int64_t column) const {
    const double v = Entry(t, position, column);
    if (Is(M::kTablesBf16)) return RoundToFormat(Format::kBf16, v);
    return promise().tables == Stage::kOutput ? Result(format_, RoundToFormat(format_, v)) : v;
  }

  std::byte* At(const TensorView& view, int64_t number) const {
    int64_t offset = Is(M::kOutputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    return view.data + offset * SizeOf(view.dtype);
  }
  // Element `number` of rows of `width`.
  void Store(const TensorView& view, int64_t number, int64_t width, double value) const {
    const int64_t column = number % width;
    if (Is(M::kTailSkipped) && column >= width / kLanes * kLanes) return;
    if (Is(M::kMagnitude)) value *= 1.0003;
    std::byte* address = At(view, number);
    StoreAt(view, address, value);
    if (Is(M::kTailBeyond) && column == width - 1 && width % kLanes != 0)
      StoreBits(view.dtype, address + view.strides.back() * SizeOf(view.dtype), 0);
  }

  std::vector<int64_t> PositionsOf(const Tensor& tensor) {
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < tensor.count(); ++i)
      positions.push_back(Is(M::kCountsTokens) ? i : tensor.Integer(i));
    if (!Is(M::kStalePrevious)) return positions;
    std::swap(previous_, positions);
    return positions.size() == previous_.size() ? positions : previous_;
  }

  Outcome Table(const Case& c, const TensorView& pe) {
    const SinusoidalTable t = gnomon::sinusoidal::ReadTable(c);
    const std::vector<int64_t> positions = PositionsOf(c.inputs.at("positions"));
    for (int64_t i = 0; i < pe.count(); ++i)
      Store(pe, i, t.width, Entry(t, positions[static_cast<size_t>(i / t.width)], i % t.width));
    return {};
  }

  Outcome Add(const Case& c, const TensorView& y);
  Outcome Matrix(const Case& c, const TensorView& matrix) const;
  Outcome Pairwise(const Case& c, const TensorView& values);
  struct RowSums {
    double dot = 0, squares = 0, norms = 0;  // of p q, (p - q)^2, p^2 + q^2
  };
  RowSums SumsOf(const SinusoidalTable& t, int64_t m, int64_t n) const;
  double InSum(float a, float b) const {
    return rounding().sum == Rounding::kFloat64
               ? static_cast<double>(a) * b
               : Operand(Format::kF32, Result(Format::kF32, a * b));
  }

  std::vector<int64_t> previous_;  // kStalePrevious
};

Outcome PlainSinusoidal::Add(const Case& c, const TensorView& y) {
  const gnomon::sinusoidal::AddParameters p = gnomon::sinusoidal::ReadAdd(c);
  const int64_t width = p.table.width;
  const std::vector<int64_t> positions = PositionsOf(c.inputs.at("positions"));
  const ConstTensorView x = c.in_place.empty() ? c.inputs.at("x").view() : ConstTensorView(y);
  double factor = p.sqrt_width ? std::sqrt(static_cast<double>(width)) : p.token_scale.value;
  if (p.sqrt_width && Is(M::kWidthForRoot)) factor = static_cast<double>(width);
  if (Is(M::kTokenScaleIgnored)) factor = 1;
  const int64_t row = static_cast<int64_t>(positions.size()) * width;
  for (int64_t i = 0; i < y.count(); ++i) {
    const int64_t from = Is(M::kBatchZero) ? i % row : i;
    int64_t offset = Is(M::kInputStrides) ? from : x.OffsetOf(from);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    const std::byte* address = x.data + offset * SizeOf(x.dtype);
    double value = DecodeBits(format_, LoadBits(x.dtype, address));
    if (Is(M::kAddsTwice)) value = DecodeBits(format_, LoadBits(y.dtype, At(y, i)));
    value = Read(value);
    const double pe = Stored(p.table, positions[static_cast<size_t>(i % row / width)], i % width);
    double sum;
    if (Is(M::kTokenScalesSum)) {
      sum = Rounded(Rounded(factor) * Rounded(value + pe));
    } else {
      sum = factor == 1 ? Rounded(value + Operand(arithmetic(), pe))
                        : TwoProducts(Rounded(factor), value, pe, 1);
    }
    if (Is(M::kReadsPadding) && i % width == width - 1)
      sum += 0 * DecodeBits(format_, LoadBits(x.dtype, address + x.strides[2] * SizeOf(x.dtype)));
    Store(y, i, width, sum);
    if (Is(M::kWritesInput) && c.in_place.empty())
      StoreBits(x.dtype, const_cast<std::byte*>(address), LoadBits(y.dtype, At(y, i)));
  }
  return {};
}

Outcome PlainSinusoidal::Matrix(const Case& c, const TensorView& matrix) const {
  const gnomon::sinusoidal::MatrixParameters p = gnomon::sinusoidal::ReadMatrix(c);
  const bool head = c.operation == "sinusoidal.relative_head";
  SinusoidalTable t = p.table;
  if (Is(M::kMatrixInterleaved)) t.layout = SinusoidalLayout::kInterleaved;
  for (int64_t i = 0; i < matrix.count(); ++i) {
    const SinusoidalColumn r = ColumnOf(t, i / t.width), j = ColumnOf(t, i % t.width);
    if (r.pair != j.pair) {
      if (!Is(M::kOffBlockUnwritten)) Store(matrix, i, t.width, 0);
      continue;
    }
    const PlainTurn turn = TurnOf(p.table, p.offset, r.pair);
    const bool diagonal = r.kind == j.kind;
    double sine = r.kind == SinusoidalColumn::kSine ? turn.sin : -turn.sin;
    if ((Is(M::kShiftTransposed) && !head) || (Is(M::kHeadReversed) && head)) sine = -sine;
    const bool without = Is(M::kGainIgnored) || (Is(M::kGainOnDiagonal) && !diagonal);
    Store(matrix, i, t.width, Scaled(diagonal ? turn.cos : sine, without ? Number(1) : p.gain));
  }
  return {};
}

PlainSinusoidal::RowSums PlainSinusoidal::SumsOf(const SinusoidalTable& t, int64_t m,
                                                 int64_t n) const {
  std::vector<double> products, squares, norms;
  float fused_dot = 0, fused_squares = 0;
  for (int64_t j = 0; j < t.width; ++j) {
    const float a = static_cast<float>(Operand(arithmetic(), Stored(t, m, j)));
    float b = static_cast<float>(Operand(arithmetic(), Stored(t, n, j)));
    if (Is(M::kSimilarityOfSum) && t.Column(j).kind == SinusoidalColumn::kSine) b = -b;
    const float difference =
        static_cast<float>(Result(Format::kF32, Is(M::kDistanceOfSum) ? a + b : a - b));
    fused_dot = std::fma(a, b, fused_dot);
    fused_squares = std::fma(difference, difference, fused_squares);
    products.push_back(InSum(a, b));
    squares.push_back(InSum(difference, difference));
    norms.push_back(a * a + b * b);
  }
  const Rounding::Sum sum = rounding().sum;
  if (sum == Rounding::kFusedForward) return {fused_dot, fused_squares, 0};
  // SIN-12: from the angles directly, while m - n is a value of f32.
  if (rounding().from_angles && std::abs(m - n) <= int64_t{1} << 24) {
    std::vector<double> cosines;
    for (int64_t i = 0; i < t.pairs(); ++i) cosines.push_back(InF32(TurnOf(t, m - n, i).cos));
    const float scale = static_cast<float>(t.scale.value);
    products = {scale * scale * static_cast<float>(SumOf(cosines, sum))};
  }
  return {SumOf(products, sum), SumOf(squares, sum), SumOf(norms, sum)};
}

Outcome PlainSinusoidal::Pairwise(const Case& c, const TensorView& values) {
  const SinusoidalTable t = gnomon::sinusoidal::ReadTable(c);
  const std::vector<int64_t> m = PositionsOf(c.inputs.at("m")), n = PositionsOf(c.inputs.at("n"));
  const int64_t columns = static_cast<int64_t>(n.size());
  for (int64_t i = 0; i < values.count(); ++i) {
    const int64_t at_m = m[static_cast<size_t>(i / columns)];
    const int64_t at_n = n[static_cast<size_t>(i % columns)] + (Is(M::kSimilarityShifted) ? 1 : 0);
    const RowSums sums = SumsOf(t, at_m, at_n);
    float dot = static_cast<float>(sums.dot), squares = static_cast<float>(sums.squares);
    if (Is(M::kDistanceExpanded))
      squares = std::max(0.0f, static_cast<float>(sums.norms) - 2 * dot);
    if (Is(M::kSimilarityScaleOnce) && t.scale.value != 0) dot /= static_cast<float>(t.scale.value);
    const float distance = Is(M::kDistanceSquared) ? squares : std::sqrt(squares);
    Store(values, i, columns, c.operation == "sinusoidal.distance" ? distance : dot);
  }
  return {};
}

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all = WrongWith<PlainSinusoidal>(kRows, "sinusoidal");
  for (WrongSubject& subject : RealWrongSubjects()) all.push_back(std::move(subject));
  return all;
}

std::vector<RightSubject> RightSubjects() {
  std::vector<RightSubject> all = RightWith<PlainSinusoidal>(M::kNone, kRoundings, "sinusoidal");
  for (RightSubject& subject : RealRightSubjects()) all.push_back(std::move(subject));
  return all;
}

}  // namespace gnomon::properties::sinusoidal
