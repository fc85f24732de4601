#include "gnomon/properties/t5_bias_cases.h"

#include <cmath>

#include "gnomon/properties/cases.h"

namespace gnomon::properties::t5_bias {
namespace {

struct Configuration {
  bool bidirectional;
  double num_buckets, max_distance;
  std::vector<int64_t> exact;  // distances at which the real formula lands on an integer
};
// Of a power of a rational: D / E = r^n with a common factor of n and L.
const std::vector<Configuration> kExact = {
    {true, 32, 128, {16, 32, 64}},
    {false, 32, 256, {32, 64, 128}},
    {true, 64, 256, {32, 64, 128}},
    {false, 48, 81, {36, 54}},
    {false, 10, 160, {10, 20, 40, 80}},
    {true, 20, 160, {10, 20, 40, 80}},
    {true, 8, 54, {6, 18}},
    {false, 12, 384, {12, 24, 48, 96, 192}},
};

void DrawParameters(Trial& trial, const Draw& draw, Case* c) {
  Source& source = trial.source();
  T5Buckets t;
  t.bidirectional = draw.bidirectional ? *draw.bidirectional : !source.Chance(1, 2);
  t.num_buckets = source.Pick<int64_t>({32, 8, 9, 20, 48, 64, 5});
  t.max_distance = source.Pick<int64_t>({128, 20, 81, 256, 512, 1000, 100000});
  if (source.Chance(1, 4)) t.num_buckets = 4 + source.Below(60);
  if (source.Chance(1, 16)) t.num_buckets = source.Pick<int64_t>({258, 300, 1024});
  if (t.max_distance <= t.max_exact()) t.max_distance = t.max_exact() + 1 + source.Below(100);
  c->parameters["bidirectional"] = t.bidirectional;
  c->parameters["num_buckets"] = static_cast<double>(t.num_buckets);
  c->parameters["max_distance"] = static_cast<double>(t.max_distance);
}

// Most keys where something happens: near the query, and where buckets begin.
void BringNear(Trial& trial, int64_t max_distance, Case* c) {
  Source& source = trial.source();
  const Limits limits = trial.limits(c->operation);
  Tensor& keys = c->inputs.at("key_positions");
  for (int64_t i = 0; i < keys.count(); ++i) {
    if (source.Chance(1, 4)) continue;
    const int64_t row = i / Keys(*c);
    const int64_t reach = source.Chance(1, 2) ? max_distance + 2 : 40;
    const int64_t rel = source.Below(std::min<int64_t>(2 * reach + 1, 1 << 30)) - reach;
    keys.SetInteger(
        i, limits.position(std::clamp(QueryAt(*c, row, 0) + rel, kMinPosition, kMaxPosition)));
  }
}

Case Begin(Trial& trial, const std::string& operation, const Draw& draw) {
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  Source& source = trial.source();
  const Limits limits = trial.limits(operation);
  if (draw.boundaries) {
    const Configuration& of =
        kExact[static_cast<size_t>(source.Below(static_cast<int64_t>(kExact.size())))];
    c.parameters["bidirectional"] = of.bidirectional;
    c.parameters["num_buckets"] = of.num_buckets;
    c.parameters["max_distance"] = of.max_distance;
    FitParameters(limits, operation, source, &c.parameters);
    std::vector<int64_t> rel;
    for (const int64_t x : of.exact)
      for (const int64_t beside : {0, -1, 1}) {
        rel.push_back(-(x + beside));
        if (of.bidirectional) rel.push_back(x + beside);
      }
    c = WithOffsets(c, rel);
    for (const auto& [role, tensor] : c.inputs)
      for (int64_t i = 0; i < tensor.count(); ++i)
        trial.RequireInside(limits.position(tensor.Integer(i)) == tensor.Integer(i));
    return c;
  }
  DrawParameters(trial, draw, &c);
  FitParameters(limits, operation, source, &c.parameters);
  trial.RequireInside(!draw.bidirectional ||
                      c.parameters.at("bidirectional") == Value(*draw.bidirectional));
  const T5Buckets t = BucketsOf(c);
  trial.RequireInside(t.max_exact() >= 1 && t.max_distance > t.max_exact());
  AddPositions(trial, draw.positions, &c);
  BringNear(trial, t.max_distance, &c);
  return c;
}

// T5-9: the table for the parameters that the case has, entries of a few units.
void AddTable(Trial& trial, bool memory, Case* c) {
  Source& source = trial.source();
  const Limits limits = trial.limits(c->operation);
  const Shape shape = {BucketsOf(*c).num_buckets, gnomon::attention::ExtentsOf(*c).heads};
  Tensor table = DrawMemory(source, limits, memory, DTypeOf(c->format), shape, 0xff);
  for (int64_t i = 0; i < table.count(); ++i)
    table.Set(i, static_cast<double>(source.Below(65) - 32) / 8);
  c->inputs.insert_or_assign("table", std::move(table));
}

void AddToAttention(Trial& trial, bool memory, Case* c) {
  DrawParameters(trial, {}, c);
  FitParameters(trial.limits(c->operation), c->operation, trial.source(), &c->parameters);
  const T5Buckets t = BucketsOf(*c);
  trial.RequireInside(t.max_exact() >= 1 && t.max_distance > t.max_exact());
  AddTable(trial, memory, c);
}

}  // namespace

Case DrawBucket(Trial& trial, const Draw& draw) { return Begin(trial, "t5_bias.bucket", draw); }

Case DrawBias(Trial& trial, const Draw& draw) {
  Case c = Begin(trial, "t5_bias.bias", draw);
  Source& source = trial.source();
  const Limits limits = trial.limits(c.operation);
  const Shape shape = {BucketsOf(c).num_buckets, limits.extent("heads", 1 + source.Below(3))};
  Tensor table = DrawMemory(source, limits, draw.positions.memory, DTypeOf(c.format), shape, 0xff);
  for (int64_t i = 0; i < table.count(); ++i)
    table.Set(i, DrawNumber(source, c.format, draw.numbers));
  if (draw.numbers == Numbers::kSpecial)  // NaNs with a payload are copied too
    for (int64_t i = 0; i < table.count(); ++i)
      if (source.Chance(1, 8)) table.SetBits(i, EncodeBits(c.format, std::nan("")) | 1);
  c.inputs.emplace("table", std::move(table));
  return c;
}

Case DrawDeberta(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = "t5_bias.deberta_bucket";
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(c.operation);
  const int64_t buckets = source.Pick<int64_t>({256, 32, 8, 5, 20, 64});
  // 8 and 65: M = 4, D = 64; the real formula lands on an integer at 4^(1 + k 4/3 ..).
  int64_t most = source.Pick<int64_t>({512, 128, 65, 33, 257, 1000});
  if (draw.boundaries) most = source.Pick<int64_t>({buckets * 4 + 1, buckets * 32 + 1});
  most = std::max(most, buckets);
  c.parameters["position_buckets"] = static_cast<double>(buckets);
  c.parameters["max_relative_positions"] = static_cast<double>(most);
  c.parameters["clamp"] = !source.Chance(1, 3);
  FitParameters(limits, c.operation, source, &c.parameters);
  const DebertaBuckets d = DebertaOf(c);
  trial.RequireInside(d.last() > d.middle() &&
                      (d.clamp || d.max_relative_positions >= d.position_buckets));
  AddPositions(trial, draw.positions, &c);
  BringNear(trial, d.last(), &c);
  return c;
}

const attention::BiasedScheme& Attention() {
  static const attention::BiasedScheme scheme = {"t5_bias.attention",
                                                 "T5-9",
                                                 "T5-10",
                                                 "T5-11",
                                                 "Gnomon.Equivariance.ATT_6_t5_bias",
                                                 AddToAttention,
                                                 [](Case c) { return c; }};
  return scheme;
}

Case DrawAttentionAtBoundaries(Trial& trial) {
  Source& source = trial.source();
  Case c = attention::DrawBiased(trial, Attention(), attention::FewTokens(64));
  const Configuration& of =
      kExact[static_cast<size_t>(source.Below(static_cast<int64_t>(kExact.size())))];
  c.parameters["bidirectional"] = of.bidirectional;
  c.parameters["num_buckets"] = of.num_buckets;
  c.parameters["max_distance"] = of.max_distance;
  AddTable(trial, false, &c);
  const auto at = [&](int64_t) {
    const int64_t x =
        of.exact[static_cast<size_t>(source.Below(static_cast<int64_t>(of.exact.size())))];
    const int64_t beside = source.Pick<int64_t>({0, 0, 0, 1, -1});
    return (of.bidirectional && source.Chance(1, 2) ? 1 : -1) * (x + beside);
  };
  const Shape queries = c.inputs.at("query_positions").shape();
  const Shape keys = c.inputs.at("key_positions").shape();
  c = With(std::move(c), "query_positions", Integers(queries, [](int64_t) { return 0; }));
  c = With(std::move(c), "key_positions", Integers(keys, at));
  trial.RequireInside(Outside(trial.limits(c.operation), c).empty());
  return c;
}

Case WithOffsets(const Case& c, const std::vector<int64_t>& rel) {
  const bool deberta = c.operation == "t5_bias.deberta_bucket";
  Case with = With(c, "query_positions", Integers({1}, [](int64_t) { return 0; }));
  return With(std::move(with), "key_positions",
              Integers({static_cast<int64_t>(rel.size())}, [&](int64_t i) {
                const int64_t r = rel[static_cast<size_t>(i)];
                return deberta ? -r : r;
              }));
}

T5Buckets BucketsOf(const Case& c) {
  ParameterReader reader(c.parameters, "T5-1");
  T5Buckets t;
  t.num_buckets = reader.GetInteger("num_buckets", 32, 1, gnomon::t5_bias::kMaxBuckets);
  t.max_distance = reader.GetInteger("max_distance", 128, 1, gnomon::t5_bias::kMaxDistance);
  t.bidirectional = reader.GetFlag("bidirectional", std::nullopt, "T5-1");
  return t;
}

DebertaBuckets DebertaOf(const Case& c) {
  ParameterReader reader(c.parameters, "T5-5");
  DebertaBuckets d;
  d.position_buckets = reader.GetInteger("position_buckets", 256, 4, gnomon::t5_bias::kMaxBuckets);
  d.max_relative_positions =
      reader.GetInteger("max_relative_positions", 512, 1, gnomon::t5_bias::kMaxDistance);
  d.clamp = reader.GetFlag("clamp", true, "T5-5");
  return d;
}

std::vector<CaseSource> Cases() {
  Draw plain, memory, boundaries, special;
  memory.positions.memory = true;
  boundaries.boundaries = true;
  special.numbers = Numbers::kSpecial;
  const auto of = [](Case (*draw_case)(Trial&, const Draw&), const Draw& draw) {
    return [draw_case, draw](Trial& t) { return draw_case(t, draw); };
  };
  const std::string bucket = "t5_bias.bucket", bias = "t5_bias.bias",
                    deberta = "t5_bias.deberta_bucket", attend = "t5_bias.attention";
  attention::BiasedDraw few = attention::FewTokens(64), strided = few, of_special = few;
  strided.heads.memory = strided.positions.memory = true;
  of_special.heads.numbers = Numbers::kSpecial;
  const auto attended = [](const attention::BiasedDraw& draw) {
    return [draw](Trial& t) { return attention::DrawBiased(t, Attention(), draw); };
  };
  return {{bucket + ".plain", bucket, CaseKind::kPlain, of(DrawBucket, plain)},
          {bucket + ".boundaries", bucket, CaseKind::kSpecial, of(DrawBucket, boundaries)},
          {bucket + ".memory", bucket, CaseKind::kMemory, of(DrawBucket, memory)},
          {bucket + ".large", bucket, CaseKind::kLarge, of(DrawBucket, plain)},
          {bias + ".plain", bias, CaseKind::kPlain, of(DrawBias, plain)},
          {bias + ".memory", bias, CaseKind::kMemory, of(DrawBias, memory)},
          {bias + ".special", bias, CaseKind::kSpecial, of(DrawBias, special)},
          {bias + ".large", bias, CaseKind::kLarge, of(DrawBias, plain)},
          {deberta + ".plain", deberta, CaseKind::kPlain, of(DrawDeberta, plain)},
          {deberta + ".boundaries", deberta, CaseKind::kSpecial, of(DrawDeberta, boundaries)},
          {deberta + ".memory", deberta, CaseKind::kMemory, of(DrawDeberta, memory)},
          {deberta + ".large", deberta, CaseKind::kLarge, of(DrawDeberta, plain)},
          {attend + ".plain", attend, CaseKind::kPlain, attended(few)},
          {attend + ".boundaries", attend, CaseKind::kSpecial, DrawAttentionAtBoundaries},
          {attend + ".memory", attend, CaseKind::kMemory, attended(strided)},
          {attend + ".special", attend, CaseKind::kSpecial, attended(of_special)}};
}

}  // namespace gnomon::properties::t5_bias
