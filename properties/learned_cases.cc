#include "gnomon/properties/learned_cases.h"

#include "gnomon/properties/cases.h"
#include "gnomon/properties/learned_resize.h"

namespace gnomon::properties::learned {
namespace {

Tensor DrawNumbers(Trial& trial, const Draw& draw, const Case& c, const Shape& shape) {
  Source& source = trial.source();
  const Numbers numbers = draw.numbers ? *draw.numbers : DrawTame(source);
  Tensor values(DTypeOf(c.format), shape);
  for (int64_t i = 0; i < values.count(); ++i) values.Set(i, DrawNumber(source, c.format, numbers));
  Tensor tensor =
      DrawMemory(source, trial.limits(c.operation), draw.memory, DTypeOf(c.format), shape, 0xff);
  CopyElements(values, &tensor);
  return tensor;
}

}  // namespace

Case DrawLearned(Trial& trial, const std::string& operation, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(operation);
  const bool has_mask = limits.takes("mask"), has_positions = limits.takes("positions");
  trial.RequireInside(draw.mask        ? has_mask
                      : draw.positions ? has_positions
                                       : has_mask || has_positions);
  bool masked = draw.mask || (!draw.positions && source.Chance(1, 3));
  if (!has_mask) masked = false;
  if (!has_positions) masked = true;
  int64_t offset = source.Pick<int64_t>({0, 2, 1, 5});
  if (masked && offset == 0 && source.Chance(1, 2)) offset = 1;
  if (offset != 0) c.parameters["offset"] = static_cast<double>(offset);
  // Row offset - 1 has to be there for padding.
  if (masked && (offset == 0 || source.Chance(1, 4)))
    c.parameters["padding_position"] = source.Pick<double>({0, 1});
  FitParameters(limits, operation, source, &c.parameters);
  const gnomon::learned::LookupParameters p = [&] {
    Case with_mask = c;
    if (masked) with_mask.inputs.emplace("mask", Tensor(DType::kI64, {1}));
    return gnomon::learned::ReadLookup(with_mask);
  }();
  const Shape drawn = DrawExtents(source, {3, 5}, 16);
  const int64_t batch = limits.extent("batch", drawn[0]), seq = limits.extent("token", drawn[1]);
  // Exactly as long as it must be, or longer; the first and the last row are asked for either way.
  const bool tall = source.Chance(1, 12);
  const int64_t T = seq + source.Below(4) + (tall ? 130 : 0);
  int64_t rows = limits.extent("row", std::max<int64_t>(T, 2) + p.offset);
  trial.RequireInside(rows >= std::max<int64_t>(seq, 2) + p.offset && p.offset >= 0);
  trial.RequireInside(!masked || p.padding_position + p.offset >= 0);
  trial.RequireInside(!masked || p.padding_position + p.offset < rows);
  const bool add = operation == "learned.add";
  Shape tokens = {batch, seq};
  if (source.Chance(1, 3)) tokens.erase(tokens.begin());
  const std::string role = masked ? "mask" : "positions";
  FitRank(limits, role, &tokens);
  Tensor integers =
      DrawMemory(source, limits, draw.memory, DrawIntegerType(source, limits, role), tokens, 0);
  for (int64_t i = 0; i < integers.count(); ++i) {
    if (masked) {
      integers.SetInteger(i, source.Chance(1, 3) ? 0 : 1);
    } else {
      int64_t position = source.Below(rows);  // a row
      if (source.Chance(1, 4)) position = source.Chance(1, 2) ? rows - 1 : 0;
      integers.SetInteger(i, limits.position(position - p.offset));
    }
  }
  c.inputs.emplace(role, std::move(integers));
  int64_t width = 1 + source.Below(6);
  if (!tall && source.Chance(1, 4)) width = source.Pick<int64_t>({8, 16, 20, 36});
  width = limits.extent("width", width);
  c.inputs.emplace("table", DrawNumbers(trial, draw, c, {rows, width}));
  if (add) {
    c.inputs.emplace("x", DrawNumbers(trial, draw, c, {batch, seq, width}));
    if (draw.memory && limits.in_place && source.Chance(1, 3)) c.in_place = "x";
  }
  return c;
}

std::vector<CaseSource> Cases() {
  Draw plain, mask, memory, wide, special;
  mask.mask = true;
  memory.memory = true;
  wide.numbers = Numbers::kWide;
  special.numbers = Numbers::kSpecial;
  std::vector<CaseSource> all;
  for (const std::string operation : {"learned.lookup", "learned.add"}) {
    const auto draws = [operation](const Draw& draw) {
      return [operation, draw](Trial& t) { return DrawLearned(t, operation, draw); };
    };
    all.push_back({operation + ".plain", operation, CaseKind::kPlain, draws(plain)});
    all.push_back({operation + ".mask", operation, CaseKind::kPlain, draws(mask)});
    all.push_back({operation + ".memory", operation, CaseKind::kMemory, draws(memory)});
    all.push_back({operation + ".special", operation, CaseKind::kSpecial, draws(special)});
    all.push_back({operation + ".wide", operation, CaseKind::kSpecial, draws(wide)});
  }
  for (CaseSource& source : GridCases()) all.push_back(std::move(source));
  return all;
}

}  // namespace gnomon::properties::learned
