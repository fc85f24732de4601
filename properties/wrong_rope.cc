// A plain rope kernel, and the mistakes people make in one. Each is one precise change, marked by
// Is().
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "gnomon/properties/plain_kernel.h"
#include "gnomon/properties/plain_scaling.h"
#include "gnomon/properties/rope_xpos.h"
#include "gnomon/spec/rope.h"

namespace gnomon::properties::rope {
namespace {

enum class M {
  kNone,
  kReadsHalfSplit,
  kReadsInterleaved,
  kOutputLayoutIgnored,
  kSign,
  kTableLayout,
  kHeadsCrossed,
  kBatchesCrossed,
  kFirstHeadOnly,
  kForwardReused,
  kHalfTransposed,
  kCosineNegated,
  kInPlace,
  kWritesInput,
  kHeadDimDivisor,
  kHeadDimPairs,
  kIntegerExponent,
  kDividesByFrequency,
  kDoubledExponent,
  kOddCosine,
  kBaseIgnored,
  kBaseTruncated,
  kFrequenciesIgnored,
  kPlusOne,
  kNotTurned,
  kTurnedTwice,
  kMinusStart,
  kStaleTable,
  kStalePrevious,
  kRowZero,
  kHeadsAsSeq,
  kCountsTokens,
  kPositionsBf16,
  kPositionsF16,
  kPositionsF32,
  kFrequenciesBf16,
  kFrequenciesF16,
  kFloatTwoPi,
  kPolynomialBeyondRange,
  kChained,
  kClamps,
  kWraps,
  kTailSkipped,
  kTailBeyond,
  kInputStrides,
  kOutputStrides,
  kRowsAdjacent,
  kReadsPadding,
  kShortOffsets,
  kZeroesCopied,
  kLeavesCopied,
  kCanonicalNan,
  kOffsetIgnored,
  kWindowIgnored,
  kNanAsZero,
  kCapsInfinity,
  kSaturates,
  kTruncates,
  kRoundsTwice,
  kMagnitude,
  kTwoUlps,
  kOneUlp,
  kZeroFrequencyAsOne,
  kZeroFrequencyNan,
  kNegativeFrequency,
  kAbsolutePosition,
  kFlushesResult,
  kFlushesInput,
  kFlushesTable,
  kBf16Arithmetic,
  kTablesBf16,
  kUnsignedPosition,
  kScalingIgnored,
  kPositionsTimesFactor,
  kMagnitudeDropped,
  kMagnitudeTwice,
  kMagnitudeEverywhere,
  kMagnitudeOnCosine,
  kLengthOfToken,
  kStaticFactor,
  kZeroesNan,
  kClampsResult,
  kUint16,
  kInt16,
  kBaseOther,
  kDivides,
  kPlusSeven,
  kLastWindow,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

constexpr MistakeRow<M> kRows[] = {
    {M::kReadsHalfSplit, "layout/half-split", "always pairs (i, i+r/2)", kFormula, "standard"},
    {M::kReadsInterleaved, "layout/interleaved", "always pairs (2i, 2i+1)", kFormula, "standard"},
    {M::kOutputLayoutIgnored, "layout/output-ignored", "writes in the layout it reads", kFormula,
     "standard"},
    {M::kSign, "sign", "sine negated", kFormula, "standard"},
    {M::kTableLayout, "table-layout", "table [f0,f0,f1,f1,..] with the half rotation", kFormula,
     "standard"},
    {M::kHeadsCrossed, "q-k-crossed/heads", "heads taken in reverse order", kState, "standard"},
    {M::kBatchesCrossed, "q-k-crossed/batches", "batch rows taken in reverse order", kState,
     "standard"},
    {M::kFirstHeadOnly, "q-k-crossed/first-head", "only the first head is turned", kState,
     "standard"},
    {M::kForwardReused, "backward", "the transpose turns forward", kFormula, "standard"},
    {M::kHalfTransposed, "backward/half-signs", "the transpose changes one sign of two", kFormula,
     "standard"},
    {M::kCosineNegated, "backward/cosine", "the transpose negates the cosine", kFormula,
     "standard"},
    {M::kInPlace, "in-place", "y_b from the overwritten x_a", kState, "standard"},
    {M::kWritesInput, "in-place/input-written", "turns the input too, out of place", kState,
     "standard"},
    {M::kHeadDimDivisor, "divisor", "exponent divided by head_dim", kFormula, "standard"},
    {M::kHeadDimPairs, "pair-offset", "pairs (i, i+d/2) in a partial window", kFormula, "standard"},
    {M::kIntegerExponent, "exponent-integer-division", "2i/r in integers", kFormula, "standard"},
    {M::kDividesByFrequency, "exponent-inverse", "position divided by the frequency", kFormula,
     "standard"},
    {M::kDoubledExponent, "exponent-doubled", "exponent 4i/r", kFormula, "standard"},
    {M::kOddCosine, "exponent-odd-cosine", "cosine with exponent (2i+1)/r", kFormula, "standard"},
    {M::kBaseIgnored, "base", "10000 whatever rope_theta is", kFormula, "standard"},
    {M::kBaseTruncated, "base/truncated", "rope_theta as an integer", kFormula, "standard"},
    {M::kFrequenciesIgnored, "base/frequencies-ignored", "10000 where frequencies are given",
     kFormula, "standard"},
    {M::kPlusOne, "offset", "position + 1", kFormula, "standard"},
    {M::kNotTurned, "position-factor/none", "position 0 everywhere: nothing turned", kFormula,
     "standard"},
    {M::kTurnedTwice, "position-factor/twice", "turned twice", kFormula, "standard"},
    {M::kMinusStart, "arange-positions/from-first", "positions counted from the first token's",
     kFormula, "standard"},
    {M::kStaleTable, "stale-table", "table cached by shape, not by position", kState, "standard"},
    {M::kStalePrevious, "stale-table/previous", "the table of the call before", kState, "standard"},
    {M::kRowZero, "row-positions", "the first row's positions for every row", kState, "standard"},
    {M::kHeadsAsSeq, "heads-as-seq", "position taken from the head index", kState, "standard"},
    {M::kCountsTokens, "arange-positions", "0..T-1 whatever the positions are", kFormula,
     "standard"},
    {M::kPositionsBf16, "positions-bf16", "positions in bf16", kFormula, "f32-angle"},
    {M::kPositionsF16, "positions-f16", "positions in f16", kFormula, "f32-angle"},
    {M::kPositionsF32, "positions-bf16/f32-exact-promised",
     "positions in f32, exact angles promised", kFormula, "standard"},
    {M::kFrequenciesBf16, "frequencies-bf16", "frequencies in bf16", kFormula, "f32-angle"},
    {M::kFrequenciesF16, "frequencies-f16", "frequencies in f16", kFormula, "f32-angle"},
    {M::kFloatTwoPi, "unreduced/float-two-pi", "angle reduced by a float32 2 pi", kFormula,
     "standard"},
    {M::kPolynomialBeyondRange, "unreduced/polynomial", "sine by a polynomial for |a| < pi",
     kFormula, "f32-angle"},
    {M::kChained, "unreduced/chained", "theta multiplied up in float32, exact angles promised",
     kFormula, "standard"},
    {M::kClamps, "table-clamp", "positions beyond a table of 2048 rows clamped", kState,
     "standard"},
    {M::kWraps, "table-wrap", "positions beyond a table of 2048 rows wrapped", kState, "standard"},
    {M::kTailSkipped, "tail-vector", "pairs after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite", "a full vector written at the tail", kState, "standard"},
    {M::kInputStrides, "stride-ignored/input", "input taken as contiguous", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/output", "output taken as contiguous", kState, "standard"},
    {M::kRowsAdjacent, "stride-ignored/heads", "heads taken as adjacent", kState, "standard"},
    {M::kReadsPadding, "stride-ignored/padding-read", "adds zero times what lies after the window",
     kState, "standard"},
    {M::kShortOffsets, "int32-index/16-bits", "offsets in 16 bits", kState, "standard"},
    {M::kZeroesCopied, "window-not-copied/zeroed", "dims outside the window zeroed", kState,
     "standard"},
    {M::kLeavesCopied, "window-not-copied", "dims outside the window not written", kState,
     "standard"},
    {M::kCanonicalNan, "window-not-copied/nan-payload", "copied NaNs become the default NaN",
     kState, "standard"},
    {M::kOffsetIgnored, "pair-offset/window", "the window starts at dim 0", kFormula, "standard"},
    {M::kWindowIgnored, "divisor/whole-head", "all dims turned, whatever rotary_dim is", kFormula,
     "standard"},
    {M::kNanAsZero, "nan-lost/as-zero", "NaN inputs count as 0", kFormula, "standard"},
    {M::kCapsInfinity, "nan-lost/infinity", "infinite results become the largest number", kFormula,
     "standard"},
    {M::kSaturates, "f16-saturated", "overflow to the largest number", kFormula, "standard"},
    {M::kTruncates, "bf16-truncated", "bf16 by truncation", kFormula, "standard"},
    {M::kRoundsTwice, "bf16-double-rounding", "rounded to f32, then to 16 bits", kFormula,
     "rounded"},
    {M::kMagnitude, "magnitude", "everything 0.03 % too large", kFormula, "standard"},
    {M::kTwoUlps, "table-ulp/two", "table entries two ulps up", kFormula, "standard"},
    {M::kOneUlp, "table-ulp/one-rounded-promised", "table entries one ulp up, rounded promised",
     kFormula, "rounded"},
    {M::kZeroFrequencyAsOne, "frequency-zero/as-one", "frequency 0 counts as 1", kFormula,
     "standard"},
    {M::kZeroFrequencyNan, "frequency-zero/period", "frequency 0 by way of its period", kFormula,
     "standard"},
    {M::kNegativeFrequency, "negative-position/frequency", "|frequency|", kFormula, "standard"},
    {M::kAbsolutePosition, "negative-position", "|position|", kFormula, "standard"},
    {M::kUnsignedPosition, "negative-position/unsigned", "positions as unsigned 32-bit numbers",
     kFormula, "standard"},
    {M::kFlushesResult, "subnormals-flushed/result", "subnormal results flushed to zero", kFormula,
     "standard"},
    {M::kFlushesInput, "subnormals-flushed/input", "subnormal inputs count as 0", kFormula,
     "standard"},
    {M::kFlushesTable, "subnormals-flushed/table", "subnormal table entries count as 0", kFormula,
     "standard"},
    {M::kBf16Arithmetic, "bf16-double-rounding/arithmetic", "rotation in 16 bits, f32 promised",
     kFormula, "standard"},
    {M::kTablesBf16, "table-ulp/16-bit-tables", "tables in bf16, f32 promised", kFormula,
     "standard"},
    {M::kZeroesNan, "nan-lost/zero", "NaN results become 0", kFormula, "standard"},
    {M::kClampsResult, "nan-lost/clamped", "results clamped by fmax and fmin", kFormula,
     "standard"},
    {M::kUint16, "position-width/uint16", "positions in unsigned 16 bits", kFormula, "standard"},
    {M::kInt16, "position-width/int16", "positions in signed 16 bits", kFormula, "standard"},
    {M::kBaseOther, "base/10500", "base 10500 whatever the case says", kFormula, "standard"},
    {M::kDivides, "base/linear-3.7", "positions divided by 3.7", kFormula, "standard"},
    {M::kPlusSeven, "offset/+7", "position + 7", kFormula, "standard"},
    {M::kLastWindow, "pair-offset/window-last", "the window is the last dims of a head", kFormula,
     "standard"},
    {M::kScalingIgnored, "scaling-ignored", "frequencies as without rope_type", kFormula,
     "standard"},
    {M::kPositionsTimesFactor, "interpolate-inverse", "positions times the factor", kFormula,
     "standard"},
    {M::kMagnitudeDropped, "yarn-magnitude", "magnitude 1", kFormula, "standard"},
    {M::kMagnitudeTwice, "yarn-magnitude/squared", "magnitude squared", kFormula, "standard"},
    {M::kMagnitudeEverywhere, "yarn-magnitude/placement", "the magnitude wherever it is to go",
     kFormula, "standard"},
    {M::kMagnitudeOnCosine, "yarn-magnitude/cosine", "the magnitude on the cosines alone", kFormula,
     "standard"},
    {M::kLengthOfToken, "longrope-switch/token", "the length of each token for that of the call",
     kFormula, "standard"},
    {M::kStaticFactor, "dynamic-ntk/static", "the factor s at every length", kFormula, "standard"},
};

const RoundingRow kRoundings[] = {
    {"plain", "every operation rounded, float64 angles", "standard", {}},
    {"plain", "every operation rounded, f32 angles", "f32-angle", {}},
    {"plain", "every operation rounded, frequencies by exp", "f32-exp", {}},
    {"plain", "16-bit tables and arithmetic", "f32-angle-16", {}},
    {"plain", "angles multiplied up pair by pair", "f32-chained", {}},
    {"negative-exponent", "frequencies by pow(base, -e)", "f32-angle", {.negative_exponent = true}},
    {"fused/first", "multiply-add on the first product", "standard", {.fused = Rounding::kFirst}},
    {"fused/second", "multiply-add on the second", "f32-angle", {.fused = Rounding::kSecond}},
    {"fused/either",
     "on the first for y_a, on the second for y_b",
     "f32-chained",
     {.fused = Rounding::kEither}},
    {"fused/either", "the same in 16 bits", "f32-angle-16", {.fused = Rounding::kEither}},
    {"float64", "products and sum in float64", "standard", {.float64 = true}},
    {"tables/up", "entries rounded up", "standard", {.tables = Rounding::kUp}},
    {"tables/down", "entries rounded down", "standard", {.tables = Rounding::kDown}},
    {"tables/up", "entries rounded up", "f32-angle", {.tables = Rounding::kUp}},
    {"tables/down",
     "entries rounded down, then to 16 bits",
     "f32-angle-16",
     {.tables = Rounding::kDown}},
    {"tables/down-fused",
     "entries rounded down, multiply-adds",
     "standard",
     {.fused = Rounding::kEither, .tables = Rounding::kDown}},
    {"flushed/inputs", "subnormal operands count as 0", "standard", {.flush = Rounding::kInputs}},
    {"flushed/results", "subnormal results become 0", "f32-angle", {.flush = Rounding::kResults}},
    {"flushed/both", "operands and results", "f32-chained", {.flush = Rounding::kBoth}},
    {"flushed/both", "the same in 16 bits", "f32-angle-16", {.flush = Rounding::kBoth}},
    {"flushed/both-fused",
     "operands and results, multiply-adds",
     "f32-exp",
     {.fused = Rounding::kEither, .flush = Rounding::kBoth}},
};

// Addresses of a tensor's elements, as this kernel computes them.
struct Walk {
  TensorView view;
  Shape strides;
  bool short_offsets = false;

  std::byte* At(int64_t b, int64_t s, int64_t h, int64_t d) const {
    int64_t offset = b * strides[0] + s * strides[1] + h * strides[2] + d * strides[3];
    if (short_offsets && offset > 0) offset = static_cast<uint16_t>(offset);
    return view.data + offset * SizeOf(view.dtype);
  }
};

class PlainRope final : public PlainKernel<M> {
 public:
  PlainRope(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "rope") {}

  bool Declares(const std::string& operation, Format format) const override {
    return PlainKernel::Declares(operation, format) && operation != "rope.xpos";
  }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    if (c.operation == "rope.frequencies") return Frequencies(c, outputs.at("w"));
    if (c.operation == "rope.table") return Table(c, outputs.at("cos"), outputs.at("sin"));
    return Apply(c, outputs.at("y"));
  }

 private:
  PlainFrequency FrequencyOf(const RopeFrequencies& f, int64_t pair) const {
    PlainFrequency w;
    w.base = f.rope_theta;
    w.numerator = 2 * pair;
    w.denominator = f.rotary_dim;
    w.pair = pair;
    w.negative_exponent = rounding().negative_exponent;
    if (!f.frequencies.empty() && !Is(M::kFrequenciesIgnored))
      w.given = &f.frequencies[static_cast<size_t>(pair)];
    if (Is(M::kHeadDimDivisor)) w.denominator = f.head_dim;
    if (Is(M::kIntegerExponent)) w.numerator = 2 * pair / f.rotary_dim * f.rotary_dim;
    if (Is(M::kDoubledExponent)) w.numerator = 4 * pair;
    if (Is(M::kBaseIgnored)) w.base = 10000;
    if (Is(M::kBaseOther)) w.base = 10500;
    if (Is(M::kBaseTruncated)) w.base = std::max(1.0, std::floor(f.rope_theta.value));
    return w;
  }

  // What the kernel takes the position to be.
  int64_t PositionOf(int64_t position) const {
    const double p = static_cast<double>(position);
    if (Is(M::kPlusOne)) return position + 1;
    if (Is(M::kNotTurned)) return 0;
    if (Is(M::kTurnedTwice)) return 2 * position;
    if (Is(M::kClamps)) return std::min<int64_t>(position, 2047);
    if (Is(M::kWraps)) return position % 2048;
    if (Is(M::kPositionsF32)) return std::llrint(RoundToFormat(Format::kF32, p));
    return MistakenPosition(mistake(), position);
  }

  Slip SlipOf() const {
    if (Is(M::kMagnitudeDropped)) return Slip::kMagnitudeDropped;
    if (Is(M::kMagnitudeTwice)) return Slip::kMagnitudeSquared;
    if (Is(M::kMagnitudeEverywhere)) return Slip::kPlacementIgnored;
    if (Is(M::kPositionsTimesFactor)) return Slip::kMultiplies;
    if (Is(M::kStaticFactor)) return Slip::kStatic;
    return Slip::kNone;
  }
  // SCALE-13: the tables are multiplied, and for y the input where it says so.
  PlainTurn Magnified(const RopeFrequencies& f, PlainTurn turn, bool tables) const {
    const bool input = !tables && f.scaling.placement == MagnitudePlacement::kInput;
    const double t = input ? 1 : PlainMagnitude(f.scaling, tables, SlipOf());
    return {turn.cos * t, Is(M::kMagnitudeOnCosine) ? turn.sin : turn.sin * t};
  }
  PlainTurn ScaledTurn(RopeFrequencies f, int64_t position, int64_t pair) const {
    if (Is(M::kLengthOfToken)) f.scaling.seq_len = std::max<int64_t>(position + 1, 1);
    if (Is(M::kScalingIgnored)) f.scaling.type = RopeType::kDefault;
    const double by = Is(M::kDivides) ? 3.7 : 1;
    if (promise().angle == AngleForm::kExact) {
      const long double angle =
          static_cast<long double>(position) / by * ExactScaledFrequency(f, pair, SlipOf());
      return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
    }
    const float w = static_cast<float>(
        PlainScaledFrequency(form(), f, pair, SlipOf(), rounding().negative_exponent));
    const double angle = static_cast<float>(position) * w / by;
    return {std::cos(angle), std::sin(angle)};
  }

  PlainTurn TurnOf(const RopeFrequencies& f, int64_t position, int64_t pair, bool tables) const {
    if (f.scaled()) return Magnified(f, ScaledTurn(f, PositionOf(position), pair), tables);
    const PlainFrequency w = FrequencyOf(f, pair);
    if (Is(M::kZeroFrequencyNan) && FrequencyAs(form(), w) == 0)
      return {std::nan(""), std::nan("")};  // 0 * (1 / 0)
    return TurnWith(w, PositionOf(position));
  }

  // A table entry as it is stored.
  float Stored(double entry) const {
    const float v = InF32(entry);
    if (Is(M::kTablesBf16)) return static_cast<float>(RoundToFormat(Format::kBf16, v));
    if (promise().tables == Stage::kOutput || Is(M::kBf16Arithmetic))
      return static_cast<float>(Result(format_, RoundToFormat(format_, v)));
    if (Is(M::kFlushesTable) && std::abs(v) < std::numeric_limits<float>::min()) return 0;
    return v;
  }

  Outcome Frequencies(const Case& c, const TensorView& w) {
    const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
    for (int64_t i = 0; i < f.pairs(); ++i)
      StoreAt(w, w.AddressOf(i),
              f.scaled() && !Is(M::kScalingIgnored)
                  ? PlainScaledFrequency(form(), f, i, SlipOf(), rounding().negative_exponent)
                  : FrequencyAs(form(), FrequencyOf(f, i)));
    return {};
  }

  Outcome Table(const Case& c, const TensorView& cos, const TensorView& sin) {
    const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
    const Tensor& positions = c.inputs.at("positions");
    const bool direct = promise().correctly_rounded && !Is(M::kOneUlp);
    for (int64_t i = 0; i < positions.count() * f.pairs(); ++i) {
      if (Is(M::kTailSkipped) && i % f.pairs() >= f.pairs() / 8 * 8) continue;
      const PlainTurn turn = TurnOf(f, positions.Integer(i / f.pairs()), i % f.pairs(), true);
      StoreAt(cos, cos.AddressOf(i), direct ? turn.cos : Stored(turn.cos));
      StoreAt(
          sin, sin.AddressOf(i),
          (Is(M::kSign) ? -1 : 1) * (direct ? turn.sin : static_cast<double>(Stored(turn.sin))));
    }
    if (Is(M::kTailBeyond) && f.pairs() % 8 != 0)
      StoreAt(cos, cos.AddressOf(cos.count() - 1) + SizeOf(cos.dtype), 0);
    return {};
  }

  Outcome Apply(const Case& c, const TensorView& y);
  void Head(const Case& c, const RopeApply& a, const Walk& x, const Walk& y,
            const std::vector<PlainTurn>& turns, int64_t b, int64_t s, int64_t h) const;
  void SeePositions(const Case& c);
  std::vector<PlainTurn> TurnsOf(const Case& c, const RopeApply& a, int64_t b, int64_t s,
                                 int64_t h);

  std::map<std::string, std::vector<int64_t>> cached_positions_;  // kStaleTable
  std::vector<int64_t> previous_;                                 // kStalePrevious
  std::vector<int64_t> positions_;                                // of this call
};

// The positions that a call takes.
void PlainRope::SeePositions(const Case& c) {
  std::vector<int64_t> given;
  const Tensor& positions = c.inputs.at("positions");
  for (int64_t i = 0; i < positions.count(); ++i) given.push_back(positions.Integer(i));
  positions_ = Is(M::kStalePrevious) && previous_.size() == given.size() ? previous_ : given;
  previous_ = given;
  if (!Is(M::kStaleTable)) return;
  const std::string key = ToText(c.parameters.at("head_dim")) + "/" + std::to_string(given.size());
  positions_ = cached_positions_.emplace(key, given).first->second;
}

// The turn of every pair at one token.
std::vector<PlainTurn> PlainRope::TurnsOf(const Case& c, const RopeApply& a, int64_t b, int64_t s,
                                          int64_t h) {
  const RopeFrequencies& f = a.frequencies;
  std::vector<PlainTurn> turns;
  if (c.inputs.count("cos")) {
    const Tensor &cos = c.inputs.at("cos"), &sin = c.inputs.at("sin");
    const int64_t seq = c.inputs.at("x").shape()[1], rows = cos.count() / f.pairs();
    for (int64_t i = 0; i < f.pairs(); ++i) {
      const int64_t at = (rows > seq ? b * seq + s : s) * f.pairs() + i;
      const Format given = FormatOf(cos.dtype());
      turns.push_back({Operand(given, cos.Value(at)), Operand(given, sin.Value(at))});
      if (!promise().correctly_rounded)
        turns.back() = {static_cast<float>(turns.back().cos), static_cast<float>(turns.back().sin)};
    }
    return turns;
  }
  const int64_t seq = c.inputs.at("x").shape()[1];
  const std::vector<int64_t>& all = positions_;
  int64_t position = all[static_cast<size_t>((b * seq + s) % static_cast<int64_t>(all.size()))];
  if (Is(M::kRowZero)) position = all[static_cast<size_t>(s)];
  if (Is(M::kCountsTokens)) position = s;
  if (Is(M::kHeadsAsSeq)) position = h;
  if (Is(M::kMinusStart)) position -= all[0];
  for (int64_t i = 0; i < f.pairs(); ++i) {
    PlainTurn turn = TurnOf(f, position, i, false);
    if (!promise().correctly_rounded || Is(M::kOneUlp)) turn = {Stored(turn.cos), Stored(turn.sin)};
    turns.push_back(turn);
  }
  return turns;
}

void PlainRope::Head(const Case& c, const RopeApply& a, const Walk& x, const Walk& y,
                     const std::vector<PlainTurn>& turns, int64_t b, int64_t s, int64_t h) const {
  const int64_t head_dim = a.frequencies.head_dim, pairs = a.frequencies.pairs();
  const DType dtype = x.view.dtype;
  // The head as it was, so that any layout can be written in place.
  const int64_t from_head = Is(M::kHeadsCrossed) ? x.view.shape[2] - 1 - h : h;
  const int64_t from_batch = Is(M::kBatchesCrossed) ? x.view.shape[0] - 1 - b : b;
  std::vector<uint64_t> before;
  for (int64_t d = 0; d < head_dim; ++d)
    before.push_back(LoadBits(dtype, x.At(from_batch, s, from_head, d)));
  const RopeScaling& scaling = a.frequencies.scaling;
  const bool input = scaling.HasMagnitude() && scaling.placement == MagnitudePlacement::kInput;
  const float t = input ? static_cast<float>(PlainMagnitude(scaling, false, SlipOf())) : 1;
  const auto value = [&](int64_t d) -> double {
    const double v = Read(DecodeBits(format_, before[static_cast<size_t>(d)]));
    return input ? Rounded(v * Rounded(t)) : v;
  };
  for (int64_t d = 0; d < head_dim; ++d) {
    if (a.InWindow(d) || Is(M::kLeavesCopied)) continue;
    uint64_t bits = before[static_cast<size_t>(d)];
    if (Is(M::kZeroesCopied)) bits = 0;
    if (Is(M::kCanonicalNan) && std::isnan(DecodeBits(format_, bits)))
      bits = EncodeBits(format_, std::nan(""));
    StoreBits(dtype, y.At(b, s, h, d), bits);
  }
  RopeLayout in = a.input_layout, out = a.output_layout;
  if (Is(M::kReadsHalfSplit)) in = out = RopeLayout::kHalfSplit;
  if (Is(M::kReadsInterleaved)) in = out = RopeLayout::kInterleaved;
  if (Is(M::kOutputLayoutIgnored)) out = in;
  for (int64_t i = 0; i < pairs; ++i) {
    if (Is(M::kTailSkipped) && i >= pairs / 8 * 8) break;
    int64_t a_in = a.Dim(in, i, 0), b_in = a.Dim(in, i, 1);
    int64_t a_out = a.Dim(out, i, 0), b_out = a.Dim(out, i, 1);
    if (Is(M::kHeadDimPairs) && in == RopeLayout::kHalfSplit && head_dim % 2 == 0)
      b_in = b_out = a_in + head_dim / 2 < head_dim ? a_in + head_dim / 2 : b_in;
    const size_t at = static_cast<size_t>(i);
    double cos_a = turns[at].cos, sin_a = turns[at].sin, cos_b = cos_a, sin_b = sin_a;
    if (Is(M::kTableLayout) && in == RopeLayout::kHalfSplit) {
      const PlainTurn &first = turns[at / 2], &second = turns[static_cast<size_t>((pairs + i) / 2)];
      cos_a = first.cos, sin_a = first.sin, cos_b = second.cos, sin_b = second.sin;
    }
    if (a.direction == RopeDirection::kTranspose && !Is(M::kForwardReused)) {
      sin_a = -sin_a;
      if (!Is(M::kHalfTransposed)) sin_b = -sin_b;
      if (Is(M::kCosineNegated)) cos_a = -cos_a, cos_b = -cos_b;
    }
    if (Is(M::kSign)) sin_a = -sin_a, sin_b = -sin_b;
    if (Is(M::kFirstHeadOnly) && h > 0) cos_a = cos_b = 1, sin_a = sin_b = 0;
    double xa = value(a_in);
    const double xb = value(b_in);
    double ya = TwoProducts(xa, cos_a, xb, -sin_a);
    if (Is(M::kMagnitude)) ya *= 1.0003;
    if (Is(M::kReadsPadding))
      ya += 0 * DecodeBits(format_, LoadBits(dtype, x.At(b, s, h, head_dim)));
    StoreAt(y.view, y.At(b, s, h, a_out), ya);
    if (Is(M::kInPlace)) xa = DecodeBits(format_, LoadBits(dtype, x.At(b, s, h, a_in)));
    double yb = TwoProducts(xa, sin_b, xb, cos_b, 1);
    if (Is(M::kMagnitude)) yb *= 1.0003;
    StoreAt(y.view, y.At(b, s, h, b_out), yb);
    if (Is(M::kWritesInput) && c.in_place.empty())
      StoreBits(dtype, x.At(b, s, h, a_in), LoadBits(dtype, y.At(b, s, h, a_out)));
  }
  if (Is(M::kTailBeyond) && pairs % 8 != 0)
    for (int64_t i = pairs; i < (pairs + 7) / 8 * 8; ++i)
      StoreBits(dtype, y.At(b, s, h, a.Dim(out, i, 1)), 0);
}

Outcome PlainRope::Apply(const Case& c, const TensorView& y) {
  RopeApply a = gnomon::rope::ReadApply(c);
  if (Is(M::kOffsetIgnored)) a.rotary_offset = 0;
  if (Is(M::kLastWindow)) a.rotary_offset = a.frequencies.head_dim - a.frequencies.rotary_dim;
  if (Is(M::kWindowIgnored) && a.frequencies.head_dim % 2 == 0 &&
      a.frequencies.frequencies.empty() && !c.inputs.count("cos")) {
    a.rotary_offset = 0;
    a.frequencies.rotary_dim = a.frequencies.head_dim;
  }
  const ConstTensorView x = c.inputs.at("x").view();
  Walk from{y, y.strides};
  if (c.in_place.empty()) {
    // Its mistakes may write here.
    from.view = {x.dtype, const_cast<std::byte*>(x.data), x.shape, x.strides};
    from.strides = x.strides;
  }
  Walk to{y, y.strides};
  const Shape contiguous = ContiguousStrides(x.shape);
  if (Is(M::kInputStrides)) from.strides = contiguous;
  if (Is(M::kOutputStrides)) to.strides = contiguous;
  if (Is(M::kRowsAdjacent) && std::abs(from.strides[3]) == 1)
    from.strides[2] = x.shape[3] * from.strides[3];
  from.short_offsets = to.short_offsets = Is(M::kShortOffsets);
  if (c.inputs.count("positions")) {
    SeePositions(c);
  } else {
    previous_.clear();
  }
  for (int64_t b = 0; b < x.shape[0]; ++b)
    for (int64_t s = 0; s < x.shape[1]; ++s) {
      std::vector<PlainTurn> turns = TurnsOf(c, a, b, s, 0);
      for (int64_t h = 0; h < x.shape[2]; ++h) {
        if (Is(M::kHeadsAsSeq)) turns = TurnsOf(c, a, b, s, h);
        Head(c, a, from, to, turns, b, s, h);
      }
    }
  return {};
}

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all = WrongWith<PlainRope>(kRows, "rope");
  for (WrongSubject& subject : XposWrongSubjects()) all.push_back(std::move(subject));
  return all;
}

std::vector<RightSubject> RightSubjects() {
  std::vector<RightSubject> all = RightWith<PlainRope>(M::kNone, kRoundings, "rope");
  for (RightSubject& subject : XposRightSubjects()) all.push_back(std::move(subject));
  return all;
}

}  // namespace gnomon::properties::rope
