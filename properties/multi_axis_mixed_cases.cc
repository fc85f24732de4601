// Cases of multi_axis.mixed.
#include <algorithm>
#include <cmath>

#include "gnomon/properties/multi_axis_mixed.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties::multi_axis {
namespace {

namespace axes = gnomon::multi_axis;

// A number that the type of the tensor holds, whose products with positions stay in the working
// format's range.
double DrawLearned(Source& source, Format held, bool unusual) {
  if (!unusual)  // RoPE-ViT: magnitudes of a geometric list, in any direction
    return RoundToFormat(held, DrawNumber(source, Format::kF32, Numbers::kUnit) *
                                   source.Pick<double>({1, 0x1p-2, 0x1p-5, 0x1p-9, 0}));
  const double v = RoundToFormat(held, DrawFrequency(source).value);
  return std::isfinite(v) ? v : 1;
}

}  // namespace

Case DrawMixed(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = "multi_axis.mixed";
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(c.operation);
  int64_t pairs = 1 + source.Below(6);
  if (source.Chance(1, 5)) pairs = source.Pick<int64_t>({8, 9, 16, 19});
  int64_t head_dim = 2 * pairs;
  if (source.Chance(1, 3)) {
    c.parameters["rotary_dim"] = static_cast<double>(head_dim);
    const int64_t rest = source.Pick<int64_t>({2, 1, 3, 8});
    if (source.Chance(1, 2))
      c.parameters["rotary_offset"] = static_cast<double>(1 + source.Below(rest));
    head_dim += rest;
  }
  c.parameters["head_dim"] = static_cast<double>(head_dim);
  c.parameters["layout"] = kAxialLayoutNames[static_cast<size_t>(source.Below(2))];
  if (draw.direction && source.Chance(1, 4)) c.parameters["direction"] = std::string("transpose");
  FitParameters(limits, c.operation, source, &c.parameters);
  const int64_t count = limits.extent("axis", source.Pick<int64_t>({2, 3, 1}));
  AxialRotation a;
  try {
    ParameterReader reader(c.parameters, "AXES-20");
    a = axes::ReadMixed(reader, count);
  } catch (const Rejected&) {  // what limits leave need not fit together
    trial.RequireInside(false);
  }
  const bool small = a.head_dim <= 24;
  const Shape drawn = small ? DrawExtents(source, {3, 4, 3}, a.head_dim)
                            : DrawExtents(source, {2, 2, 2}, a.head_dim);
  const Shape shape = {limits.extent("batch", drawn[0]), limits.extent("seq", drawn[1]),
                       limits.extent("heads", drawn[2]), a.head_dim};
  Shape grid = {count, shape[1]};
  if (source.Chance(1, 2)) grid.insert(grid.begin(), source.Chance(1, 8) ? 1 : shape[0]);
  FitRank(limits, "positions", &grid);
  Tensor positions = DrawMemory(source, limits, draw.memory,
                                DrawIntegerType(source, limits, "positions"), grid, 0x6b);
  for (int64_t i = 0; i < positions.count(); ++i)
    positions.SetInteger(i, trial.DrawPosition(draw.position_limit, limits));
  c.inputs.emplace("positions", std::move(positions));

  const DType own = DTypeOf(c.format);
  const auto taken = limits.dtypes.find("frequencies");
  const bool narrow =
      taken == limits.dtypes.end()
          ? source.Chance(1, 3)
          : std::count(taken->second.begin(), taken->second.end(), DType::kF32) == 0;
  const DType dtype = narrow ? own : DType::kF32;
  Tensor w = DrawMemory(source, limits, draw.memory, dtype,
                        {count, source.Chance(1, 4) ? 1 : shape[2], a.pairs()}, 0xff);
  for (int64_t i = 0; i < w.count(); ++i)
    w.Set(i, DrawLearned(source, FormatOf(dtype), draw.unusual_frequencies));
  c.inputs.emplace("frequencies", std::move(w));

  const Numbers numbers = draw.numbers ? *draw.numbers : DrawTame(source);
  Tensor x = DrawMemory(source, limits, draw.memory, own, shape, 0xff);
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, DrawNumber(source, c.format, numbers));
  c.inputs.emplace("x", std::move(x));
  if (draw.memory && limits.in_place && source.Chance(1, 3)) c.in_place = "x";
  trial.RequireInside(Outside(limits, c).empty());
  return c;
}

double MixedFrequency(const Case& c, int64_t axis, int64_t head, int64_t pair) {
  const Tensor& w = c.inputs.at("frequencies");
  const int64_t lists = w.shape()[1], pairs = w.shape()[2];
  return w.Value((axis * lists + (lists == 1 ? 0 : head)) * pairs + pair);
}

std::vector<CaseSource> MixedCases() {
  const auto source = [](const std::string& name, CaseKind kind, const Draw& draw) {
    return CaseSource{"multi_axis.mixed." + name, "multi_axis.mixed", kind,
                      [draw](Trial& t) { return DrawMixed(t, draw); }};
  };
  Draw plain, unusual, memory, special, wide;
  unusual.unusual_frequencies = true;
  memory.memory = true;
  special.numbers = Numbers::kSpecial;
  wide.numbers = Numbers::kWide;
  return {source("plain", CaseKind::kPlain, plain),
          source("memory", CaseKind::kMemory, memory),
          source("special", CaseKind::kSpecial, special),
          source("wide", CaseKind::kSpecial, wide),
          source("unusual_frequencies", CaseKind::kSpecial, unusual),
          source("large", CaseKind::kLarge, plain)};
}

}  // namespace gnomon::properties::multi_axis
