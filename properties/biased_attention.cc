#include "gnomon/properties/biased_attention.h"

#include <cmath>

#include "gnomon/properties/judged.h"

namespace gnomon::properties::attention {
namespace {

using gnomon::attention::Extents;
using gnomon::attention::ExtentsOf;

constexpr int64_t kAddable = int64_t{1} << 20;

BiasedDraw OnMemory() {
  BiasedDraw draw = FewTokens(32);
  draw.heads.memory = draw.positions.memory = true;
  return draw;
}
std::string Element(int64_t i) { return "element " + std::to_string(i); }

// Judged by the reference.

void WithinBound(Trial& t, const BiasedScheme& scheme) {
  BiasedDraw draw = OnMemory();
  draw.heads.small = t.source().Chance(7, 8);
  draw.heads.moderate = t.source().Chance(3, 4);
  draw.positions.limit = t.source().Pick<int64_t>({16, 64, 1024, int64_t{1} << 31});
  ExpectWithinBound(t, DrawBiased(t, scheme, draw));
}
void SpecialNumbers(Trial& t, const BiasedScheme& scheme) {
  BiasedDraw draw = FewTokens(16);
  draw.heads.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, DrawBiased(t, scheme, draw));
}

// ATT-7.
void IgnoresTheFuture(Trial& t, const BiasedScheme& scheme) {
  const Case c = WithParameter(DrawBiased(t, scheme, FewTokens(32)), "mask", std::string("causal"));
  const Extents e = ExtentsOf(c);
  const int64_t last = t.source().Below(e.queries), seen = last + (e.keys - e.queries);
  t.RequireInside(seen + 1 < e.keys);
  const Outputs before = t.Run(c);
  const Outputs after =
      t.Run(WithIntruders(t, c, [&](int64_t, int64_t key) { return key > seen; }));
  ExpectSameBits(t, c, before.at("y"), after.at("y"), [&](int64_t query) { return query <= last; });
}

// ATT-6.
void Translation(Trial& t, const BiasedScheme& scheme) {
  const Case c = scheme.by_offset(DrawBiased(t, scheme, FewTokens(64)));
  const int64_t by = t.source().Pick<int64_t>({1, -1, 1000, -4096, kAddable});
  const Case moved = Shifted(c, by);
  const Limits limits = t.limits(c.operation);
  t.RequireInside(Outside(limits, c).empty() && Outside(limits, moved).empty());
  const Answer here(t, c), there(t, moved);
  for (int64_t i = 0; i < ElementCount(here.shape()); ++i) CompareSame(t, here, i, there, i);
}

// ATT-2, ATT-12: without a mask every query of every batch row is a question of its own.
void Alone(Trial& t, const BiasedScheme& scheme) {
  const Case c = WithParameter(DrawBiased(t, scheme, FewTokens(64)), "mask", std::string("none"));
  const Extents e = ExtentsOf(c);
  const Answer all(t, c);
  const int64_t row = e.heads * e.value_dim;
  for (int64_t batch = 0; batch < e.batch; ++batch)
    for (int64_t query = 0; query < e.queries; ++query) {
      const Answer alone(t, QueryAlone(c, batch, query));
      for (int64_t i = 0; i < row; ++i)
        CompareSame(t, all, (batch * e.queries + query) * row + i, alone, i);
    }
}

// ATT-3: values that are all 1 come out as 1.
void Ones(Trial& t, const BiasedScheme& scheme) {
  Case c = DrawBiased(t, scheme, FewTokens(64));
  const Tensor v = c.inputs.at("v");
  c = With(c, "v", Reals(FormatOf(v.dtype()), v.shape(), [](int64_t) { return 1; }));
  if (c.inputs.count("value_table")) {  // REL-12: to which nothing is added
    const Shape shape = c.inputs.at("value_table").shape();
    c = With(c, "value_table", Reals(c.format, shape, [](int64_t) { return 0; }));
  }
  const Answer y(t, c);
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) {
    if (y.Bound(i) == 0) continue;  // sees no key
    t.Compare(abs(y.Value(i) - 1), y.Bound(i), Interval(1),
              [&] { return Element(i) + " is " + Show(y.Raw(i)) + ": weights do not sum to 1"; });
  }
}

void Memory(Trial& t, const BiasedScheme& scheme) {
  ExpectMemoryKept(t, DrawBiased(t, scheme, OnMemory()));
}
void Strides(Trial& t, const BiasedScheme& scheme) {
  ExpectSameWithoutStrides(t, DrawBiased(t, scheme, OnMemory()));
}
void Repeatable(Trial& t, const BiasedScheme& scheme) {
  const Case c = DrawBiased(t, scheme, FewTokens(32));
  // The same shapes at other positions: what a cache with too small a key confuses.
  const Tensor& n = c.inputs.at("key_positions");
  ExpectRepeatable(t, c, With(c, "key_positions", Integers(n.shape(), [&](int64_t i) {
                                const int64_t p = n.Integer(i);
                                return t.limits(c.operation).position(p + (p < 0 ? 17 : -17));
                              })));
}

}  // namespace

BiasedDraw FewTokens(int64_t limit) {
  BiasedDraw draw;
  draw.heads.small = true;
  draw.positions.limit = limit;
  return draw;
}

Case DrawBiased(Trial& t, const BiasedScheme& scheme, const BiasedDraw& draw) {
  Draw heads = draw.heads;
  heads.bias = false;
  Case c = DrawHeads(t, heads, scheme.operation);
  scheme.add(t, draw.positions.memory, &c);
  const Limits limits = t.limits(scheme.operation);
  FitParameters(limits, scheme.operation, t.source(), &c.parameters);
  const auto takes = [&](int64_t rank) {
    return limits.takes_rank("query_positions", rank) && limits.takes_rank("key_positions", rank);
  };
  t.RequireInside(takes(1) || takes(2));
  const bool batched = takes(2) && (!takes(1) || t.source().Chance(1, 3));
  const Extents e = ExtentsOf(c);
  AddPositionsOf(t, draw.positions, batched, {e.batch, e.queries, e.keys}, &c);
  return c;
}

Case WithCountedPositions(Case c) {
  const Extents e = ExtentsOf(c);
  c = With(std::move(c), "key_positions", Integers({e.keys}, [](int64_t i) { return i; }));
  return With(std::move(c), "query_positions",
              Integers({e.queries}, [&](int64_t i) { return i + e.keys - e.queries; }));
}

Case QueryAlone(const Case& c, int64_t batch, int64_t query) {
  Case one = c;
  for (const char* role : {"q", "k", "v", "key_mask", "query_positions", "key_positions"}) {
    if (!c.inputs.count(role)) continue;
    Tensor tensor = c.inputs.at(role);
    const bool positions =
        role == std::string("query_positions") || role == std::string("key_positions");
    const bool has_batch = !positions || tensor.shape().size() == 2;
    if (has_batch) tensor = Gather(tensor, 0, {batch});
    if (role == std::string("q")) tensor = Gather(tensor, 1, {query});
    if (role == std::string("query_positions")) tensor = Gather(tensor, has_batch ? 1 : 0, {query});
    one = With(std::move(one), role, std::move(tensor));
  }
  return one;
}

std::vector<Property> BiasedProperties(const BiasedScheme& scheme) {
  using Check = void (*)(Trial&, const BiasedScheme&);
  const auto property = [&](const char* name, const std::string& clause, const std::string& theorem,
                            const char* text, bool algebraic, Check check) {
    return Property{scheme.operation + "_" + name,
                    clause,
                    theorem,
                    text,
                    {scheme.operation},
                    algebraic,
                    [scheme, check](Trial& t) { check(t, scheme); }};
  };
  const auto proved = [](const char* name) { return std::string("Gnomon.Attention.") + name; };
  return {
      property("within_bound", scheme.bound, "", "every output of attention within its bound",
               false, WithinBound),
      property("special_numbers", scheme.definition, "",
               "NaN, infinities, zeros, subnormals and overflow in q, k, v", false, SpecialNumbers),
      property("ignores_the_future", "ATT-7", proved("ATT_7_outputs_ignore_the_future"),
               "later keys and values change no bit", true, IgnoresTheFuture),
      property("translation", "ATT-6", scheme.translation,
               "all tokens moved alike: the same outputs", true, Translation),
      property("alone", scheme.definition, "",
               "every query asked alone, at its position: decoding, batches", true, Alone),
      property("ones", "ATT-3", proved("ATT_3_weights_sum_to_1"), "values of 1 come out as 1", true,
               Ones),
      property("memory", scheme.memory, "", "inputs untouched, every element written, nothing else",
               true, Memory),
      property("strides", scheme.memory, "", "strided and contiguous agree", true, Strides),
      property("repeatable", scheme.memory, "", "the same question has the same answer", true,
               Repeatable),
  };
}

}  // namespace gnomon::properties::attention
