// A plain xPos kernel, right and wrong on purpose (spec/mistakes.md). Mistakes in the angle or the
// layout of any rotation are those of wrong_rope.cc; here are a few of them, so that every property
// has something to find.
#include <algorithm>
#include <cmath>

#include "gnomon/properties/plain_kernel.h"
#include "gnomon/properties/rope_xpos.h"

namespace gnomon::properties::rope {
namespace {

enum class M {
  kNone,
  kOtherPair,
  kCentreZero,
  kCentreOneOn,
  kCentreOfCall,
  kKeyMultiplied,
  kRolesExchanged,
  kBaseIgnored,
  kIntegerQuotient,
  kZetaUndivided,
  kZetaOfHead,
  kUnscaled,
  kSineUnscaled,
  kScaleBf16,
  kSign,
  kPositionsBf16,
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
    {M::kOtherPair, "xpos-pair", "the scale of the pair that the other layout has at that dim",
     kFormula, "standard"},
    {M::kCentreZero, "xpos-centre", "centre 0 whatever is asked", kFormula, "standard"},
    {M::kCentreOneOn, "xpos-centre/one", "the centre one position on", kFormula, "standard"},
    {M::kCentreOfCall, "xpos-centre/call", "half the tokens of the call, whatever is asked",
     kFormula, "standard"},
    {M::kKeyMultiplied, "xpos-key", "keys multiplied as queries are", kFormula, "standard"},
    {M::kRolesExchanged, "xpos-key/exchanged", "queries divided, keys multiplied", kFormula,
     "standard"},
    {M::kBaseIgnored, "xpos-base", "scale_base 512 whatever is asked", kFormula, "standard"},
    {M::kIntegerQuotient, "xpos-base/integer", "(m - c) / scale_base in integers", kFormula,
     "standard"},
    {M::kZetaUndivided, "xpos-zeta", "zeta not divided by 1.4", kFormula, "standard"},
    {M::kZetaOfHead, "xpos-zeta/head-dim", "zeta by head_dim", kFormula, "standard"},
    {M::kUnscaled, "xpos-ignored", "no scale", kFormula, "standard"},
    {M::kSineUnscaled, "xpos-ignored/sine", "the scale on the cosines alone", kFormula, "standard"},
    {M::kScaleBf16, "xpos-16bit", "the scale rounded to bf16", kFormula, "standard"},
    {M::kSign, "sign/xpos", "sine negated", kFormula, "standard"},
    {M::kPositionsBf16, "positions-bf16/xpos", "positions in bf16", kFormula, "f32-angle"},
    {M::kMagnitude, "magnitude/xpos", "everything 0.03 % too large", kFormula, "standard"},
    {M::kNanAsZero, "nan-lost/xpos", "NaN inputs count as 0", kFormula, "standard"},
    {M::kStalePrevious, "stale-table/xpos", "positions and centre of the call before", kState,
     "standard"},
    {M::kTailSkipped, "tail-vector/xpos", "pairs after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite/xpos", "a full vector written at the tail", kState,
     "standard"},
    {M::kInPlace, "in-place/xpos", "y_b from the overwritten x_a", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/xpos", "output taken as contiguous", kState, "standard"},
    {M::kReadsPadding, "stride-ignored/xpos-padding", "adds zero times what lies after the head",
     kState, "standard"},
    {M::kLeavesCopied, "window-not-copied/xpos", "dims outside the window not written", kState,
     "standard"},
};

// `sum`: where the scale goes. Forward: into the tables; backward: into x; pairwise: into y.
const RoundingRow kRoundings[] = {
    {"xpos/tables", "tables scaled, float64 angles and scales", "standard", {}},
    {"xpos/tables", "tables scaled, f32 throughout", "f32-angle", {}},
    {"xpos/tables", "the same, frequencies by exp", "f32-exp", {}},
    {"xpos/tables", "the same, angles multiplied up", "f32-chained", {}},
    {"xpos/tables", "tables, scale and arithmetic in 16 bits", "f32-angle-16", {}},
    {"xpos/input", "x scaled", "standard", {.sum = Rounding::kBackward}},
    {"xpos/input", "x scaled", "f32-angle", {.sum = Rounding::kBackward}},
    {"xpos/input", "x scaled in 16 bits", "f32-angle-16", {.sum = Rounding::kBackward}},
    {"xpos/output", "y scaled", "f32-angle", {.sum = Rounding::kPairwise}},
    {"xpos/output", "y scaled in 16 bits", "f32-angle-16", {.sum = Rounding::kPairwise}},
    {"xpos/fused",
     "multiply-adds",
     "f32-angle",
     {.fused = Rounding::kEither, .sum = Rounding::kPairwise}},
    {"xpos/up", "entries rounded up", "f32-angle", {.tables = Rounding::kUp}},
    {"xpos/down", "entries rounded down", "f32-angle-16", {.tables = Rounding::kDown}},
    {"xpos/flushed", "subnormals count as 0", "f32-angle", {.flush = Rounding::kBoth}},
    {"xpos/flushed", "the same in 16 bits", "f32-angle-16", {.flush = Rounding::kBoth}},
};

class PlainXpos final : public PlainKernel<M> {
 public:
  PlainXpos(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "rope") {}

  bool Declares(const std::string& operation, Format format) const override {
    return operation == "rope.xpos" && format != Format::kF64;
  }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    Xpos p = gnomon::rope::ReadXpos(c);
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < c.inputs.at("positions").count(); ++i)
      positions.push_back(c.inputs.at("positions").Integer(i));
    const std::vector<int64_t> own = positions;
    const int64_t own_center = p.center;
    if (Is(M::kStalePrevious) && previous_.size() == own.size())
      positions = previous_, p.center = previous_center_;
    previous_ = own, previous_center_ = own_center;
    if (Is(M::kCentreZero)) p.center = 0;
    if (Is(M::kCentreOneOn)) ++p.center;
    if (Is(M::kCentreOfCall)) p.center = c.inputs.at("x").shape()[1] / 2;
    if (Is(M::kBaseIgnored)) p.scale_base = 512;
    if (Is(M::kKeyMultiplied)) p.role = XposRole::kQuery;
    if (Is(M::kRolesExchanged))
      p.role = p.role == XposRole::kKey ? XposRole::kQuery : XposRole::kKey;
    for (int64_t& m : positions) m = MistakenPosition(mistake(), m);

    const TensorView& y = outputs.at("y");
    TensorView x = y;  // in place, y holds x
    if (c.in_place.empty()) {
      const ConstTensorView given = c.inputs.at("x").view();
      x = {given.dtype, const_cast<std::byte*>(given.data), given.shape, given.strides};
    }
    for (int64_t b = 0; b < x.shape[0]; ++b)
      for (int64_t s = 0; s < x.shape[1]; ++s) {
        const size_t row = static_cast<size_t>(b * x.shape[1] + s) % positions.size();
        for (int64_t h = 0; h < x.shape[2]; ++h) Head(p, positions[row], x, y, {b, s, h});
      }
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

  // XPOS-1 as this kernel has it, in the format that tables are stored in.
  double ScaleOf(const Xpos& p, int64_t m, int64_t pair) const {
    if (Is(M::kUnscaled)) return 1;
    const double r = static_cast<double>(Is(M::kZetaOfHead) ? p.apply.frequencies.head_dim
                                                            : p.apply.frequencies.rotary_dim);
    const double two_i = 2 * static_cast<double>(pair), base = static_cast<double>(p.scale_base);
    const double distance = static_cast<double>(m - p.center);
    double scale;
    if (form() == AngleForm::kExact) {
      const double zeta = (two_i + 0.4 * r) / (Is(M::kZetaUndivided) ? r : 1.4 * r);
      const double power = Is(M::kIntegerQuotient) ? std::floor(distance / base) : distance / base;
      scale = std::pow(zeta, p.role == XposRole::kKey ? -power : power);
    } else {
      const float zeta = (static_cast<float>(two_i) + 0.4f * static_cast<float>(r)) /
                         (1.4f * static_cast<float>(r));
      const float power =
          (static_cast<float>(m) - static_cast<float>(p.center)) / static_cast<float>(base);
      const float query = std::pow(zeta, power);
      scale = p.role == XposRole::kKey ? 1 / query : query;
    }
    if (Is(M::kScaleBf16)) scale = RoundToFormat(Format::kBf16, scale);
    return Stored(scale);
  }
  double Stored(double entry) const {
    const float v = InF32(entry);
    return promise().tables == Stage::kOutput ? Result(format_, RoundToFormat(format_, v)) : v;
  }

  void Head(const Xpos& p, int64_t m, const TensorView& x, const TensorView& y,
            const At& at) const {
    const RopeApply& a = p.apply;
    const RopeFrequencies& f = a.frequencies;
    const int64_t pairs = f.pairs();
    const Shape to = Is(M::kOutputStrides) ? ContiguousStrides(y.shape) : y.strides;
    std::vector<uint64_t> before;  // the head as it was
    for (int64_t d = 0; d < f.head_dim; ++d)
      before.push_back(LoadBits(x.dtype, Address(x, x.strides, at, d)));
    for (int64_t d = 0; d < f.head_dim; ++d)
      if (!a.InWindow(d) && !Is(M::kLeavesCopied))
        StoreBits(y.dtype, Address(y, to, at, d), before[static_cast<size_t>(d)]);
    for (int64_t i = 0; i < pairs; ++i) {
      if (Is(M::kTailSkipped) && i >= pairs / 8 * 8) break;
      PlainFrequency w;
      w.base = f.rope_theta;
      w.numerator = 2 * i;
      w.denominator = f.rotary_dim;
      w.pair = i;
      if (!f.frequencies.empty()) w.given = &f.frequencies[static_cast<size_t>(i)];
      PlainTurn turn = TurnWith(w, m);
      turn = {Stored(turn.cos), Stored(turn.sin)};
      if ((a.direction == RopeDirection::kTranspose) != Is(M::kSign)) turn.sin = -turn.sin;
      for (int member = 0; member < 2; ++member) {
        // From here on the arithmetic of one output.
        const int64_t other = a.input_layout == RopeLayout::kHalfSplit ? (i + member * pairs) / 2
                                                                       : (2 * i + member) % pairs;
        const double z = ScaleOf(p, m, Is(M::kOtherPair) ? other : i);
        const auto value = [&](int which) {
          uint64_t bits = before[static_cast<size_t>(a.Dim(a.input_layout, i, which))];
          if (Is(M::kInPlace) && member == 1 && which == 0)
            bits = LoadBits(x.dtype, Address(x, x.strides, at, a.Dim(a.input_layout, i, 0)));
          return Read(DecodeBits(format_, bits));
        };
        double v = Rotated(value(0), value(1), turn, z, member);
        if (Is(M::kMagnitude)) v *= 1.0003;
        if (Is(M::kReadsPadding))
          v += 0 * DecodeBits(format_, LoadBits(x.dtype, Address(x, x.strides, at, f.head_dim)));
        StoreAt(y, Address(y, to, at, a.Dim(a.output_layout, i, member)), v);
      }
    }
    if (Is(M::kTailBeyond) && pairs % 8 != 0)
      for (int64_t i = pairs; i < (pairs + 7) / 8 * 8; ++i)
        StoreBits(y.dtype, Address(y, to, at, a.Dim(a.output_layout, i, 1)), 0);
  }

  // One member of the scaled pair, the scale where this kernel puts it.
  double Rotated(double xa, double xb, PlainTurn turn, double z, int member) const {
    double c = turn.cos, s = turn.sin;
    if (rounding().sum == Rounding::kForward) {  // into the tables
      const auto entry = [&](double v) {
        const Format stored = promise().tables == Stage::kOutput ? format_ : Format::kF32;
        return Result(stored, RoundToFormat(stored, v * z));
      };
      c = entry(c);
      if (!Is(M::kSineUnscaled)) s = entry(s);
    } else if (rounding().sum == Rounding::kBackward) {
      xa = Rounded(Operand(arithmetic(), xa) * z);
      xb = Rounded(Operand(arithmetic(), xb) * z);
    }
    const double v = member == 0 ? TwoProducts(xa, c, xb, -s) : TwoProducts(xa, s, xb, c, 1);
    return rounding().sum == Rounding::kPairwise ? Rounded(v * z) : v;
  }

  std::vector<int64_t> previous_;  // kStalePrevious
  int64_t previous_center_ = 0;
};

}  // namespace

std::vector<WrongSubject> XposWrongSubjects() { return WrongWith<PlainXpos>(kRows, "rope"); }

std::vector<RightSubject> XposRightSubjects() {
  return RightWith<PlainXpos>(M::kNone, kRoundings, "rope");
}

}  // namespace gnomon::properties::rope
