#include "gnomon/properties/sinusoidal_cases.h"

#include <cmath>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/sinusoidal_real.h"

namespace gnomon::properties::sinusoidal {
namespace {

Parameters DrawParameters(Source& source, const Draw& draw) {
  Parameters parameters;
  int64_t width = 2 * (1 + source.Below(6));
  if (source.Chance(1, 4))
    width = draw.small ? source.Pick<int64_t>({16, 20, 36})
                       : source.Pick<int64_t>({16, 20, 32, 36, 64, 72, 96, 128});
  if (!draw.small && source.Chance(1, 60)) width = source.Pick<int64_t>({130, 256, 514, 2052});
  if (!draw.even && source.Chance(1, 3)) --width;
  parameters["width"] = static_cast<double>(width);
  if (source.Chance(2, 3))
    parameters["layout"] = kSinusoidalLayoutNames[static_cast<size_t>(source.Below(3))];
  if (source.Chance(1, 3)) parameters["divisor"] = std::string("half_minus_one");
  if (width % 2 != 0 && source.Chance(1, 2)) parameters["odd_width"] = std::string("zero");
  if (draw.unusual_frequencies || source.Chance(1, 8)) {
    ParameterReader reader(parameters, "SIN-1");
    std::vector<Number> frequencies;
    for (int64_t i = gnomon::sinusoidal::ReadTable(reader).sines(); i > 0; --i)
      frequencies.push_back(DrawFrequency(source));
    parameters["frequencies"] = frequencies;
  } else if (source.Chance(2, 3)) {
    const Number base = DrawBase(source);
    parameters["base"] = base.decimal.empty() ? Value(base.value) : Value(base.decimal);
  }
  if (source.Chance(1, 3))
    parameters["scale"] = source.Pick<double>({2, 0.5, 0.08838834764831845, -1, 11.3, 0.75});
  return parameters;
}

Tensor DrawPositions(Trial& trial, const Draw& draw, const Case& c, const std::string& role,
                     int64_t count) {
  Source& source = trial.source();
  const Limits limits = trial.limits(c.operation);
  count = limits.extent(role == "positions" ? "seq" : role, count);
  Tensor positions =
      DrawMemory(source, limits, draw.memory, DrawIntegerType(source, limits, role), {count}, 0x6b);
  for (int64_t i = 0; i < count; ++i)
    positions.SetInteger(i, trial.DrawPosition(draw.position_limit, limits));
  return positions;
}

// Parameters inside the limits that fit each other (SIN-1).
void Fit(Trial& trial, const Draw& draw, Case* c) {
  const Limits limits = trial.limits(c->operation);
  Source& source = trial.source();
  trial.RequireInside(!draw.unusual_frequencies || limits.takes("frequencies"));
  FitParameters(limits, c->operation, source, &c->parameters);
  trial.RequireInside(!draw.even || std::fmod(std::get<double>(c->parameters.at("width")), 2) == 0);
  const auto given = c->parameters.find("frequencies");
  if (given == c->parameters.end()) return;
  std::vector<Number> frequencies = std::get<std::vector<Number>>(given->second);
  c->parameters.erase(given);
  ParameterReader reader(c->parameters, "SIN-1");
  const size_t sines = static_cast<size_t>(gnomon::sinusoidal::ReadTable(reader).sines());
  while (frequencies.size() < sines) frequencies.push_back(DrawFrequency(source));
  frequencies.resize(sines);
  c->parameters["frequencies"] = frequencies;
}

Case Begin(Trial& trial, const std::string& operation, const Draw& draw) {
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  c.parameters = DrawParameters(trial.source(), draw);
  Fit(trial, draw, &c);
  return c;
}

// Slow angles at neighbouring positions: a distance that cancels (SIN-12) is far off here.
void BringNear(Trial& trial, Case* c) {
  Source& source = trial.source();
  std::vector<Number> frequencies;
  for (int64_t i = TableOf(*c).sines(); i > 0; --i)
    frequencies.push_back(std::ldexp(1.0, -static_cast<int>(6 + source.Below(8))));
  c->parameters.erase("base");
  c->parameters["frequencies"] = frequencies;
  const Tensor& m = c->inputs.at("m");
  Tensor& n = c->inputs.at("n");
  for (int64_t i = 0; i < n.count(); ++i)
    n.SetInteger(
        i, trial.limits(c->operation).position(m.Integer(i % m.count()) + source.Below(7) - 3));
}

}  // namespace

Case DrawTable(Trial& trial, const Draw& draw) {
  Case c = Begin(trial, "sinusoidal.table", draw);
  const int64_t count = DrawExtents(trial.source(), {4}, TableOf(c).width)[0];
  c.inputs.emplace("positions", DrawPositions(trial, draw, c, "positions", count));
  return c;
}

Case DrawAdd(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c = Begin(trial, "sinusoidal.add", draw);
  if (source.Chance(1, 6)) {
    c.parameters["token_scale"] = std::string("sqrt_width");
  } else if (source.Chance(1, 3)) {
    c.parameters["token_scale"] = source.Pick<double>({2, 0.5, 0.3, -1.7, 0});
  }
  const Limits limits = trial.limits(c.operation);
  Fit(trial, draw, &c);
  const int64_t width = TableOf(c).width, most = width > 24 ? 2 : 3;
  const Shape drawn = DrawExtents(source, {most, most}, width);
  const Shape shape = {limits.extent("batch", drawn[0]), limits.extent("seq", drawn[1]), width};
  c.inputs.emplace("positions", DrawPositions(trial, draw, c, "positions", shape[1]));
  const Numbers numbers = draw.numbers ? *draw.numbers : DrawTame(source);
  Tensor values(DTypeOf(c.format), shape);
  for (int64_t i = 0; i < values.count(); ++i) values.Set(i, DrawNumber(source, c.format, numbers));
  Tensor x = DrawMemory(source, limits, draw.memory, DTypeOf(c.format), shape, 0xff);
  CopyElements(values, &x);
  c.inputs.emplace("x", std::move(x));
  if (draw.memory && limits.in_place && source.Chance(1, 3)) c.in_place = "x";
  return c;
}

Case DrawMatrix(Trial& trial, const std::string& operation, const Draw& draw) {
  Draw even = draw;
  even.even = even.small = true;
  Case c = Begin(trial, operation, even);
  const Limits limits = trial.limits(operation);
  c.parameters["offset"] = static_cast<double>(trial.DrawPosition(draw.position_limit, limits));
  if (operation == "sinusoidal.relative_head" && trial.source().Chance(3, 4))
    c.parameters["gain"] = trial.source().Pick<double>({2, 0.125, 3.3, 10});
  Fit(trial, even, &c);
  return c;
}

Case DrawPairwise(Trial& trial, const std::string& operation, const Draw& draw) {
  Draw even = draw;
  even.even = even.small = true;
  Case c = Begin(trial, operation, even);
  for (const char* role : {"m", "n"})
    c.inputs.emplace(role,
                     DrawPositions(trial, draw, c, role, DrawExtents(trial.source(), {3}, 16)[0]));
  if (draw.near && trial.limits(operation).takes("frequencies")) BringNear(trial, &c);
  return c;
}

Case DrawHalfwayAdd(Trial& trial) {
  Source& source = trial.source();
  Case c;
  c.operation = "sinusoidal.add";
  c.format = trial.DrawFormat();
  const int64_t width = 2 * (1 + source.Below(4));
  c.parameters["width"] = static_cast<double>(width);
  // sin w = w (1 - w^2/6 + ..), with w half an ulp of the numbers in [1, 2): x + sin w falls short
  // of half way by less than a working format as coarse as f32 can see.
  const int p = Traits(c.format).precision;
  c.parameters["frequencies"] =
      std::vector<Number>(static_cast<size_t>(width / 2), Number(std::ldexp(1.0, -p)));
  c.inputs.emplace("positions", Positions({1}));
  Tensor x = Guarded(DTypeOf(c.format), {1, 1, width});
  for (int64_t i = 0; i < width; ++i) {
    // An odd number of ulps: half to even would go up.
    x.Set(i, 1 + std::ldexp(1.0 + 2 * static_cast<double>(source.Below(16)), 1 - p));
  }
  c.inputs.emplace("x", std::move(x));
  return c;
}

SinusoidalTable TableOf(const Case& c) {
  ParameterReader reader(c.parameters, "SIN-1");
  return gnomon::sinusoidal::ReadTable(reader);
}

Case Like(const Case& c, const std::string& operation) {
  Case other;
  other.operation = operation;
  other.format = c.format;
  for (const auto& [name, value] : c.parameters)
    if (name != "offset" && name != "gain" && name != "token_scale") other.parameters[name] = value;
  return other;
}

Case TableLike(const Case& c, Tensor positions) {
  return With(Like(c, "sinusoidal.table"), "positions", std::move(positions));
}

Tensor Positions(const std::vector<int64_t>& values) {
  return Integers({static_cast<int64_t>(values.size())},
                  [&](int64_t i) { return values[static_cast<size_t>(i)]; });
}

std::vector<CaseSource> Cases() {
  Draw plain, unusual, memory, wide, special;
  plain.small = unusual.small = memory.small = wide.small = special.small = true;
  unusual.unusual_frequencies = true;
  memory.memory = true;
  wide.numbers = Numbers::kWide;
  special.numbers = Numbers::kSpecial;
  const auto table = [](const Draw& draw) {
    return [draw](Trial& t) { return DrawTable(t, draw); };
  };
  const auto add = [](const Draw& draw) { return [draw](Trial& t) { return DrawAdd(t, draw); }; };
  std::vector<CaseSource> all = {
      {"sinusoidal.table.plain", "sinusoidal.table", CaseKind::kPlain, table(plain)},
      {"sinusoidal.table.memory", "sinusoidal.table", CaseKind::kMemory, table(memory)},
      {"sinusoidal.table.unusual_frequencies", "sinusoidal.table", CaseKind::kSpecial,
       table(unusual)},
      {"sinusoidal.table.large", "sinusoidal.table", CaseKind::kLarge, table(plain)},
      {"sinusoidal.add.plain", "sinusoidal.add", CaseKind::kPlain, add(plain)},
      {"sinusoidal.add.memory", "sinusoidal.add", CaseKind::kMemory, add(memory)},
      {"sinusoidal.add.special", "sinusoidal.add", CaseKind::kSpecial, add(special)},
      {"sinusoidal.add.wide", "sinusoidal.add", CaseKind::kSpecial, add(wide)},
      {"sinusoidal.add.unusual_frequencies", "sinusoidal.add", CaseKind::kSpecial, add(unusual)},
      {"sinusoidal.add.large", "sinusoidal.add", CaseKind::kLarge, add(plain)},
  };
  for (const std::string operation : {"sinusoidal.shift_matrix", "sinusoidal.relative_head"}) {
    const auto matrix = [operation](const Draw& draw) {
      return [operation, draw](Trial& t) { return DrawMatrix(t, operation, draw); };
    };
    all.push_back({operation + ".plain", operation, CaseKind::kPlain, matrix(plain)});
    all.push_back(
        {operation + ".unusual_frequencies", operation, CaseKind::kSpecial, matrix(unusual)});
    all.push_back({operation + ".large", operation, CaseKind::kLarge, matrix(plain)});
  }
  for (const std::string operation : {"sinusoidal.similarity", "sinusoidal.distance"}) {
    const auto pairwise = [operation](const Draw& draw) {
      return [operation, draw](Trial& t) { return DrawPairwise(t, operation, draw); };
    };
    all.push_back({operation + ".plain", operation, CaseKind::kPlain, pairwise(plain)});
    all.push_back({operation + ".memory", operation, CaseKind::kMemory, pairwise(memory)});
    all.push_back({operation + ".large", operation, CaseKind::kLarge, pairwise(plain)});
  }
  for (CaseSource& source : RealCases()) all.push_back(std::move(source));
  return all;
}

}  // namespace gnomon::properties::sinusoidal
