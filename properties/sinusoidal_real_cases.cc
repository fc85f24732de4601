// Generated cases of timesteps, Fourier features and NeRF, and what a promise allows them.
#include <cmath>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/sinusoidal_real.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::properties::sinusoidal {
namespace {

using gnomon::sinusoidal::Nerf;
using gnomon::sinusoidal::Timestep;

// A finite argument. Angles that are formed in the working format mean nothing beyond some size, so
// most stay where they do.
double DrawArgument(Trial& trial, const RealDraw& draw) {
  Source& source = trial.source();
  const double sign = source.Chance(1, 3) ? -1 : 1;
  if (draw.large)
    return sign * std::ldexp(65536.0 + static_cast<double>(source.Below(65536)),
                             static_cast<int>(source.Below(8)));
  if (draw.addable) return sign * std::ldexp(static_cast<double>(source.Below(1 << 15)), -6);
  if (draw.whole) return sign * static_cast<double>(source.Below(4096));
  switch (source.Below(6)) {
    case 0:
      return sign * static_cast<double>(source.Below(1000));
    case 1:
      return sign * std::ldexp(static_cast<double>(source.Below(4096)), -3);
    case 2:  // eighths and their neighbours: multiples of a quarter turn
      return sign * (std::ldexp(static_cast<double>(source.Below(32)), -3) +
                     std::ldexp(static_cast<double>(source.Below(3)) - 1, -14));
    case 3:
      return sign * std::ldexp(static_cast<double>(source.Below(int64_t{1} << 24)), -24);
    case 4:
      return sign * std::ldexp(1.0 + static_cast<double>(source.Below(1 << 20)) * 0x1p-20,
                               -static_cast<int>(source.Below(40)));
    default:
      return trial.promise().angle == AngleForm::kExact
                 ? sign * std::ldexp(1.0 + static_cast<double>(source.Below(1 << 23)) * 0x1p-23,
                                     static_cast<int>(source.Below(100)))
                 : sign * static_cast<double>(source.Below(20000)) / 7;
  }
}

DType DrawType(Source& source, const Limits& limits, const std::string& role, Format format,
               bool wide) {
  DType drawn = wide ? DType::kF64 : DType::kF32;
  if (!wide && source.Chance(1, 3)) drawn = DTypeOf(format);
  if (!wide && source.Chance(1, 6)) drawn = DType::kF64;
  for (const DType other : {drawn, DTypeOf(format), DType::kF32, DType::kF64})
    if (limits.takes_dtype(role, other)) return other;
  return drawn;
}

Tensor DrawArguments(Trial& trial, const RealDraw& draw, const Case& c, const std::string& role,
                     const Shape& shape) {
  const Limits limits = trial.limits(c.operation);
  Tensor x = DrawMemory(
      trial.source(), limits, draw.memory,
      DrawType(trial.source(), limits, role, c.format, draw.addable || draw.whole), shape, 0xff);
  for (int64_t i = 0; i < x.count(); ++i) {
    double v = DrawArgument(trial, draw);
    // f16 ends at 65504: what would be infinite is not an argument (SIN-23), nor is it a copy of
    // one.
    const bool narrow = x.dtype() == DType::kF16 || c.format == Format::kF16;
    if (narrow && std::abs(v) > 65504) v = std::fmod(v, 65504);
    x.Set(i, v);
  }
  return x;
}

Case Begin(Trial& trial, const std::string& operation) {
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  return c;
}

int64_t Extent(Trial& trial, const Case& c, const std::string& axis, int64_t most) {
  return trial.limits(c.operation).extent(axis, DrawExtents(trial.source(), {most}, 16)[0]);
}

}  // namespace

Case DrawTimestep(Trial& trial, const RealDraw& draw) {
  Source& source = trial.source();
  Case c = Begin(trial, "sinusoidal.timestep");
  int64_t width = 4 + 2 * source.Below(6);
  if (source.Chance(1, 6)) width = source.Pick<int64_t>({32, 64, 66, 128, 256, 514});
  if (source.Chance(1, 3)) ++width;
  c.parameters["width"] = static_cast<double>(width);
  if (source.Chance(1, 2)) c.parameters["downscale_freq_shift"] = 0.0;
  if (source.Chance(1, 2)) c.parameters["flip_sin_to_cos"] = true;
  if (source.Chance(1, 2))
    c.parameters["max_period"] = source.Pick<double>({1000, 500000, 100, 256, 0.25});
  if (!draw.whole && source.Chance(1, 2))
    c.parameters["scale"] = source.Pick<double>({1000, 2, 0.5, -1, 0.3, 0});
  FitParameters(trial.limits(c.operation), c.operation, source, &c.parameters);
  c.inputs.emplace("timesteps",
                   DrawArguments(trial, draw, c, "timesteps", {Extent(trial, c, "batch", 4)}));
  return c;
}

Case DrawFourier(Trial& trial, const RealDraw& draw) {
  Source& source = trial.source();
  Case c = Begin(trial, "sinusoidal.fourier");
  if (source.Chance(1, 2)) c.parameters["layout"] = std::string("sin_cos");
  FitParameters(trial.limits(c.operation), c.operation, source, &c.parameters);
  const int64_t coordinates = Extent(trial, c, "coordinate", 4);
  c.inputs.emplace("x",
                   DrawArguments(trial, draw, c, "x", {Extent(trial, c, "point", 3), coordinates}));
  RealDraw rows = draw;
  rows.large = false;
  c.inputs.emplace(
      "B", DrawArguments(trial, rows, c, "B", {Extent(trial, c, "feature", 5), coordinates}));
  return c;
}

Case DrawNerf(Trial& trial, const RealDraw& draw) {
  Source& source = trial.source();
  Case c = Begin(trial, "sinusoidal.nerf");
  c.parameters["octaves"] = static_cast<double>(1 + source.Below(source.Chance(1, 4) ? 16 : 6));
  if (source.Chance(1, 2)) c.parameters["unit"] = std::string("one");
  if (source.Chance(1, 2)) c.parameters["order"] = std::string("octave");
  if (source.Chance(1, 4)) c.parameters["sampling"] = std::string("linear");
  if (source.Chance(1, 3)) c.parameters["include_input"] = true;
  FitParameters(trial.limits(c.operation), c.operation, source, &c.parameters);
  c.inputs.emplace(
      "x", DrawArguments(trial, draw, c, "x",
                         {Extent(trial, c, "point", 3), Extent(trial, c, "coordinate", 3)}));
  return c;
}

std::vector<CaseSource> RealCases() {
  std::vector<CaseSource> all;
  const auto add = [&all](const std::string& operation, Case (*draw)(Trial&, const RealDraw&)) {
    RealDraw plain, memory, large;
    memory.memory = true;
    large.large = true;
    all.push_back({operation + ".plain", operation, CaseKind::kPlain,
                   [=](Trial& t) { return draw(t, plain); }});
    all.push_back({operation + ".memory", operation, CaseKind::kMemory,
                   [=](Trial& t) { return draw(t, memory); }});
    all.push_back({operation + ".large", operation, CaseKind::kLarge,
                   [=](Trial& t) { return draw(t, large); }});
  };
  add("sinusoidal.timestep", DrawTimestep);
  add("sinusoidal.fourier", DrawFourier);
  add("sinusoidal.nerf", DrawNerf);
  return all;
}

namespace {

class TimestepTolerance : public Tolerance {
 public:
  TimestepTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        p_(gnomon::sinusoidal::ReadTimestep(c)),
        times_(c.inputs.at("timesteps").view()) {}
  double Bound(int, int64_t element) const override {
    const SinusoidalColumn column = p_.Column(element % p_.width);
    if (column.kind == SinusoidalColumn::kZero) return 0;
    const int64_t denominator = p_.pairs() - p_.shift;
    const double D = gnomon::sinusoidal::TimestepError<double>(
        promise_, format_, p_, OriginOf(p_.max_period, {}, column.pair, denominator, column.pair),
        ValueAt(times_, element / p_.width), std::abs(p_.scale.value),
        FrequencySize(p_.max_period, {}, column.pair, denominator, column.pair));
    return EntryBound(promise_, format_, D * kEvaluated, Number(1));
  }
  double Size(int, int64_t) const override { return 1; }

 private:
  Profile promise_;
  Format format_;
  Timestep p_;
  ConstTensorView times_;
};

class FourierTolerance : public Tolerance {
 public:
  FourierTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        x_(c.inputs.at("x").view()),
        rows_(c.inputs.at("B").view()) {}
  double Bound(int, int64_t element) const override {
    const int64_t h = rows_.shape[0], n = rows_.shape[1];
    const int64_t point = element / (2 * h), feature = element % h;
    double products = 0, rows = 0, points = 0;
    bool rounded_row = false, rounded_point = false;
    for (int64_t i = 0; i < n; ++i) {
      const double b = ValueAt(rows_, feature * n + i), x = ValueAt(x_, point * n + i);
      products += std::abs(b * x);
      rows += std::abs(b);
      points += std::abs(x);
      rounded_row |= gnomon::sinusoidal::IsRounded(b, format_);
      rounded_point |= gnomon::sinusoidal::IsRounded(x, format_);
    }
    const double D = gnomon::sinusoidal::FourierError<double>(promise_, format_, n, products, rows,
                                                              points, rounded_row, rounded_point);
    return EntryBound(promise_, format_, D * kEvaluated, Number(1));
  }
  double Size(int, int64_t) const override { return 1; }

 private:
  Profile promise_;
  Format format_;
  ConstTensorView x_, rows_;
};

class NerfTolerance : public Tolerance {
 public:
  NerfTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        p_(gnomon::sinusoidal::ReadNerf(c)),
        x_(c.inputs.at("x").view()) {}
  double Bound(int, int64_t element) const override {
    const auto [column, x] = At(element);
    if (column.kind == gnomon::sinusoidal::NerfColumn::kInput)
      return x_.dtype == DTypeOf(format_) ? 0 : OneRounding(format_, std::abs(x));
    const double D = gnomon::sinusoidal::NerfError<double>(promise_, format_, p_, column.octave, x);
    return EntryBound(promise_, format_, D * kEvaluated, Number(1));
  }
  double Size(int, int64_t element) const override {
    const auto [column, x] = At(element);
    return column.kind == gnomon::sinusoidal::NerfColumn::kInput ? std::abs(x) : 1;
  }

 private:
  std::pair<gnomon::sinusoidal::NerfColumn, double> At(int64_t element) const {
    const int64_t n = x_.shape[1];
    const int64_t columns = n * (2 * p_.octaves + (p_.include_input ? 1 : 0));
    const auto column = gnomon::sinusoidal::ColumnOf(p_, n, element % columns);
    return {column, ValueAt(x_, element / columns * n + column.coordinate)};
  }
  Profile promise_;
  Format format_;
  Nerf p_;
  ConstTensorView x_;
};

}  // namespace

std::unique_ptr<Tolerance> MakeRealTolerance(const Profile& promise, const Case& c) {
  if (c.operation == "sinusoidal.timestep") return std::make_unique<TimestepTolerance>(promise, c);
  if (c.operation == "sinusoidal.fourier") return std::make_unique<FourierTolerance>(promise, c);
  return std::make_unique<NerfTolerance>(promise, c);
}

}  // namespace gnomon::properties::sinusoidal
