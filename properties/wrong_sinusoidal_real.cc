// Plain kernels of timesteps, Fourier features and NeRF, right and wrong on purpose
// (spec/mistakes.md). They answer sinusoidal.table too, always rightly: a property compares the
// two.
#include <mpfr.h>

#include <algorithm>
#include <cmath>

#include "gnomon/properties/plain_kernel.h"
#include "gnomon/properties/sinusoidal_real.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::properties::sinusoidal {
namespace {

using gnomon::sinusoidal::ColumnOf;
using gnomon::sinusoidal::FourierLayout;
using gnomon::sinusoidal::Nerf;
using gnomon::sinusoidal::NerfColumn;
using gnomon::sinusoidal::Timestep;

enum class M {
  kNone,
  kOrder,
  kFlipIgnored,
  kShiftZero,
  kShiftOne,
  kScaleIgnored,
  kScalesEntry,
  kWholeTimes,
  kTimesBf16,
  kTimesF16,
  kPeriodIgnored,
  kOddHalf,
  kAbsolute,
  kPiMissing,
  kHalfTurn,
  kFeatureOrder,
  kTransposed,
  kUnreduced,
  kOctavePlusOne,
  kSamplingIgnored,
  kUnitOne,
  kUnitPi,
  kOrderIgnored,
  kInputLast,
  kMagnitude,
  kTwoUlps,
  kTruncates,
  kStale,
  kCountsRows,
  kInputStrides,
  kOutputStrides,
  kTailSkipped,
  kTailBeyond,
  kZeroUnwritten,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

constexpr MistakeRow<M> kRows[] = {
    {M::kOrder, "timestep-order", "sines and cosines exchanged", kFormula, "standard"},
    {M::kFlipIgnored, "timestep-order/ignored", "sines first, flip_sin_to_cos or not", kFormula,
     "standard"},
    {M::kShiftZero, "timestep-shift/zero", "divisor h where a shift is asked", kFormula,
     "standard"},
    {M::kShiftOne, "timestep-shift/one", "divisor h - 1 where none is", kFormula, "standard"},
    {M::kScaleIgnored, "timestep-scale", "scale left out", kFormula, "standard"},
    {M::kScalesEntry, "timestep-scale/entry", "scale on the entry, not on the time", kFormula,
     "standard"},
    {M::kWholeTimes, "timestep-truncated", "times made integers", kFormula, "standard"},
    {M::kTimesBf16, "positions-bf16/timestep", "times rounded to bf16", kFormula, "standard"},
    {M::kTimesF16, "positions-f16/timestep", "times rounded to f16", kFormula, "standard"},
    {M::kPeriodIgnored, "timestep-period", "max_period 10000 always", kFormula, "standard"},
    {M::kOddHalf, "timestep-odd", "odd widths divide by (width + 1) / 2", kFormula, "standard"},
    {M::kAbsolute, "negative-position/real", "the argument without its sign", kFormula, "standard"},
    {M::kPiMissing, "fourier-pi", "2 pi left out", kFormula, "standard"},
    {M::kHalfTurn, "fourier-pi/half", "pi for 2 pi", kFormula, "standard"},
    {M::kFeatureOrder, "fourier-order", "the other layout", kFormula, "standard"},
    {M::kTransposed, "fourier-transposed", "B read as [coordinate, feature]", kFormula, "standard"},
    {M::kUnreduced, "unreduced/real", "angles reduced by a 2 pi of float32", kFormula, "standard"},
    {M::kOctavePlusOne, "nerf-octave", "2^(k+1) for 2^k", kFormula, "standard"},
    {M::kSamplingIgnored, "nerf-octave/sampling", "doubling where even spacing is asked", kFormula,
     "standard"},
    {M::kUnitOne, "nerf-pi", "pi left out", kFormula, "standard"},
    {M::kUnitPi, "nerf-pi/always", "pi where the unit is one", kFormula, "standard"},
    {M::kOrderIgnored, "nerf-order", "coordinate by coordinate where octaves are asked", kFormula,
     "standard"},
    {M::kInputLast, "nerf-input", "x last, not first", kFormula, "standard"},
    {M::kMagnitude, "magnitude/real", "everything times 1.0003", kFormula, "standard"},
    {M::kTwoUlps, "table-ulp/real", "entries two ulps off", kFormula, "standard"},
    {M::kTruncates, "bf16-truncated/real", "16-bit results by dropping bits", kFormula, "standard"},
    {M::kStale, "stale-table/real", "answers for the arguments of the call before", kState,
     "standard"},
    {M::kCountsRows, "arange-positions/real", "the row's number for its argument", kFormula,
     "standard"},
    {M::kInputStrides, "stride-ignored/real-input", "arguments taken as contiguous", kState,
     "standard"},
    {M::kOutputStrides, "stride-ignored/real", "the output taken as contiguous", kState,
     "standard"},
    {M::kTailSkipped, "tail-vector/real", "columns after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite/real", "a full vector written at the tail", kState,
     "standard"},
    {M::kZeroUnwritten, "window-not-copied/zero-column", "the zero column not written", kState,
     "standard"},
};

const RoundingRow kRoundings[] = {
    {"real/plain", "angles of many bits", "standard", {}},
    {"real/plain", "f32 angles", "f32-angle", {}},
    {"real/plain", "frequencies by exp", "f32-exp", {}},
    {"real/plain", "f32 angles under another name", "f32-chained", {}},
    {"real/plain", "f32 angles, 16-bit tables", "f32-angle-16", {}},
    {"real/negative-exponent", "pow(base, -e)", "f32-angle", {.negative_exponent = true}},
    {"real/backward",
     "2 pi x, scale t, before all else",
     "f32-angle",
     {.sum = Rounding::kBackward}},
    {"real/fused", "dot products by multiply-adds", "f32-angle", {.sum = Rounding::kFusedForward}},
    {"real/tables/up", "entries rounded up", "f32-angle", {.tables = Rounding::kUp}},
    {"real/tables/down", "entries rounded down", "standard", {.tables = Rounding::kDown}},
};

constexpr int64_t kLanes = 4;

// A number of many bits, for angles that are exact enough.
class Many {
 public:
  explicit Many(double v) {
    mpfr_init2(v_, 512);
    mpfr_set_d(v_, v, MPFR_RNDN);
  }
  ~Many() { mpfr_clear(v_); }
  Many(const Many&) = delete;
  Many& operator=(const Many&) = delete;
  void Add(double a, double b) {
    Many product(a);
    mpfr_mul_d(product.v_, product.v_, b, MPFR_RNDN);
    mpfr_add(v_, v_, product.v_, MPFR_RNDN);
  }
  void Times(double v) { mpfr_mul_d(v_, v_, v, MPFR_RNDN); }
  void Over(double v) { mpfr_div_d(v_, v_, v, MPFR_RNDN); }
  void TimesPi() {
    Many pi(0);
    mpfr_const_pi(pi.v_, MPFR_RNDN);
    mpfr_mul(v_, v_, pi.v_, MPFR_RNDN);
  }
  void TimesPower(double base, int64_t numerator, int64_t denominator) {
    Many power(base), exponent(static_cast<double>(-numerator));
    exponent.Over(static_cast<double>(denominator));
    mpfr_pow(power.v_, power.v_, exponent.v_, MPFR_RNDN);
    mpfr_mul(v_, v_, power.v_, MPFR_RNDN);
  }
  PlainTurn Turn() const {
    Many c(0), s(0);
    mpfr_sin_cos(s.v_, c.v_, v_, MPFR_RNDN);
    return {mpfr_get_d(c.v_, MPFR_RNDN), mpfr_get_d(s.v_, MPFR_RNDN)};
  }
  double Value() const { return mpfr_get_d(v_, MPFR_RNDN); }

 private:
  mpfr_t v_;
};

PlainTurn TurnOfFloat(float angle) {
  return {std::cos(static_cast<double>(angle)), std::sin(static_cast<double>(angle))};
}

class PlainReal final : public PlainKernel<M> {
 public:
  PlainReal(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "sinusoidal") {}

  bool Declares(const std::string& operation, Format format) const override {
    return format != Format::kF64 &&
           (gnomon::sinusoidal::IsReal(operation) || operation == "sinusoidal.table");
  }

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    if (c.operation == "sinusoidal.table") return Table(c, outputs.at("pe"));
    if (c.operation == "sinusoidal.timestep") return Times(c, outputs.at("pe"));
    if (c.operation == "sinusoidal.fourier") return Features(c, outputs.at("features"));
    return Octaves(c, outputs.at("features"));
  }

 private:
  bool exact() const { return promise().angle == AngleForm::kExact; }

  Outcome Table(const Case& c, const TensorView& pe) const {
    ParameterReader reader(c.parameters, "SIN-1");
    const SinusoidalTable t = gnomon::sinusoidal::ReadTable(reader);
    for (int64_t i = 0; i < pe.count(); ++i) {
      const SinusoidalColumn column = t.Column(i % t.width);
      PlainFrequency w{
          t.base,
          t.ExponentNumerator(column.pair),
          t.ExponentDenominator(),
          column.pair,
          t.frequencies.empty()
              ? nullptr
              : &t.frequencies[static_cast<size_t>(std::min<int64_t>(column.pair, t.sines() - 1))],
          false};
      const PlainTurn turn =
          TurnAs(AngleForm::kExact, w, c.inputs.at("positions").Integer(i / t.width));
      float entry = static_cast<float>(column.kind == SinusoidalColumn::kZero   ? 0
                                       : column.kind == SinusoidalColumn::kSine ? turn.sin
                                                                                : turn.cos);
      if (t.scale != Number(1)) entry *= static_cast<float>(t.scale.value);
      StoreBits(pe.dtype, pe.AddressOf(i), StoredBits(format_, entry, StoreMistake::kNone));
    }
    return {};
  }

  // The numbers of an input, in row-major order.
  std::vector<double> Read(const Case& c, const std::string& role) {
    const Tensor& tensor = c.inputs.at(role);
    const ConstTensorView view = tensor.view();
    std::vector<double> values;
    for (int64_t i = 0; i < view.count(); ++i) {
      const int64_t offset = Is(M::kInputStrides) ? i : view.OffsetOf(i);
      const double v =
          ValueOf(view.dtype, LoadBits(view.dtype, view.data + offset * SizeOf(view.dtype)));
      values.push_back(std::isfinite(v) ? v : 0);
    }
    if (role == "B") return values;
    const int64_t row = view.count() / view.shape[0];
    for (int64_t i = 0; i < view.count(); ++i) {
      double& v = values[static_cast<size_t>(i)];
      if (Is(M::kCountsRows)) v = static_cast<double>(i / row);
      if (Is(M::kAbsolute)) v = std::abs(v);
    }
    if (Is(M::kStale)) {
      std::swap(previous_, values);
      if (values.size() != previous_.size()) values = previous_;
    }
    return values;
  }

  void Store(const TensorView& view, int64_t row, int64_t column, double value) const {
    const int64_t width = view.shape[1], number = row * width + column;
    if (Is(M::kTailSkipped) && column >= width / kLanes * kLanes) return;
    if (Is(M::kMagnitude)) value *= 1.0003;
    std::byte* address =
        view.data + (Is(M::kOutputStrides) ? number : view.OffsetOf(number)) * SizeOf(view.dtype);
    StoreAt(view, address, value);
    if (Is(M::kTailBeyond) && column == width - 1 && width % kLanes != 0)
      StoreBits(view.dtype, address + view.strides.back() * SizeOf(view.dtype), 0);
  }
  // Sine or cosine as it is stored.
  double Entry(double v) const { return promise().correctly_rounded ? v : InF32(v); }

  PlainTurn Reduced(double angle) const {
    constexpr float kTwoPi = 6.2831853f;
    const double reduced = angle - std::rint(angle / kTwoPi) * kTwoPi;
    return {std::cos(reduced), std::sin(reduced)};
  }

  PlainTurn TimeTurn(const Timestep& p, double t, int64_t pair) const {
    int64_t half = p.pairs(), shift = p.shift;
    if (Is(M::kOddHalf)) half = (p.width + 1) / 2;
    if (Is(M::kShiftZero)) shift = 0;
    if (Is(M::kShiftOne) && half > 1) shift = 1;
    const double period = Is(M::kPeriodIgnored) ? 10000 : p.max_period.value;
    const double scale = Is(M::kScaleIgnored) || Is(M::kScalesEntry) ? 1 : p.scale.value;
    if (Is(M::kWholeTimes)) t = std::trunc(t);
    if (Is(M::kTimesBf16)) t = RoundToFormat(Format::kBf16, t);
    if (Is(M::kTimesF16)) t = std::clamp(RoundToFormat(Format::kF16, t), -65504.0, 65504.0);
    if (exact()) {
      Many angle(t);
      angle.Times(scale);
      angle.TimesPower(period, pair, half - shift);
      return Is(M::kUnreduced) ? Reduced(angle.Value()) : angle.Turn();
    }
    const float base = static_cast<float>(period);
    const float d = static_cast<float>(half) - static_cast<float>(shift);
    const float e = static_cast<float>(pair) / d;
    float w;
    if (promise().angle == AngleForm::kExp) {
      w = std::exp(-std::log(base) * static_cast<float>(pair) / d);
    } else {
      w = rounding().negative_exponent ? std::pow(base, -e) : 1.0f / std::pow(base, e);
    }
    const float time = static_cast<float>(t), factor = static_cast<float>(scale);
    return TurnOfFloat(rounding().sum == Rounding::kBackward ? (factor * time) * w
                                                             : factor * (time * w));
  }

  Outcome Times(const Case& c, const TensorView& pe) {
    const Timestep p = gnomon::sinusoidal::ReadTimestep(c);
    const std::vector<double> times = Read(c, "timesteps");
    for (int64_t row = 0; row < pe.shape[0]; ++row)
      for (int64_t column = 0; column < p.width; ++column) {
        Timestep asked = p;
        if (Is(M::kFlipIgnored)) asked.flip = false;
        if (Is(M::kOrder)) asked.flip = !p.flip;
        const SinusoidalColumn at = asked.Column(column);
        if (at.kind == SinusoidalColumn::kZero) {
          if (!Is(M::kZeroUnwritten)) Store(pe, row, column, 0);
          continue;
        }
        const PlainTurn turn = TimeTurn(p, times[static_cast<size_t>(row)], at.pair);
        const double entry = Entry(at.kind == SinusoidalColumn::kSine ? turn.sin : turn.cos);
        Store(pe, row, column, Is(M::kScalesEntry) ? entry * p.scale.value : entry);
      }
    return {};
  }

  PlainTurn PhaseTurn(const double* b, int64_t stride, const double* x, int64_t n) const {
    if (exact()) {
      Many sum(0);
      for (int64_t i = 0; i < n; ++i) sum.Add(b[i * stride], x[i]);
      if (!Is(M::kPiMissing)) sum.TimesPi();
      if (!Is(M::kPiMissing) && !Is(M::kHalfTurn)) sum.Times(2);
      return Is(M::kUnreduced) ? Reduced(sum.Value()) : sum.Turn();
    }
    constexpr float kTwoPi = 6.2831853f;
    const bool before = rounding().sum == Rounding::kBackward;
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const float row = static_cast<float>(b[i * stride]);
      const float point = before ? kTwoPi * static_cast<float>(x[i]) : static_cast<float>(x[i]);
      sum =
          rounding().sum == Rounding::kFusedForward ? std::fma(row, point, sum) : sum + row * point;
    }
    return TurnOfFloat(before ? sum : kTwoPi * sum);
  }

  Outcome Features(const Case& c, const TensorView& features) {
    const bool sines_first =
        (gnomon::sinusoidal::ReadFourier(c) == FourierLayout::kSinCos) != Is(M::kFeatureOrder);
    const std::vector<double> x = Read(c, "x"), B = Read(c, "B");
    const int64_t h = c.inputs.at("B").shape()[0], n = c.inputs.at("B").shape()[1];
    for (int64_t row = 0; row < features.shape[0]; ++row)
      for (int64_t column = 0; column < 2 * h; ++column) {
        const int64_t feature = column % h;
        const PlainTurn turn = Is(M::kTransposed)
                                   ? PhaseTurn(B.data() + feature, h, x.data() + row * n, n)
                                   : PhaseTurn(B.data() + feature * n, 1, x.data() + row * n, n);
        Store(features, row, column, Entry((column < h) == sines_first ? turn.sin : turn.cos));
      }
    return {};
  }

  PlainTurn OctaveTurn(const Nerf& asked, double x, int64_t octave) const {
    Nerf p = asked;
    if (Is(M::kSamplingIgnored)) p.sampling = Nerf::Sampling::kLog;
    if (Is(M::kUnitOne)) p.unit = Nerf::Unit::kOne;
    if (Is(M::kUnitPi)) p.unit = Nerf::Unit::kPi;
    const double more = Is(M::kOctavePlusOne) ? 2 : 1;
    const bool pi = p.unit == Nerf::Unit::kPi;
    if (exact()) {
      Many angle(x);
      angle.Times(more * static_cast<double>(p.Numerator(octave)));
      angle.Over(static_cast<double>(p.Denominator()));
      if (pi) angle.TimesPi();
      return Is(M::kUnreduced) ? Reduced(angle.Value()) : angle.Turn();
    }
    float w;
    if (p.sampling == Nerf::Sampling::kLog) {
      w = std::ldexp(1.0f, static_cast<int>(octave));
    } else {
      const float last = std::ldexp(1.0f, static_cast<int>(p.octaves - 1));
      const float step = p.octaves > 1 ? (last - 1) / static_cast<float>(p.octaves - 1) : 0;
      w = 1 + step * static_cast<float>(octave);
    }
    constexpr float kPi = 3.1415927f;
    const float point = static_cast<float>(x);
    if (!pi) return TurnOfFloat(w * point);
    return TurnOfFloat(rounding().sum == Rounding::kBackward ? w * (kPi * point)
                                                             : (w * kPi) * point);
  }

  Outcome Octaves(const Case& c, const TensorView& features) {
    Nerf p = gnomon::sinusoidal::ReadNerf(c);
    if (Is(M::kOrderIgnored)) p.order = Nerf::Order::kCoordinate;
    const std::vector<double> x = Read(c, "x");
    const int64_t n = c.inputs.at("x").shape()[1], width = features.shape[1];
    for (int64_t row = 0; row < features.shape[0]; ++row)
      for (int64_t column = 0; column < width; ++column) {
        const NerfColumn at = ColumnOf(p, n, column);
        const int64_t to =
            Is(M::kInputLast) && p.include_input ? (column + width - n) % width : column;
        const double v = x[static_cast<size_t>(row * n + at.coordinate)];
        if (at.kind == NerfColumn::kInput) {
          Store(features, row, to, v);
          continue;
        }
        const PlainTurn turn = OctaveTurn(p, v, at.octave);
        Store(features, row, to, Entry(at.kind == NerfColumn::kSine ? turn.sin : turn.cos));
      }
    return {};
  }

  std::vector<double> previous_;  // kStale
};

}  // namespace

std::vector<WrongSubject> RealWrongSubjects() { return WrongWith<PlainReal>(kRows, "sinusoidal"); }

std::vector<RightSubject> RealRightSubjects() {
  return RightWith<PlainReal>(M::kNone, kRoundings, "sinusoidal");
}

}  // namespace gnomon::properties::sinusoidal
