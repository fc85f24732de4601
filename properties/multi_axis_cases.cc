#include "gnomon/properties/multi_axis_cases.h"

#include <algorithm>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/multi_axis_mixed.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties::multi_axis {
namespace {

namespace axes = gnomon::multi_axis;

Value List(const std::vector<int64_t>& numbers) {
  std::vector<Number> list;
  for (const int64_t number : numbers) list.push_back(static_cast<double>(number));
  return list;
}

int64_t Sum(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
}

// AXES-2, AXES-3, AXES-12: sizes that the order takes.
std::vector<int64_t> DrawSizes(Source& source, SectionOrder order) {
  const bool published = source.Chance(1, 12);
  const auto size = [&](int64_t least) { return least + source.Below(5 - least); };
  switch (order) {
    case SectionOrder::kContiguous: {
      if (published) return {16, 24, 24};
      std::vector<int64_t> sizes = {size(1)};
      for (int64_t more = source.Pick({2, 1, 3, 0}); more > 0; --more) sizes.push_back(size(0));
      return sizes;
    }
    case SectionOrder::kInterleaved: {
      if (published) return {24, 20, 20};
      const int64_t h = size(0), w = size(0);
      const int64_t least = std::max({3 * h - 1, 3 * w, h + w, int64_t{1}});
      return {least - h - w + source.Below(4), h, w};
    }
    case SectionOrder::kInterleavedExtra:
      if (published) return {24, 20, 20, 0};
      return {size(1), size(0), size(0), source.Below(3)};
    case SectionOrder::kAlternating: {
      if (published) return {22, 22, 20};
      const int64_t h = size(1);
      return {h, h, size(0)};
    }
  }
  return {1};
}

void DrawAxial(Source& source, const Draw& draw, Parameters* parameters, int64_t* rotary_dim) {
  std::vector<int64_t> dims;
  int64_t count = source.Pick({2, 3, 1});
  if (source.Chance(1, 16)) count = source.Pick({4, 5, 8});
  for (int64_t axis = 0; axis < count; ++axis) dims.push_back(2 * (1 + source.Below(4)));
  if (source.Chance(1, 6)) dims[0] = source.Pick<int64_t>({16, 20, 36, 74});
  const int64_t exponent = draw.reset ? 0 : source.Pick({0, 1, 2, 0});
  if (exponent == 2) std::fill(dims.begin(), dims.end(), dims[0]);
  if (exponent > 0) (*parameters)["exponent"] = kAxialExponentNames[static_cast<size_t>(exponent)];
  (*parameters)["axes_dims"] = List(dims);
  (*parameters)["layout"] = kAxialLayoutNames[static_cast<size_t>(source.Below(3))];
  *rotary_dim = Sum(dims);
}

void DrawMrope(Source& source, Parameters* parameters, int64_t* rotary_dim) {
  const auto order = static_cast<SectionOrder>(source.Below(4));
  const std::vector<int64_t> sizes = DrawSizes(source, order);
  (*parameters)["mrope_section"] = List(sizes);
  if (order != SectionOrder::kContiguous || source.Chance(1, 2))
    (*parameters)["section_order"] = kSectionOrderNames[static_cast<size_t>(order)];
  (*parameters)["layout"] = kAxialLayoutNames[static_cast<size_t>(source.Below(2))];
  *rotary_dim = 2 * Sum(sizes);
}

// What limits leave of drawn parameters need not fit together: then the case is not asked.
void Fit(Trial& trial, Case* c) {
  FitParameters(trial.limits(c->operation), c->operation, trial.source(), &c->parameters);
  try {
    if (c->operation == "multi_axis.axial" || axes::IsMrope(*c)) {
      axes::ReadRotation(*c);
    } else if (c->operation == "multi_axis.sections") {
      axes::ReadSections(*c);
    } else if (c->operation == "multi_axis.sincos_2d") {
      axes::ReadSincos(*c);
    } else if (c->operation != "multi_axis.factorized") {
      axes::ReadWindowSize(*c);
    }
  } catch (const Rejected&) {
    trial.RequireInside(false);
  }
}

Case Begin(Trial& trial, const std::string& operation) {
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  return c;
}

Tensor DrawGrid(Trial& trial, const Case& c, Shape shape, bool memory, int64_t limit) {
  const Limits limits = trial.limits(c.operation);
  FitRank(limits, "positions", &shape);
  Tensor positions = DrawMemory(trial.source(), limits, memory,
                                DrawIntegerType(trial.source(), limits, "positions"), shape, 0x6b);
  for (int64_t i = 0; i < positions.count(); ++i)
    positions.SetInteger(i, trial.DrawPosition(limit, limits));
  return positions;
}

Tensor DrawNumbers(Trial& trial, const Case& c, const Shape& shape, Numbers numbers, bool memory) {
  Tensor values(DTypeOf(c.format), shape);
  for (int64_t i = 0; i < values.count(); ++i)
    values.Set(i, DrawNumber(trial.source(), c.format, numbers));
  Tensor drawn =
      DrawMemory(trial.source(), trial.limits(c.operation), memory, DTypeOf(c.format), shape, 0xff);
  CopyElements(values, &drawn);
  return drawn;
}

}  // namespace

Case DrawRotation(Trial& trial, std::string operation, const Draw& draw) {
  Source& source = trial.source();
  if (operation.empty()) operation = source.Chance(1, 2) ? "multi_axis.mrope" : "multi_axis.axial";
  if (operation == "multi_axis.mixed") return DrawMixed(trial, draw);
  Case c = Begin(trial, operation);
  int64_t rotary_dim = 0;
  if (axes::IsMrope(c)) {
    DrawMrope(source, &c.parameters, &rotary_dim);
  } else {
    DrawAxial(source, draw, &c.parameters, &rotary_dim);
  }
  int64_t head_dim = rotary_dim;
  if (source.Chance(1, 3)) {
    head_dim += source.Pick<int64_t>({2, 1, 3, 8, 16});
    if (axes::IsMrope(c)) c.parameters["rotary_dim"] = static_cast<double>(rotary_dim);
    if (source.Chance(1, 2))
      c.parameters["rotary_offset"] = static_cast<double>(1 + source.Below(head_dim - rotary_dim));
  }
  c.parameters["head_dim"] = static_cast<double>(head_dim);
  if (draw.unusual_frequencies || (!draw.plain_frequencies && source.Chance(1, 8))) {
    std::vector<Number> frequencies;
    for (int64_t i = 0; i < rotary_dim / 2; ++i) frequencies.push_back(DrawFrequency(source));
    c.parameters["frequencies"] = frequencies;
  } else if (source.Chance(2, 3)) {
    const Number base = DrawBase(source);
    c.parameters["rope_theta"] = base.decimal.empty() ? Value(base.value) : Value(base.decimal);
  }
  if (draw.direction && source.Chance(1, 4)) c.parameters["direction"] = std::string("transpose");
  const Limits limits = trial.limits(operation);
  trial.RequireInside(!draw.unusual_frequencies || limits.takes("frequencies"));
  Fit(trial, &c);
  const AxialRotation a = axes::ReadRotation(c);
  const bool small = a.head_dim <= 24;
  const Shape drawn = small ? DrawExtents(source, {3, 4, 3}, a.head_dim)
                            : DrawExtents(source, {2, 2, 2}, a.head_dim);
  const Shape shape = {limits.extent("batch", drawn[0]), limits.extent("seq", drawn[1]),
                       limits.extent("heads", drawn[2]), a.head_dim};
  Shape grid = {a.axes(), shape[1]};
  if (source.Chance(1, 2)) grid.insert(grid.begin(), source.Chance(1, 8) ? 1 : shape[0]);
  const Numbers numbers = draw.numbers ? *draw.numbers : DrawTame(source);
  c.inputs.emplace("positions", DrawGrid(trial, c, grid, draw.memory, draw.position_limit));
  c.inputs.emplace("x", DrawNumbers(trial, c, shape, numbers, draw.memory));
  if (draw.memory && limits.in_place && source.Chance(1, 3)) c.in_place = "x";
  return c;
}

Case DrawSections(Trial& trial, std::optional<SectionOrder> order) {
  Case c = Begin(trial, "multi_axis.sections");
  if (!order) order = static_cast<SectionOrder>(trial.source().Below(4));
  c.parameters["mrope_section"] = List(DrawSizes(trial.source(), *order));
  c.parameters["section_order"] = kSectionOrderNames[static_cast<size_t>(*order)];
  Fit(trial, &c);
  return c;
}

Case DrawSincos(Trial& trial, bool memory, int64_t position_limit) {
  Source& source = trial.source();
  Case c = Begin(trial, "multi_axis.sincos_2d");
  int64_t width = 4 * (1 + source.Below(5));
  if (source.Chance(1, 6)) width = source.Pick<int64_t>({32, 64, 72});
  c.parameters["width"] = static_cast<double>(width);
  c.parameters["first_half"] = kFirstHalfNames[static_cast<size_t>(source.Below(2))];
  if (source.Chance(1, 2))
    c.parameters["layout"] = kSinusoidalLayoutNames[static_cast<size_t>(source.Below(3))];
  if (source.Chance(1, 3)) c.parameters["divisor"] = std::string("half_minus_one");
  if (source.Chance(1, 3)) c.parameters["zero_rows"] = static_cast<double>(1 + source.Below(2));
  if (source.Chance(1, 2)) {
    const Number base = DrawBase(source);
    c.parameters["base"] = base.decimal.empty() ? Value(base.value) : Value(base.decimal);
  }
  Fit(trial, &c);
  const int64_t seq =
      trial.limits(c.operation).extent("seq", DrawExtents(trial.source(), {4}, 16)[0]);
  c.inputs.emplace("positions", DrawGrid(trial, c, {2, seq}, memory, position_limit));
  return c;
}

Case DrawFactorized(Trial& trial, Combine combine, Numbers numbers, bool memory) {
  Source& source = trial.source();
  Case c = Begin(trial, "multi_axis.factorized");
  c.parameters["combine"] = kCombineNames[static_cast<size_t>(combine)];
  Fit(trial, &c);
  trial.RequireInside(c.parameters["combine"] ==
                      Value(kCombineNames[static_cast<size_t>(combine)]));
  const Limits limits = trial.limits(c.operation);
  const int64_t width = limits.extent(
      "width", source.Chance(1, 4) ? source.Pick<int64_t>({16, 20, 36}) : 1 + source.Below(8));
  const int64_t other =
      combine == Combine::kSum ? width : limits.extent("width", 1 + source.Below(8));
  const Shape drawn = DrawExtents(source, {4, 4}, 16);
  const int64_t X = limits.extent("x", drawn[0]), Y = limits.extent("y", drawn[1]);
  c.inputs.emplace("px", DrawNumbers(trial, c, {X, width}, numbers, memory));
  c.inputs.emplace("py", DrawNumbers(trial, c, {Y, other}, numbers, memory));
  return c;
}

Case DrawWindow(Trial& trial, const std::string& operation, bool memory, bool special) {
  Source& source = trial.source();
  Case c = Begin(trial, operation);
  c.parameters["window_height"] = static_cast<double>(1 + source.Below(5));
  c.parameters["window_width"] = static_cast<double>(1 + source.Below(5));
  if (source.Chance(1, 2)) c.parameters["cls_token"] = std::string("beit");
  Fit(trial, &c);
  if (operation == "multi_axis.window_index") return c;
  const int64_t heads = trial.limits(operation).extent("heads", 1 + source.Below(3));
  c.inputs.emplace("table", DrawNumbers(trial, c, {axes::ReadWindowSize(c).rows(), heads},
                                        special ? Numbers::kSpecial : Numbers::kUnequal, memory));
  return c;
}

void ForEachPair(const Case& c, const std::function<void(int64_t, int64_t, int64_t, int64_t)>& f) {
  const AxialRotation a = axes::ReadRotation(c);
  const Shape& shape = c.inputs.at("x").shape();
  for (int64_t head = 0; head < shape[0] * shape[1] * shape[2]; ++head)
    for (int64_t i = 0; i < a.pairs(); ++i)
      f(head / shape[2], i, head * shape[3] + a.Dim(i, 0), head * shape[3] + a.Dim(i, 1));
}

int64_t PositionOn(const Case& c, int64_t token, int64_t axis) {
  const Tensor& positions = c.inputs.at("positions");
  const Shape& shape = positions.shape();
  const int64_t seq = shape.back(), axes = shape[shape.size() - 2];
  const int64_t batch = shape.size() == 3 && shape[0] != 1 ? token / seq : 0;
  return positions.Integer((batch * axes + axis) * seq + token % seq);
}

Case WithPositions(const Case& c, const std::function<int64_t(int64_t, int64_t, int64_t)>& f) {
  const Shape& shape = c.inputs.at("positions").shape();
  const int64_t seq = shape.back(), axes = shape[shape.size() - 2];
  return With(c, "positions", Integers(shape, [&](int64_t i) {
                return f(i / seq / axes, i / seq % axes, i % seq);
              }));
}

int64_t AxisOfNumber(const Case& c, int64_t number) {
  const Shape& shape = c.inputs.at("positions").shape();
  return number / shape.back() % shape[shape.size() - 2];
}

Case WithDirection(const Case& c, RopeDirection direction) {
  return WithParameter(c, "direction", kRopeDirectionNames[static_cast<size_t>(direction)]);
}

std::vector<CaseSource> Cases() {
  Draw plain, unusual, memory, special, wide;
  unusual.unusual_frequencies = true;
  memory.memory = true;
  special.numbers = Numbers::kSpecial;
  wide.numbers = Numbers::kWide;
  std::vector<CaseSource> all;
  for (const std::string operation : {"multi_axis.axial", "multi_axis.mrope"}) {
    const auto add = [&](const char* name, CaseKind kind, const Draw& draw) {
      all.push_back({operation + "." + name, operation, kind,
                     [operation, draw](Trial& t) { return DrawRotation(t, operation, draw); }});
    };
    add("plain", CaseKind::kPlain, plain);
    add("memory", CaseKind::kMemory, memory);
    add("special", CaseKind::kSpecial, special);
    add("wide", CaseKind::kSpecial, wide);
    add("unusual_frequencies", CaseKind::kSpecial, unusual);
    add("large", CaseKind::kLarge, plain);
  }
  const auto sincos = [](bool strided) {
    return [strided](Trial& t) { return DrawSincos(t, strided); };
  };
  const auto factorized = [](std::optional<Numbers> numbers, bool strided) {
    return [=](Trial& t) {
      const Combine combine = static_cast<Combine>(t.source().Below(2));
      return DrawFactorized(t, combine, numbers ? *numbers : DrawTame(t.source()), strided);
    };
  };
  const auto window = [](const std::string& operation, bool strided, bool specials) {
    return [=](Trial& t) { return DrawWindow(t, operation, strided, specials); };
  };
  const std::vector<CaseSource> more = {
      {"multi_axis.sections.plain", "multi_axis.sections", CaseKind::kPlain,
       [](Trial& t) { return DrawSections(t); }},
      {"multi_axis.sincos_2d.plain", "multi_axis.sincos_2d", CaseKind::kPlain, sincos(false)},
      {"multi_axis.sincos_2d.memory", "multi_axis.sincos_2d", CaseKind::kMemory, sincos(true)},
      {"multi_axis.sincos_2d.large", "multi_axis.sincos_2d", CaseKind::kLarge, sincos(false)},
      {"multi_axis.factorized.plain", "multi_axis.factorized", CaseKind::kPlain,
       factorized(std::nullopt, false)},
      {"multi_axis.factorized.memory", "multi_axis.factorized", CaseKind::kMemory,
       factorized(std::nullopt, true)},
      {"multi_axis.factorized.special", "multi_axis.factorized", CaseKind::kSpecial,
       factorized(Numbers::kSpecial, false)},
      {"multi_axis.factorized.wide", "multi_axis.factorized", CaseKind::kSpecial,
       factorized(Numbers::kWide, false)},
      {"multi_axis.window_index.plain", "multi_axis.window_index", CaseKind::kPlain,
       window("multi_axis.window_index", false, false)},
      {"multi_axis.window_bias.plain", "multi_axis.window_bias", CaseKind::kPlain,
       window("multi_axis.window_bias", false, false)},
      {"multi_axis.window_bias.memory", "multi_axis.window_bias", CaseKind::kMemory,
       window("multi_axis.window_bias", true, false)},
      {"multi_axis.window_bias.special", "multi_axis.window_bias", CaseKind::kSpecial,
       window("multi_axis.window_bias", false, true)}};
  all.insert(all.end(), more.begin(), more.end());
  for (CaseSource& source : MixedCases()) all.push_back(std::move(source));
  return all;
}

}  // namespace gnomon::properties::multi_axis
