#include "gnomon/properties/rope_cases.h"

#include <algorithm>
#include <cmath>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/rope_scaling_cases.h"
#include "gnomon/properties/rope_xpos.h"

namespace gnomon::properties::rope {
namespace {

// Of the generator alone: near enough to the truth to make pairs cancel.
double RoughAngle(const RopeFrequencies& f, int64_t position, int64_t pair) {
  const double w = f.frequencies.empty()
                       ? std::pow(f.rope_theta.value, -2.0 * static_cast<double>(pair) /
                                                          static_cast<double>(f.rotary_dim))
                       : f.frequencies[static_cast<size_t>(pair)].value;
  return static_cast<double>(position) * w;
}

// x_b such that one member of the rotated pair nearly vanishes.
void MakePairsCancel(const Case& c, Tensor* x) {
  const RopeApply a = gnomon::rope::ReadApply(c);
  const Tensor positions = PositionsByToken(c);
  int64_t number = 0;
  ForEachPair(c, a.input_layout, [&](int64_t row, int64_t ea, int64_t eb) {
    const double angle =
        RoughAngle(a.frequencies, positions.Integer(row), number++ % a.frequencies.pairs());
    const double ratio = number % 2 ? std::cos(angle) / std::sin(angle) : -std::tan(angle);
    const double sign = a.direction == RopeDirection::kForward ? 1 : -1;
    const double xb = sign * x->Value(ea) * ratio;
    if (std::abs(xb) > 0x1p-12 && std::abs(xb) < 0x1p12) x->Set(eb, xb);
  });
}

RopeFrequencies Read(const Parameters& parameters) {
  ParameterReader reader(parameters, "ROPE-1");
  return gnomon::rope::ReadFrequencies(reader);
}

bool TakesType(const Limits& limits, RopeType type) {
  const auto allowed = limits.parameters.find("rope_type");
  if (allowed == limits.parameters.end()) return limits.takes("rope_type");
  const Value name = kRopeTypeNames[static_cast<size_t>(type)];
  return std::count(allowed->second.begin(), allowed->second.end(), name) > 0;
}

// Scaled ones; the length of the call is often that of its positions.
Parameters DrawParameters(Source& source, const Draw& draw) {
  if (!draw.scaled) return DrawFrequencies(source, draw.unusual_frequencies);
  Parameters parameters = rope_scaling::DrawScaled(source, *draw.scaled);
  if (source.Chance(1, 2)) parameters.erase("seq_len");
  return parameters;
}

}  // namespace

void Fit(const Limits& limits, const std::string& operation, Source& source,
         Parameters* parameters) {
  FitParameters(limits, operation, source, parameters);
  const auto number = [&](const char* name, double otherwise) {
    const auto found = parameters->find(name);
    return found == parameters->end() ? otherwise : std::get<double>(found->second);
  };
  const double drawn = number("head_dim", 0), even = std::floor(drawn / 2) * 2;
  if (drawn != even && limits.takes("rotary_dim")) {
    parameters->insert({"rotary_dim", even});
  } else if (drawn != even && limits.parameters.count("head_dim") == 0) {
    parameters->insert_or_assign("head_dim", even);
  }
  const double head_dim = number("head_dim", 0);
  if (number("rotary_dim", head_dim) > head_dim) parameters->insert_or_assign("rotary_dim", even);
  if (number("rotary_offset", 0) + number("rotary_dim", head_dim) > head_dim)
    parameters->erase("rotary_offset");
  const size_t pairs = static_cast<size_t>(number("rotary_dim", head_dim)) / 2;
  for (const char* name : {"frequencies", "short_factor", "long_factor"}) {  // a number a pair
    const auto given = parameters->find(name);
    if (given == parameters->end()) continue;
    std::vector<Number>& list = std::get<std::vector<Number>>(given->second);
    while (list.size() < pairs)
      list.push_back(name[0] == 'f' ? DrawFrequency(source) : list.back());
    list.resize(pairs);
  }
}

Shape DrawTokens(Source& source, int64_t head_dim) {
  const bool small = head_dim <= 24;
  Shape shape = small             ? DrawExtents(source, {3, 4, 3}, head_dim)
                : head_dim <= 128 ? DrawExtents(source, {2, 2, 2}, head_dim)
                                  : DrawExtents(source, {1, 1, 2}, head_dim);
  shape.push_back(head_dim);
  return shape;
}

Parameters DrawFrequencies(Source& source, bool unusual) {
  Parameters parameters;
  int64_t rotary_dim = 2 * (1 + source.Below(6));
  if (source.Chance(1, 4))
    rotary_dim = source.Pick<int64_t>({16, 20, 32, 34, 36, 64, 70, 72, 80, 96, 128});
  if (source.Chance(1, 40)) rotary_dim = source.Pick<int64_t>({134, 192, 256, 512, 640});
  int64_t head_dim = rotary_dim;
  if (source.Chance(1, 3)) head_dim += source.Pick<int64_t>({2, 1, 3, 4, 8, 16, 27});
  parameters["head_dim"] = static_cast<double>(head_dim);
  if (head_dim != rotary_dim || source.Chance(1, 4))
    parameters["rotary_dim"] = static_cast<double>(rotary_dim);
  if (unusual || source.Chance(1, 8)) {
    std::vector<Number> frequencies;
    for (int64_t i = 0; i < rotary_dim / 2; ++i) frequencies.push_back(DrawFrequency(source));
    parameters["frequencies"] = frequencies;
  } else if (source.Chance(2, 3)) {
    const Number base = DrawBase(source);
    parameters["rope_theta"] = base.decimal.empty() ? Value(base.value) : Value(base.decimal);
  }
  return parameters;
}

Case DrawTable(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = "rope.table";
  c.format = trial.DrawFormat();
  c.parameters = DrawParameters(source, draw);
  const Limits limits = trial.limits(c.operation);
  trial.RequireInside(!draw.unusual_frequencies || limits.takes("frequencies"));
  trial.RequireInside(!draw.scaled || TakesType(limits, *draw.scaled));
  Fit(limits, c.operation, source, &c.parameters);
  // Limits may leave a scaling that is none: a ramp that ends before it begins.
  trial.RequireInside(!draw.scaled || rope_scaling::IsValid(c.parameters));
  const int64_t pairs = Read(c.parameters).pairs();
  Shape shape = {limits.extent("seq", DrawExtents(source, {4}, pairs)[0])};
  if (source.Chance(1, 4)) shape.insert(shape.begin(), limits.extent("batch", 1 + source.Below(3)));
  FitRank(limits, "positions", &shape);
  Tensor positions = DrawMemory(source, limits, draw.memory,
                                DrawIntegerType(source, limits, "positions"), shape, 0x6b);
  for (int64_t i = 0; i < positions.count(); ++i)
    positions.SetInteger(i, trial.DrawPosition(draw.position_limit, limits));
  c.inputs.emplace("positions", std::move(positions));
  return c;
}

Case DrawApply(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = "rope.apply";
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(c.operation);
  trial.RequireInside(!draw.unusual_frequencies || limits.takes("frequencies"));
  trial.RequireInside(!draw.scaled || TakesType(limits, *draw.scaled));
  c.parameters = DrawParameters(source, draw);
  c.parameters["layout"] = kRopeLayoutNames[static_cast<size_t>(source.Below(2))];
  if (draw.output_layout && source.Chance(1, 4))
    c.parameters["output_layout"] = kRopeLayoutNames[static_cast<size_t>(source.Below(2))];
  const RopeFrequencies drawn = Read(c.parameters);
  if (drawn.head_dim > drawn.rotary_dim && source.Chance(1, 2))
    c.parameters["rotary_offset"] =
        static_cast<double>(1 + source.Below(drawn.head_dim - drawn.rotary_dim));
  if (draw.direction && source.Chance(1, 4)) c.parameters["direction"] = std::string("transpose");
  Fit(limits, c.operation, source, &c.parameters);
  // Limits may leave a scaling that is none: a ramp that ends before it begins.
  trial.RequireInside(!draw.scaled || rope_scaling::IsValid(c.parameters));
  const RopeFrequencies f = Read(c.parameters);

  Shape shape = DrawTokens(source, f.head_dim);
  shape = {limits.extent("batch", shape[0]), limits.extent("seq", shape[1]),
           limits.extent("heads", shape[2]), f.head_dim};
  const bool per_batch = source.Chance(1, 2);
  const auto memory = [&](DType dtype, const Shape& of, uint8_t fill) {
    return DrawMemory(source, limits, draw.memory, dtype, of, fill);
  };
  // The numbers first, then where they lie: strides then shrink without moving the numbers.
  const Numbers numbers = draw.numbers ? *draw.numbers : DrawTame(source);
  const bool cancel = !draw.numbers && !draw.given_tables && source.Chance(1, 5);
  Tensor values(DTypeOf(c.format), shape);
  for (int64_t i = 0; i < values.count(); ++i) values.Set(i, DrawNumber(source, c.format, numbers));

  if (draw.given_tables) {
    const Format stored = source.Chance(1, 12)
                              ? Format::kF64
                              : source.Pick({Format::kF32, c.format, Format::kBf16, Format::kF16});
    Shape table = {shape[1], f.pairs()};
    if (per_batch) table.insert(table.begin(), source.Chance(1, 4) ? 1 : shape[0]);
    FitRank(limits, "cos", &table);
    const bool special = draw.numbers == Numbers::kSpecial && source.Chance(1, 2);
    for (const char* role : {"cos", "sin"}) {
      Tensor entries = memory(DTypeOf(stored), table, 0xff);
      for (int64_t i = 0; i < entries.count(); ++i)
        entries.Set(i, DrawNumber(source, stored, special ? Numbers::kSpecial : Numbers::kUnit));
      c.inputs.emplace(role, std::move(entries));
    }
  } else {
    Shape rows = {shape[1]};
    if (per_batch) rows.insert(rows.begin(), source.Chance(1, 8) ? 1 : shape[0]);
    FitRank(limits, "positions", &rows);
    Tensor positions = memory(DrawIntegerType(source, limits, "positions"), rows, 0x6b);
    for (int64_t i = 0; i < positions.count(); ++i)
      positions.SetInteger(i, trial.DrawPosition(draw.position_limit, limits));
    c.inputs.emplace("positions", std::move(positions));
  }
  Tensor x = memory(DTypeOf(c.format), shape, 0xff);
  CopyElements(values, &x);
  c.inputs.emplace("x", x);
  if (cancel) {
    MakePairsCancel(c, &x);
    c.inputs.insert_or_assign("x", std::move(x));
  }
  if (draw.memory && limits.in_place && source.Chance(1, 3)) c.in_place = "x";
  return c;
}

Case DrawHalfway(Trial& trial) {
  Source& source = trial.source();
  Draw draw;
  draw.given_tables = true;
  draw.numbers = Numbers::kUnit;
  draw.direction = false;
  Case c = DrawApply(trial, draw);
  const RopeApply a = gnomon::rope::ReadApply(c);
  const Shape shape = c.inputs.at("cos").shape();
  // x_a = 1 + k ulp, c = 1 + half an ulp of y: their product is half way for k = 0, and is made so
  // for others by choosing x_a a power of two. x_b s = +-2^-30 of it.
  const int p = Traits(c.format).precision;
  const Format table = c.format == Format::kF64 || p == 24 ? Format::kF64 : Format::kF32;
  Tensor cos(DTypeOf(table), shape), sin(DTypeOf(table), shape);
  for (int64_t i = 0; i < cos.count(); ++i) {
    const double odd = 1 + std::ldexp(1.0 + 2 * static_cast<double>(source.Below(8)), -p);
    cos.Set(i, odd);
    sin.Set(i, std::ldexp(source.Chance(1, 2) ? -1.0 : 1.0, -30));
  }
  Tensor x = c.inputs.at("x");
  ForEachPair(c, a.input_layout, [&](int64_t, int64_t ea, int64_t eb) {
    const double power = std::ldexp(1.0, static_cast<int>(source.Below(5)));
    x.Set(ea, power);
    x.Set(eb, power * (source.Chance(1, 2) ? -1 : 1));
  });
  return With(With(With(std::move(c), "cos", std::move(cos)), "sin", std::move(sin)), "x",
              std::move(x));
}

void ForEachPair(const Case& c, RopeLayout layout,
                 const std::function<void(int64_t, int64_t, int64_t)>& f) {
  const RopeApply a = gnomon::rope::ReadApply(c);
  const Shape& shape = c.inputs.at("x").shape();
  for (int64_t head = 0; head < shape[0] * shape[1] * shape[2]; ++head)
    for (int64_t i = 0; i < a.frequencies.pairs(); ++i)
      f(head / shape[2], head * shape[3] + a.Dim(layout, i, 0),
        head * shape[3] + a.Dim(layout, i, 1));
}

void ForEachCopied(const Case& c, const std::function<void(int64_t)>& f) {
  const RopeApply a = gnomon::rope::ReadApply(c);
  const Tensor& x = c.inputs.at("x");
  for (int64_t i = 0; i < x.count(); ++i)
    if (!a.InWindow(i % x.shape()[3])) f(i);
}

Tensor PositionsByToken(const Case& c) {
  const Tensor& positions = c.inputs.at("positions");
  const Shape& x = c.inputs.at("x").shape();
  return Integers({x[0], x[1]},
                  [&](int64_t token) { return positions.Integer(token % positions.count()); });
}

Case WithPositions(const Case& c, const std::function<int64_t(int64_t)>& position) {
  return With(c, "positions", Integers(c.inputs.at("positions").shape(), position));
}

Case WithDirection(const Case& c, RopeDirection direction) {
  return WithParameter(c, "direction", kRopeDirectionNames[static_cast<size_t>(direction)]);
}

Case DrawFrequenciesCase(Trial& trial, bool unusual) {
  Case c;
  c.operation = "rope.frequencies";
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(c.operation);
  trial.RequireInside(!unusual || limits.takes("frequencies"));
  c.parameters = DrawFrequencies(trial.source(), unusual);
  Fit(limits, c.operation, trial.source(), &c.parameters);
  return c;
}

std::vector<CaseSource> Cases() {
  const auto frequencies = [](bool unusual) {
    return [unusual](Trial& t) { return DrawFrequenciesCase(t, unusual); };
  };
  const auto table = [](const Draw& draw) {
    return [draw](Trial& t) { return DrawTable(t, draw); };
  };
  const auto apply = [](const Draw& draw) {
    return [draw](Trial& t) { return DrawApply(t, draw); };
  };
  const auto given_tables = [](bool memory) {
    return [memory](Trial& t) {
      const Limits limits = t.limits("rope.apply");
      t.RequireInside(limits.takes("cos") && limits.takes("sin"));
      Draw draw;
      draw.given_tables = true;
      draw.memory = memory;
      return DrawApply(t, draw);
    };
  };
  Draw plain, unusual, memory, wide, special;
  unusual.unusual_frequencies = true;
  memory.memory = true;
  wide.numbers = Numbers::kWide;
  special.numbers = Numbers::kSpecial;
  std::vector<CaseSource> all = {
      {"rope.frequencies.plain", "rope.frequencies", CaseKind::kPlain, frequencies(false)},
      {"rope.frequencies.unusual", "rope.frequencies", CaseKind::kSpecial, frequencies(true)},
      {"rope.table.plain", "rope.table", CaseKind::kPlain, table(plain)},
      {"rope.table.memory", "rope.table", CaseKind::kMemory, table(memory)},
      {"rope.table.unusual_frequencies", "rope.table", CaseKind::kSpecial, table(unusual)},
      {"rope.table.large", "rope.table", CaseKind::kLarge, table(plain)},
      {"rope.apply.plain", "rope.apply", CaseKind::kPlain, apply(plain)},
      {"rope.apply.given_tables", "rope.apply", CaseKind::kPlain, given_tables(false)},
      {"rope.apply.memory", "rope.apply", CaseKind::kMemory, apply(memory)},
      {"rope.apply.given_tables_memory", "rope.apply", CaseKind::kMemory, given_tables(true)},
      {"rope.apply.special", "rope.apply", CaseKind::kSpecial, apply(special)},
      {"rope.apply.wide", "rope.apply", CaseKind::kSpecial, apply(wide)},
      {"rope.apply.unusual_frequencies", "rope.apply", CaseKind::kSpecial, apply(unusual)},
      {"rope.apply.large", "rope.apply", CaseKind::kLarge, apply(plain)},
  };
  for (CaseSource& source : XposCases()) all.push_back(std::move(source));
  return all;
}

}  // namespace gnomon::properties::rope
