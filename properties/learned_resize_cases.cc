// Generated cases of learned.resize and learned.lookup_2d, and what a promise allows the former.
#include <algorithm>
#include <cmath>

#include "gnomon/properties/learned_resize.h"

namespace gnomon::properties::learned {
namespace {

using gnomon::learned::ReadResize;
using gnomon::learned::ResizedAxis;
using gnomon::learned::ResizeFilter;
using gnomon::learned::ResizeParameters;

const std::string kResize = "learned.resize", kLookup2d = "learned.lookup_2d";

Tensor DrawTable(Trial& trial, const std::string& operation, bool memory, Format format,
                 const Shape& shape, std::optional<Numbers> numbers, bool special) {
  Source& source = trial.source();
  if (!numbers) numbers = DrawTame(source);
  Tensor values(DTypeOf(format), shape);
  for (int64_t i = 0; i < values.count(); ++i) values.Set(i, DrawNumber(source, format, *numbers));
  // Few, so that most elements still have something to say.
  for (int64_t left = special && values.count() > 0 ? 1 + source.Below(2) : 0; left > 0; --left) {
    const double number = source.Pick<double>({0, std::nan(""), HUGE_VAL, -HUGE_VAL});
    values.Set(source.Below(values.count()),
               number != 0 ? number : DrawNumber(source, format, Numbers::kSpecial));
  }
  Tensor table = DrawMemory(source, trial.limits(operation), memory, DTypeOf(format), shape, 0xff);
  CopyElements(values, &table);
  return table;
}

// The sizes of the weights of one output along one axis, and of their errors.
struct Weights {
  double size = 0, error = 0, taps = 0;
};

double FilterSize(const ResizeParameters& p, double s) {
  s = std::abs(s);
  if (p.filter == ResizeFilter::kBilinear) return std::max(0.0, 1 - s);
  if (s <= 1) return 1 + s * s * ((p.a + 2) * s - (p.a + 3));
  return s < 2 ? p.a * (s - 1) * (s - 2) * (s - 2) : 0;
}

Weights WeightsOf(const ResizeParameters& p, const ResizedAxis& axis, int64_t i, Format format) {
  if (axis.none()) return {1, 0, 1};
  const double n = static_cast<double>(axis.from), N = static_cast<double>(axis.to),
               at = static_cast<double>(i), r = p.stretch(axis);
  const bool half = p.coordinates == gnomon::learned::Coordinates::kHalfPixel;
  const double x = half ? (at + 0.5) * n / N - 0.5 : axis.to > 1 ? at * (n - 1) / (N - 1) : 0;
  const double reach = p.half_width() * r;
  std::vector<double> arguments, values;
  // One more at either end: what the weights' errors may reach.
  for (double j = std::floor(x - reach); j <= std::ceil(x + reach); ++j) {
    if (p.antialias && (j < 0 || j > n - 1)) continue;
    arguments.push_back((j - x) / r);
    values.push_back(FilterSize(p, arguments.back()));
  }
  double sum = 0;
  for (const double v : values) sum += v;
  Weights weights;
  weights.taps = static_cast<double>(values.size());
  for (const double v : values) weights.size += std::abs(v) / (p.antialias ? sum : 1);
  for (const double e : WeightErrors(p, axis, i, arguments, values, format)) weights.error += e;
  return weights;
}

// LEARNED-12, with the largest number of the table for every one.
class ResizeTolerance : public Tolerance {
 public:
  ResizeTolerance(const Profile& promise, const Case& c)
      : promise_(promise), format_(c.format), p_(ReadResize(c)) {
    const Tensor& table = c.inputs.at("table");
    for (int64_t i = 0; i < table.count(); ++i)
      largest_ = std::max(largest_, std::abs(table.Value(i)));
    for (int64_t i = 0; i < p_.rows.to; ++i) rows_.push_back(WeightsOf(p_, p_.rows, i, format_));
    for (int64_t i = 0; i < p_.columns.to; ++i)
      columns_.push_back(WeightsOf(p_, p_.columns, i, format_));
  }
  double Bound(int, int64_t element) const override {
    const Weights &a = Row(element), &b = Column(element);
    gnomon::learned::ResizeSums<double> sums;
    sums.value = sums.size = a.size * b.size * largest_;
    sums.moved = (a.size * b.error + b.size * a.error + a.error * b.error) * largest_;
    sums.pairs = a.taps * b.taps;
    sums.inputs = sums.pairs * largest_;
    return gnomon::learned::ResizeBound<double>(promise_, format_, sums) * kEvaluated;
  }
  double Size(int, int64_t element) const override {
    return Row(element).size * Column(element).size * largest_ * kEvaluated;
  }

 private:
  const Weights& Row(int64_t element) const {
    return rows_[static_cast<size_t>(element / p_.width / p_.columns.to)];
  }
  const Weights& Column(int64_t element) const {
    return columns_[static_cast<size_t>(element / p_.width % p_.columns.to)];
  }
  const Profile& promise_;
  Format format_;
  ResizeParameters p_;
  double largest_ = 0;
  std::vector<Weights> rows_, columns_;
};

}  // namespace

std::unique_ptr<Tolerance> MakeResizeTolerance(const Profile& promise, const Case& c) {
  return std::make_unique<ResizeTolerance>(promise, c);
}

Case DrawResize(Trial& trial, const ResizeDraw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = kResize;
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(kResize);
  const bool list = draw.list || source.Chance(1, 4);
  const int64_t h = list ? 1 : limits.extent("row", 1 + source.Below(5));
  const int64_t H = list ? 1 : limits.extent("row", 1 + source.Below(6));
  const int64_t w = limits.extent("column", 1 + source.Below(source.Chance(1, 4) ? 12 : 5));
  const int64_t W = limits.extent("column", 1 + source.Below(source.Chance(1, 4) ? 12 : 6));
  const int64_t width = limits.extent(
      "width", source.Chance(1, 4) ? source.Pick<int64_t>({5, 8, 18}) : 1 + source.Below(3));
  c.parameters["columns"] = static_cast<double>(W);
  if (H != h || source.Chance(1, 2)) c.parameters["rows"] = static_cast<double>(H);
  const std::string filter =
      draw.filter ? *draw.filter : source.Pick<std::string>({"bilinear", "bicubic"});
  const bool antialias = draw.antialias ? *draw.antialias : source.Chance(1, 3);
  const std::string coordinates = draw.coordinates ? *draw.coordinates
                                  : antialias
                                      ? "half_pixel"
                                      : source.Pick<std::string>({"half_pixel", "align_corners"});
  c.parameters["filter"] = filter;
  if (coordinates != "half_pixel" || source.Chance(1, 2)) c.parameters["coordinates"] = coordinates;
  if (antialias || source.Chance(1, 2)) c.parameters["antialias"] = antialias;
  if (filter == "bicubic") c.parameters["cubic_a"] = source.Pick<double>({-0.75, -0.5, -1, 0});
  FitParameters(limits, kResize, source, &c.parameters);
  if (c.parameters.count("filter") && c.parameters.at("filter") == Value(std::string("bilinear")))
    c.parameters.erase("cubic_a");
  std::optional<Numbers> numbers;
  if (draw.whole) numbers = Numbers::kWhole;
  if (draw.wide) numbers = Numbers::kWide;
  c.inputs.emplace("table", DrawTable(trial, kResize, draw.memory, c.format, {h, w, width}, numbers,
                                      draw.special));
  // Whoever takes only some parameters may leave a question that has no meaning.
  bool valid = Outside(limits, c).empty();
  try {
    const ResizeParameters p = ReadResize(c);
    valid &= limits.extent("row", p.rows.to) == p.rows.to;
    valid &= limits.extent("column", p.columns.to) == p.columns.to;
    valid &= !draw.filter ||
             gnomon::learned::kResizeFilterNames[static_cast<size_t>(p.filter)] == *draw.filter;
    valid &= !draw.antialias || p.antialias == *draw.antialias;
    valid &=
        !draw.coordinates ||
        gnomon::learned::kCoordinatesNames[static_cast<size_t>(p.coordinates)] == *draw.coordinates;
  } catch (const Rejected&) {
    valid = false;
  }
  trial.RequireInside(valid);
  return c;
}

Case DrawGrid(Trial& trial, bool memory, bool special) {
  Source& source = trial.source();
  Case c;
  c.operation = kLookup2d;
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(kLookup2d);
  const int64_t rows = limits.extent("row", 1 + source.Below(5));
  const int64_t columns = limits.extent("column", 1 + source.Below(5));
  const int64_t tokens = limits.extent("token", 1 + source.Below(6));
  const int64_t width = limits.extent(
      "width", source.Chance(1, 4) ? source.Pick<int64_t>({5, 8, 18}) : 1 + source.Below(4));
  trial.RequireInside(limits.extent("axis", 2) == 2);
  Tensor positions = DrawMemory(source, limits, memory,
                                DrawIntegerType(source, limits, "positions"), {2, tokens}, 0);
  for (int64_t i = 0; i < positions.count(); ++i) {
    const int64_t extent = i < tokens ? rows : columns;
    const int64_t position = limits.position(source.Below(extent));
    trial.RequireInside(position >= 0 && position < extent);
    positions.SetInteger(i, position);
  }
  c.inputs.emplace("positions", std::move(positions));
  c.inputs.emplace("table", DrawTable(trial, kLookup2d, memory, c.format, {rows, columns, width},
                                      std::nullopt, special));
  return c;
}

std::vector<CaseSource> GridCases() {
  const auto resizes = [](ResizeDraw draw) {
    return [draw](Trial& t) { return DrawResize(t, draw); };
  };
  ResizeDraw plain, antialias, memory, special, wide;
  antialias.antialias = true;
  memory.memory = special.special = wide.wide = true;
  return {
      {"learned.resize.plain", kResize, CaseKind::kPlain, resizes(plain)},
      {"learned.resize.antialias", kResize, CaseKind::kPlain, resizes(antialias)},
      {"learned.resize.memory", kResize, CaseKind::kMemory, resizes(memory)},
      {"learned.resize.special", kResize, CaseKind::kSpecial, resizes(special)},
      {"learned.resize.wide", kResize, CaseKind::kSpecial, resizes(wide)},
      {"learned.lookup_2d.plain", kLookup2d, CaseKind::kPlain,
       [](Trial& t) { return DrawGrid(t, false, false); }},
      {"learned.lookup_2d.memory", kLookup2d, CaseKind::kMemory,
       [](Trial& t) { return DrawGrid(t, true, false); }},
      {"learned.lookup_2d.special", kLookup2d, CaseKind::kSpecial,
       [](Trial& t) { return DrawGrid(t, false, true); }},
  };
}

}  // namespace gnomon::properties::learned
