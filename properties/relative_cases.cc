#include "gnomon/properties/relative_cases.h"

#include "gnomon/properties/cases.h"
#include "gnomon/spec/relative.h"

namespace gnomon::properties::relative {
namespace {

// Sums of products stay finite in every format.
Numbers DrawMild(Source& source, Format format) {
  if (format == Format::kF16) return source.Pick({Numbers::kWhole, Numbers::kUnit});
  return DrawTame(source);
}

Tensor DrawNumbers(Trial& trial, const Draw& draw, const Case& c, const Shape& shape) {
  Source& source = trial.source();
  const Numbers numbers = draw.numbers ? *draw.numbers : DrawMild(source, c.format);
  Tensor values(DTypeOf(c.format), shape);
  for (int64_t i = 0; i < values.count(); ++i) values.Set(i, DrawNumber(source, c.format, numbers));
  Tensor tensor =
      DrawMemory(source, trial.limits(c.operation), draw.memory, DTypeOf(c.format), shape, 0xff);
  CopyElements(values, &tensor);
  return tensor;
}

// Near each other, so that distances lie on both sides of K; or anywhere.
Tensor DrawPositions(Trial& trial, const Draw& draw, const Case& c, const std::string& role,
                     int64_t count, int64_t centre) {
  Source& source = trial.source();
  const int64_t reach = std::max<int64_t>(2, gnomon::relative::ReadVectors(c).K);
  const Limits limits = trial.limits(c.operation);
  Tensor positions =
      DrawMemory(source, limits, draw.memory, DrawIntegerType(source, limits, role), {count}, 0x6b);
  const bool in_order = source.Chance(1, 2);
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = centre + (in_order ? i : source.Below(2 * reach + 3));
    if (draw.far_apart) position = source.Chance(1, 2) ? kMaxPosition - i : kMinPosition + i;
    positions.SetInteger(i, limits.position(position));
  }
  return positions;
}

Case Begin(Trial& trial, const std::string& operation, const Draw& draw, int64_t* m, int64_t* n) {
  Source& source = trial.source();
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  c.parameters["max_relative_position"] = source.Pick<double>({1, 2, 3, 0, 5});
  if (source.Chance(1, 12))
    c.parameters["max_relative_position"] = source.Pick<double>({16, 40, 130});
  if (source.Chance(1, 4)) c.parameters["difference"] = std::string("query_minus_key");
  if (operation == "relative.scores" && source.Chance(1, 2))
    c.parameters["scale"] = source.Pick<double>({1, 0.3, 2, 0.08838834764831845});
  const Limits limits = trial.limits(operation);
  FitParameters(limits, operation, source, &c.parameters);
  const Shape drawn = DrawExtents(source, {4, 5}, 16);
  *m = limits.extent("m", drawn[0]);
  *n = limits.extent("n", drawn[1]);
  const bool anywhere = source.Chance(1, 3);
  const int64_t centre = anywhere ? trial.DrawPosition(int64_t{1} << 30, limits) : 0;
  const int64_t apart = source.Below(3);  // a prompt that the keys begin before, or after
  c.inputs.emplace("m", DrawPositions(trial, draw, c, "m", *m, centre + apart));
  c.inputs.emplace("n", DrawPositions(trial, draw, c, "n", *n, centre));
  return c;
}

int64_t DrawHeadDim(Trial& trial, const std::string& operation, int64_t rows) {
  Source& source = trial.source();
  int64_t dims = 1 + source.Below(6);
  if (rows < 32 && source.Chance(1, 4)) dims = source.Pick<int64_t>({8, 16, 20, 36, 66});
  return trial.limits(operation).extent("head_dim", dims);
}

int64_t RowsOf(const Case& c) { return gnomon::relative::ReadVectors(c).rows(); }

}  // namespace

Case DrawScores(Trial& trial, const Draw& draw) {
  int64_t m, n;
  Case c = Begin(trial, "relative.scores", draw, &m, &n);
  const int64_t dims = DrawHeadDim(trial, c.operation, RowsOf(c));
  c.inputs.emplace("q", DrawNumbers(trial, draw, c, {m, dims}));
  c.inputs.emplace("k", DrawNumbers(trial, draw, c, {n, dims}));
  c.inputs.emplace("table", DrawNumbers(trial, draw, c, {RowsOf(c), dims}));
  return c;
}

Case DrawValues(Trial& trial, const Draw& draw) {
  int64_t m, n;
  Case c = Begin(trial, "relative.values", draw, &m, &n);
  const int64_t dims = DrawHeadDim(trial, c.operation, RowsOf(c));
  Draw weights = draw;
  if (draw.whole_weights) weights.numbers = Numbers::kWhole;
  c.inputs.emplace("weights", DrawNumbers(trial, weights, c, {m, n}));
  c.inputs.emplace("v", DrawNumbers(trial, draw, c, {n, dims}));
  c.inputs.emplace("table", DrawNumbers(trial, draw, c, {RowsOf(c), dims}));
  return c;
}

Case DrawVectors(Trial& trial, const Draw& draw) {
  int64_t m, n;
  Case c = Begin(trial, "relative.vectors", draw, &m, &n);
  c.inputs.emplace("table", DrawNumbers(trial, draw, c,
                                        {RowsOf(c), DrawHeadDim(trial, c.operation, RowsOf(c))}));
  return c;
}

Case DrawShift(Trial& trial, const std::string& operation, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  const bool skew = operation == "relative.skew";
  if (skew && source.Chance(1, 2)) c.parameters["form"] = std::string("full");
  const Limits limits = trial.limits(operation);
  const auto full = [&c] {
    const auto found = c.parameters.find("form");
    return found != c.parameters.end() && found->second == Value(std::string("full"));
  };
  if (!full() && source.Chance(1, 2)) c.parameters["after"] = std::string("zero");
  FitParameters(limits, operation, source, &c.parameters);
  if (full()) c.parameters.erase("after");
  Shape shape;
  if (source.Chance(1, 2)) shape.push_back(limits.extent("heads", 1 + source.Below(3)));
  if (!shape.empty() && source.Chance(1, 2))
    shape.insert(shape.begin(), limits.extent("batch", 1 + source.Below(3)));
  const int64_t queries = limits.extent("query", DrawExtents(source, {6}, 64)[0]);
  int64_t columns = queries;
  if (!skew || full()) columns += source.Chance(1, 3) ? source.Below(12) : source.Below(4);
  shape.insert(shape.end(), {queries, columns});
  FitRank(limits, "a", &shape);
  trial.RequireInside(shape.size() >= 2);
  c.inputs.emplace("a", DrawNumbers(trial, draw, c, shape));
  return c;
}

const attention::BiasedScheme& Attention() {
  static const attention::BiasedScheme scheme = {
      "relative.attention",
      "REL-12",
      "REL-13",
      "REL-14",
      "Gnomon.Equivariance.ATT_6_relative",
      [](Trial& t, bool memory, Case* c) {
        Source& source = t.source();
        const Limits limits = t.limits(c->operation);
        c->parameters["max_relative_position"] =
            static_cast<double>(source.Pick<int64_t>({2, 1, 0, 3, 5, 8, 16}));
        if (source.Chance(1, 3)) c->parameters["difference"] = std::string("query_minus_key");
        FitParameters(limits, c->operation, source, &c->parameters);
        const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(*c);
        const int64_t rows = gnomon::relative::ReadAttention(*c).rows.rows();
        for (const char* role : {"key_table", "value_table"}) {
          const Shape shape = {rows, role[0] == 'k' ? e.head_dim : e.value_dim};
          Tensor table = DrawMemory(source, limits, memory, DTypeOf(c->format), shape, 0xff);
          for (int64_t i = 0; i < table.count(); ++i)
            table.Set(i, static_cast<double>(source.Below(33) - 16) / 8);
          c->inputs.insert_or_assign(role, std::move(table));
        }
      },
      [](Case c) { return c; }};
  return scheme;
}

Case WithRows(const Case& c, const std::vector<int64_t>& rows) {
  const double K = static_cast<double>(rows.size() / 2);
  Case with = WithParameter(c, "max_relative_position", K);
  for (const char* role : {"key_table", "value_table"})
    with = With(std::move(with), role, Gather(c.inputs.at(role), 0, rows));
  return with;
}

Tensor Positions(const std::vector<int64_t>& values) {
  return Integers({static_cast<int64_t>(values.size())},
                  [&](int64_t i) { return values[static_cast<size_t>(i)]; });
}

Tensor Filled(const Tensor& like, double value) {
  Tensor tensor = Guarded(like.dtype(), like.shape());
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, value);
  return tensor;
}

Case Moved(const Case& c, int64_t by) {
  Case moved = c;
  for (const char* role : {"m", "n"}) {
    const Tensor& positions = c.inputs.at(role);
    moved.inputs.insert_or_assign(
        role, Integers(positions.shape(), [&](int64_t i) { return positions.Integer(i) + by; }));
  }
  return moved;
}

std::vector<CaseSource> Cases() {
  Draw plain, memory, wide, special, far;
  memory.memory = true;
  wide.numbers = Numbers::kWide;
  special.numbers = Numbers::kSpecial;
  far.far_apart = true;
  std::vector<CaseSource> all;
  const auto add = [&all](const std::string& name, const std::string& operation, CaseKind kind,
                          const Draw& draw) {
    all.push_back({operation + "." + name, operation, kind, [operation, draw](Trial& t) {
                     if (operation == "relative.scores") return DrawScores(t, draw);
                     if (operation == "relative.values") return DrawValues(t, draw);
                     if (operation == "relative.vectors") return DrawVectors(t, draw);
                     return DrawShift(t, operation, draw);
                   }});
  };
  for (const std::string operation : {"relative.scores", "relative.values", "relative.vectors",
                                      "relative.skew", "relative.xl_shift"}) {
    add("plain", operation, CaseKind::kPlain, plain);
    add("memory", operation, CaseKind::kMemory, memory);
    add("special", operation, CaseKind::kSpecial, special);
    if (operation == "relative.skew" || operation == "relative.xl_shift") continue;
    add("large", operation, CaseKind::kLarge, plain);
    add("wide", operation, CaseKind::kSpecial, wide);
    add("far_apart", operation, CaseKind::kSpecial, far);
  }
  attention::BiasedDraw few = attention::FewTokens(16), strided = few, of_special = few;
  strided.heads.memory = strided.positions.memory = true;
  of_special.heads.numbers = Numbers::kSpecial;
  const auto attended = [&all](const std::string& name, CaseKind kind,
                               const attention::BiasedDraw& draw) {
    all.push_back({"relative.attention." + name, "relative.attention", kind,
                   [draw](Trial& t) { return attention::DrawBiased(t, Attention(), draw); }});
  };
  attended("plain", CaseKind::kPlain, few);
  attended("memory", CaseKind::kMemory, strided);
  attended("special", CaseKind::kSpecial, of_special);
  return all;
}

}  // namespace gnomon::properties::relative
