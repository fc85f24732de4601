// A plain kernel of multi_axis.mixed, right and wrong on purpose (spec/mistakes.md). Mistakes in
// the layout or the store of any rotation are those of wrong_multi_axis.cc; here are as many of
// them as every property needs to have something to find.
#include <algorithm>
#include <cmath>

#include "gnomon/properties/multi_axis_mixed.h"
#include "gnomon/properties/plain_kernel.h"

namespace gnomon::properties::multi_axis {
namespace {

enum class M {
  kNone,
  kAxesSwapped,
  kFirstPositionForAll,
  kLastAxisLeftOut,
  kFirstHeadForAll,
  kHeadsFirst,
  kFirstListForAll,
  kDifference,
  kSign,
  kForwardReused,
  kReadsHalfSplit,
  kPositionsBf16,
  kFrequenciesHalf,
  kRowZero,
  kMagnitude,
  kNanAsZero,
  kStalePrevious,
  kTailSkipped,
  kTailBeyond,
  kInPlace,
  kOutputStrides,
  kReadsPadding,
  kLeavesCopied,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

constexpr MistakeRow<M> kRows[] = {
    {M::kAxesSwapped, "axes/mixed", "positions of the first two axes exchanged", kFormula,
     "standard"},
    {M::kFirstPositionForAll, "axes/mixed-first", "the first axis' position for every axis",
     kFormula, "standard"},
    {M::kLastAxisLeftOut, "axes/mixed-last-left-out", "the last axis left out", kFormula,
     "standard"},
    {M::kFirstHeadForAll, "mixed-frequencies", "the first head's frequencies for every head",
     kFormula, "standard"},
    {M::kHeadsFirst, "mixed-frequencies/heads-first", "frequencies read as [heads, axis, pair]",
     kFormula, "standard"},
    {M::kFirstListForAll, "mixed-frequencies/first-axis",
     "the first axis' frequencies for every axis", kFormula, "standard"},
    {M::kDifference, "mixed-sum", "the other products subtracted from the first", kFormula,
     "standard"},
    {M::kSign, "sign/mixed", "sine negated", kFormula, "standard"},
    {M::kForwardReused, "backward/mixed", "the transpose turns forward", kFormula, "standard"},
    {M::kReadsHalfSplit, "layout/mixed", "always pairs (i, i+h)", kFormula, "standard"},
    {M::kPositionsBf16, "positions-bf16/mixed", "positions in bf16", kFormula, "f32-angle"},
    {M::kFrequenciesHalf, "frequencies-bf16/mixed", "frequencies in bf16", kFormula, "f32-angle"},
    {M::kMagnitude, "magnitude/mixed", "everything 0.03 % too large", kFormula, "standard"},
    {M::kNanAsZero, "nan-lost/mixed", "NaN inputs count as 0", kFormula, "standard"},
    {M::kRowZero, "row-positions/mixed", "the first row's positions for every row", kState,
     "standard"},
    {M::kStalePrevious, "stale-table/mixed", "the cosines of the call before", kState, "standard"},
    {M::kTailSkipped, "tail-vector/mixed", "pairs after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite/mixed", "an element written behind the last", kState,
     "standard"},
    {M::kInPlace, "in-place/mixed", "y_b from the overwritten x_a", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/mixed", "output taken as contiguous", kState, "standard"},
    {M::kReadsPadding, "stride-ignored/mixed-padding", "adds zero times what lies after the head",
     kState, "standard"},
    {M::kLeavesCopied, "window-not-copied/mixed", "dims outside the window not written", kState,
     "standard"},
};

// `sum`: the order in which the products of an angle are added.
const RoundingRow kRoundings[] = {
    {"mixed", "float64 angles", "standard", {}},
    {"mixed", "products and sums in f32", "f32-angle", {}},
    {"mixed", "the same", "f32-exp", {}},
    {"mixed", "16-bit tables and arithmetic", "f32-angle-16", {}},
    {"mixed", "the same", "f32-chained", {}},
    {"mixed/backward", "the last axis first", "f32-angle", {.sum = Rounding::kBackward}},
    {"mixed/fused",
     "multiply-adds, in the angle too",
     "f32-angle",
     {.fused = Rounding::kEither, .sum = Rounding::kFusedForward}},
    {"mixed/up", "entries rounded up", "f32-angle", {.tables = Rounding::kUp}},
    {"mixed/down", "entries rounded down", "f32-angle-16", {.tables = Rounding::kDown}},
    {"mixed/flushed", "subnormals count as 0", "f32-angle", {.flush = Rounding::kBoth}},
};

class PlainMixed final : public PlainKernel<M> {
 public:
  PlainMixed(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "multi_axis") {}

  bool Declares(const std::string& operation, Format format) const override {
    return operation == "multi_axis.mixed" && format != Format::kF64;
  }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    const AxialRotation a = gnomon::multi_axis::ReadRotation(c);
    const TensorView& y = outputs.at("y");
    TensorView x = y;  // in place, y holds x
    if (c.in_place.empty()) {
      const ConstTensorView given = c.inputs.at("x").view();
      x = {given.dtype, const_cast<std::byte*>(given.data), given.shape, given.strides};
    }
    std::vector<PlainTurn> turns;
    for (int64_t b = 0; b < x.shape[0]; ++b)
      for (int64_t s = 0; s < x.shape[1]; ++s)
        for (int64_t h = 0; h < x.shape[2]; ++h)
          for (int64_t i = 0; i < a.pairs(); ++i)
            turns.push_back(TurnOf(c, a, {Is(M::kRowZero) ? 0 : b, s, h}, i));
    if (Is(M::kStalePrevious) && previous_.size() == turns.size())
      std::swap(previous_, turns);
    else if (Is(M::kStalePrevious))
      previous_ = turns;
    size_t next = 0;
    for (int64_t b = 0; b < x.shape[0]; ++b)
      for (int64_t s = 0; s < x.shape[1]; ++s)
        for (int64_t h = 0; h < x.shape[2]; ++h, next += static_cast<size_t>(a.pairs()))
          Head(a, &turns[next], x, y, {b, s, h});
    return {};
  }

 private:
  struct At {
    int64_t b, s, h;
  };
  static std::byte* Address(const TensorView& t, const Shape& strides, const At& at, int64_t d) {
    return t.data + (at.b * strides[0] + at.s * strides[1] + at.h * strides[2] + d * strides[3]) *
                        SizeOf(t.dtype);
  }

  double FrequencyOf(const Case& c, const At& at, int64_t axis, int64_t pair) const {
    const Tensor& w = c.inputs.at("frequencies");
    const int64_t axes = w.shape()[0], heads = w.shape()[1], pairs = w.shape()[2];
    const int64_t head = heads == 1 || Is(M::kFirstHeadForAll) ? 0 : at.h;
    if (Is(M::kFirstListForAll)) axis = 0;
    const int64_t row = Is(M::kHeadsFirst) ? head * axes + axis : axis * heads + head;
    const double v = w.Value(row * pairs + pair);
    return Operand(Format::kF32, Is(M::kFrequenciesHalf) ? RoundToFormat(Format::kBf16, v) : v);
  }
  int64_t PositionOf(const Case& c, const At& at, int64_t axis) const {
    const Tensor& p = c.inputs.at("positions");
    const int64_t seq = p.shape().back(), axes = p.shape()[p.shape().size() - 2];
    if (Is(M::kAxesSwapped) && axes > 1 && axis < 2) axis = 1 - axis;
    if (Is(M::kFirstPositionForAll)) axis = 0;
    const int64_t batch = p.shape().size() == 3 && p.shape()[0] != 1 ? at.b : 0;
    return MistakenPosition(mistake(), p.Integer((batch * axes + axis) * seq + at.s));
  }

  // AXES-20 as this kernel has it.
  PlainTurn TurnOf(const Case& c, const AxialRotation& a, const At& at, int64_t pair) const {
    std::vector<int64_t> order;
    for (int64_t axis = 0; axis < a.axes() - (Is(M::kLastAxisLeftOut) ? 1 : 0); ++axis)
      order.push_back(axis);
    if (rounding().sum == Rounding::kBackward) std::reverse(order.begin(), order.end());
    std::vector<std::pair<int64_t, double>> terms;
    float narrow = 0;
    for (const int64_t axis : order) {
      const int64_t m = PositionOf(c, at, axis);
      double w = FrequencyOf(c, at, axis, pair);
      if (Is(M::kDifference) && axis > 0) w = -w;
      terms.emplace_back(m, w);
      const float p = static_cast<float>(m), f = static_cast<float>(w);
      const auto f32 = [&](float v) {
        return static_cast<float>(Result(Format::kF32, static_cast<double>(v)));
      };
      narrow = rounding().sum == Rounding::kFusedForward ? f32(std::fma(p, f, narrow))
                                                         : f32(narrow + f32(p * f));
    }
    PlainTurn turn = form() == AngleForm::kExact ? TurnOfSum(terms)
                                                 : PlainTurn{std::cos(static_cast<double>(narrow)),
                                                             std::sin(static_cast<double>(narrow))};
    const bool back = a.direction == RopeDirection::kTranspose && !Is(M::kForwardReused);
    if (back != Is(M::kSign)) turn.sin = -turn.sin;
    return {Stored(turn.cos), Stored(turn.sin)};
  }
  double Stored(double entry) const {
    const float v = InF32(entry);
    return promise().tables == Stage::kOutput ? Result(format_, RoundToFormat(format_, v)) : v;
  }

  void Head(const AxialRotation& a, const PlainTurn* turns, const TensorView& x,
            const TensorView& y, const At& at) const {
    AxialRotation read = a;
    if (Is(M::kReadsHalfSplit)) read.layout = AxialLayout::kHalfSplit;
    const int64_t pairs = a.pairs();
    const Shape to = Is(M::kOutputStrides) ? ContiguousStrides(y.shape) : y.strides;
    std::vector<uint64_t> before;  // the head as it was
    for (int64_t d = 0; d < a.head_dim; ++d)
      before.push_back(LoadBits(x.dtype, Address(x, x.strides, at, d)));
    for (int64_t d = 0; d < a.head_dim; ++d)
      if (!a.InWindow(d) && !Is(M::kLeavesCopied))
        StoreBits(y.dtype, Address(y, to, at, d), before[static_cast<size_t>(d)]);
    for (int64_t i = 0; i < pairs; ++i) {
      if (Is(M::kTailSkipped) && i >= pairs / 8 * 8) break;
      const double c = turns[i].cos, s = turns[i].sin;
      for (int member = 0; member < 2; ++member) {
        const auto value = [&](int which) {
          uint64_t bits = before[static_cast<size_t>(read.Dim(i, which))];
          if (Is(M::kInPlace) && member == 1 && which == 0)
            bits = LoadBits(x.dtype, Address(x, x.strides, at, read.Dim(i, 0)));
          return Read(DecodeBits(format_, bits));
        };
        double v = member == 0 ? TwoProducts(value(0), c, value(1), -s)
                               : TwoProducts(value(0), s, value(1), c, 1);
        if (Is(M::kMagnitude)) v *= 1.0003;
        if (Is(M::kReadsPadding))
          v += 0 * DecodeBits(format_, LoadBits(x.dtype, Address(x, x.strides, at, a.head_dim)));
        StoreAt(y, Address(y, to, at, read.Dim(i, member)), v);
      }
    }
    if (Is(M::kTailBeyond)) StoreBits(y.dtype, Address(y, to, at, a.head_dim), 0);
  }

  std::vector<PlainTurn> previous_;  // kStalePrevious
};

}  // namespace

std::vector<WrongSubject> MixedWrongSubjects() {
  return WrongWith<PlainMixed>(kRows, "multi_axis");
}

std::vector<RightSubject> MixedRightSubjects() {
  return RightWith<PlainMixed>(M::kNone, kRoundings, "multi_axis");
}

}  // namespace gnomon::properties::multi_axis
