// What must hold of the operations on relative position vectors (spec/relative.md).
#include "gnomon/properties/judged.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/relative_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::relative {
namespace {

const std::string kScores = "relative.scores", kValues = "relative.values",
                  kVectors = "relative.vectors", kSkew = "relative.skew",
                  kShift = "relative.xl_shift", kAttention = "relative.attention";
constexpr double kU64 = 0x1p-53;

Draw OnMemory() {
  Draw draw;
  draw.memory = true;
  return draw;
}
Draw Unusual(Trial& t) {
  Draw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  return draw;
}
Draw FarApart(Trial& t) {
  Draw draw;
  draw.far_apart = t.source().Chance(1, 4);
  return draw;
}

// Judged by the reference.

void ScoresWithinBound(Trial& t) {
  Draw draw = FarApart(t);
  draw.memory = true;
  ExpectWithinBound(t, DrawScores(t, draw));
}
void ValuesWithinBound(Trial& t) {
  Draw draw = FarApart(t);
  draw.memory = true;
  ExpectWithinBound(t, DrawValues(t, draw));
}
void SpecialScores(Trial& t) { ExpectWithinBound(t, DrawScores(t, Unusual(t))); }
void SpecialValues(Trial& t) { ExpectWithinBound(t, DrawValues(t, Unusual(t))); }
void VectorsCopied(Trial& t) {
  Draw draw = t.source().Chance(1, 3) ? Unusual(t) : FarApart(t);
  draw.memory = true;
  ExpectWithinBound(t, DrawVectors(t, draw));
}
void ShiftCopied(Trial& t) {
  Draw draw = t.source().Chance(1, 3) ? Unusual(t) : Draw();
  draw.memory = true;
  ExpectWithinBound(t, DrawShift(t, kShift, draw));
}
void SkewCopied(Trial& t) {
  Draw draw = t.source().Chance(1, 3) ? Unusual(t) : Draw();
  draw.memory = true;
  ExpectWithinBound(t, DrawShift(t, kSkew, draw));
}

// REL-2. Only the difference of positions matters.
void OffsetOnly(Trial& t) {
  Case c = t.source().Chance(1, 2) ? DrawScores(t, {}) : DrawValues(t, {});
  const int64_t by = t.source().Pick<int64_t>({1, -3, 1000, 70000});
  const Case moved = Moved(c, by);
  t.RequireInside(Outside(t.limits(c.operation), moved).empty());
  const Answer first(t, c), second(t, moved);
  for (int64_t i = 0; i < ElementCount(first.shape()); ++i) CompareSame(t, first, i, second, i);
}

// REL-1. A key further away than K stands where the last one within K does.
void Clipped(Trial& t) {
  const Case c = DrawVectors(t, {});
  const gnomon::relative::VectorParameters p = gnomon::relative::ReadVectors(c);
  const int64_t m = c.inputs.at("m").Integer(0), further = t.source().Below(100);
  const Case near = With(With(c, "m", Positions({m})), "n", Positions({m - p.K, m + p.K}));
  const Case far = With(With(c, "m", Positions({m})), "n",
                        Positions({m - p.K - 1 - further, m + p.K + 1 + further}));
  t.RequireInside(Outside(t.limits(c.operation), far).empty());
  const Outputs a = t.Run(near), b = t.Run(far);
  const int64_t element = FirstDifference(a.at("vectors"), b.at("vectors"));
  t.Expect(element < 0, [&] {
    return "element " + std::to_string(element) + " is another row at distance " +
           std::to_string(p.K + 1 + further) + " than at " + std::to_string(p.K);
  });
}

// REL-2. Keys from m - K to m + K meet every row once, in order.
void EveryRow(Trial& t) {
  Case c = DrawVectors(t, {});
  const gnomon::relative::VectorParameters p = gnomon::relative::ReadVectors(c);
  const int64_t m = c.inputs.at("m").Integer(0);
  const bool backwards = p.difference == Difference::kQueryMinusKey;
  c.inputs.insert_or_assign("m", Positions({m}));
  c.inputs.insert_or_assign(
      "n", Integers({p.rows()}, [&](int64_t r) { return m + (backwards ? p.K - r : r - p.K); }));
  t.RequireInside(Outside(t.limits(c.operation), c).empty());
  const Outputs vectors = t.Run(c);
  const int64_t element = FirstDifference(vectors.at("vectors"), c.inputs.at("table"));
  t.Expect(element < 0,
           [&] { return "element " + std::to_string(element) + " is not that of its row"; });
}

// Keys at every distance from -K to K of one query at 0.
Tensor EveryDistance(const gnomon::relative::VectorParameters& p) {
  const int64_t sign = p.difference == Difference::kKeyMinusQuery ? 1 : -1;
  return Integers({p.rows()}, [&](int64_t r) { return sign * (r - p.K); });
}
int64_t RowAt(const gnomon::relative::VectorParameters& p, const Case& c, int64_t i, int64_t j) {
  const int64_t apart = c.inputs.at("n").Integer(j) - c.inputs.at("m").Integer(i);
  const int64_t x = p.difference == Difference::kKeyMinusQuery ? apart : -apart;
  return (x < -p.K ? -p.K : x > p.K ? p.K : x) + p.K;
}

// REL-3. The gathered form: content, and the products with all rows, picked by distance.
void Gathered(Trial& t) {
  const Case c = DrawScores(t, {});
  const gnomon::relative::VectorParameters p = gnomon::relative::ReadVectors(c);
  const int64_t queries = c.inputs.at("m").count(), keys = c.inputs.at("n").count();
  Case products = c;
  products.inputs.insert_or_assign("m", Integers({queries}, [](int64_t) { return 0; }));
  products.inputs.insert_or_assign("n", EveryDistance(p));
  products.inputs.insert_or_assign("k", Filled(c.inputs.at("table"), 0));
  t.RequireInside(Outside(t.limits(c.operation), products).empty());
  const Answer whole(t, c), content(t, With(c, "table", Filled(c.inputs.at("table"), 0))),
      rows(t, products);
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t at = i * keys + j, picked = i * p.rows() + RowAt(p, c, i, j);
      t.Compare(abs(whole.Value(at) - content.Value(at) - rows.Value(picked)),
                whole.Bound(at) + content.Bound(at) + rows.Bound(picked), whole.Size(at), [&] {
                  return "query " + std::to_string(i) + ", key " + std::to_string(j) + ": " +
                         Show(whole.Raw(at)) + " for " + Show(content.Raw(at)) + " + " +
                         Show(rows.Raw(picked));
                });
    }
  }
}

// REL-4. The binned form: values, and the weights of each row summed first. Sums of whole weights
// are exact.
void Binned(Trial& t) {
  Draw draw;
  draw.whole_weights = true;
  const Case c = DrawValues(t, draw);
  const gnomon::relative::VectorParameters p = gnomon::relative::ReadVectors(c);
  const int64_t queries = c.inputs.at("m").count(), keys = c.inputs.at("n").count();
  const int64_t dims = c.inputs.at("v").shape()[1];
  Tensor bins = Guarded(DTypeOf(c.format), {queries, p.rows()});
  for (int64_t i = 0; i < bins.count(); ++i) bins.Set(i, 0);
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t bin = i * p.rows() + RowAt(p, c, i, j);
      bins.Set(bin, bins.Value(bin) + c.inputs.at("weights").Value(i * keys + j));
    }
  Case binned = c;
  binned.inputs.insert_or_assign("m", Integers({queries}, [](int64_t) { return 0; }));
  binned.inputs.insert_or_assign("n", EveryDistance(p));
  binned.inputs.insert_or_assign("weights", bins);
  binned.inputs.insert_or_assign("v", Filled(c.inputs.at("table"), 0));
  t.RequireInside(Outside(t.limits(c.operation), binned).empty());
  const Answer whole(t, c), values(t, With(c, "table", Filled(c.inputs.at("table"), 0))),
      rows(t, binned);
  for (int64_t i = 0; i < queries * dims; ++i)
    t.Compare(abs(whole.Value(i) - values.Value(i) - rows.Value(i)),
              whole.Bound(i) + values.Bound(i) + rows.Bound(i), whole.Size(i), [&] {
                return "element " + std::to_string(i) + ": " + Show(whole.Raw(i)) + " for " +
                       Show(values.Raw(i)) + " + " + Show(rows.Raw(i));
              });
}

// REL-5. A column that says its distance arrives at the key of that distance.
void ShiftDistances(Trial& t) {
  Case c = DrawShift(t, kShift, {});
  Tensor& a = c.inputs.at("a");
  const int64_t columns = a.shape().back(), queries = a.shape()[a.shape().size() - 2];
  for (int64_t i = 0; i < a.count(); ++i)
    a.Set(i, static_cast<double>(columns - 1 - i % columns) +
                 0.25 * static_cast<double>(i / columns % 4));
  const Outputs b = t.Run(c);
  for (int64_t i = 0; i < a.count(); ++i) {
    const int64_t query = i / columns % queries, key = i % columns;
    const int64_t distance = query + columns - queries - key;
    if (distance < 0) continue;
    const double due = RoundToFormat(
        c.format, static_cast<double>(distance) + 0.25 * static_cast<double>(i / columns % 4));
    t.Expect(b.at("b").Value(i) == due, [&] {
      return "query " + std::to_string(query) + ", key " + std::to_string(key) + ": " +
             Show(b.at("b").Value(i)) + " for the score of distance " + std::to_string(distance);
    });
  }
}

// REL-8. Up to the query, the full form and the causal one are the same.
void SkewForms(Trial& t) {
  Case full = DrawShift(t, kSkew, {});
  const Tensor a = full.inputs.at("a");
  full.parameters.clear();
  Case causal = full;
  full.parameters["form"] = std::string("full");
  const int64_t queries = a.shape()[a.shape().size() - 2], columns = a.shape().back();
  const int64_t all = 2 * queries - 1, heads = queries > 0 ? a.count() / (queries * columns) : 0;
  const auto part = [&](int64_t count) {
    Shape shape = a.shape();
    shape.back() = count;
    Tensor cut = Guarded(a.dtype(), shape);
    for (int64_t i = 0; i < cut.count(); ++i)
      cut.Set(i, static_cast<double>(1 + i / count % 8 * 8 + i % count % 8));
    return cut;
  };
  full.inputs.insert_or_assign("a", part(all));
  causal.inputs.insert_or_assign("a", part(queries));
  t.RequireInside(Outside(t.limits(kSkew), full).empty() &&
                  Outside(t.limits(kSkew), causal).empty());
  const Outputs x = t.Run(full), y = t.Run(causal);
  for (int64_t i = 0; i < heads * queries * queries; ++i) {
    if (i % queries > i / queries % queries) continue;
    t.Expect(x.at("b").Value(i) == y.at("b").Value(i), [&] {
      return "element " + std::to_string(i) + " is " + Show(x.at("b").Value(i)) +
             " in the full form and " + Show(y.at("b").Value(i)) + " in the causal one";
    });
  }
}

// REL-11.

Case DrawAny(Trial& t, const Draw& draw) {
  return t.source().Chance(1, 2) ? DrawValues(t, draw) : DrawScores(t, draw);
}
void SumMemory(Trial& t) { ExpectMemoryKept(t, DrawAny(t, OnMemory())); }
void SumPadding(Trial& t) { ExpectPaddingUnread(t, DrawAny(t, OnMemory())); }
void SumStrides(Trial& t) { ExpectSameWithoutStrides(t, DrawAny(t, OnMemory())); }
Case DrawMove(Trial& t, const Draw& draw) {
  return t.source().Chance(1, 2) ? DrawShift(t, kSkew, draw) : DrawShift(t, kShift, draw);
}
void MoveMemory(Trial& t) { ExpectMemoryKept(t, DrawMove(t, OnMemory())); }
void VectorsMemory(Trial& t) { ExpectMemoryKept(t, DrawVectors(t, OnMemory())); }
void MoveStrides(Trial& t) {
  const Case c = DrawMove(t, OnMemory());
  Case contiguous = c;
  for (auto& [role, tensor] : contiguous.inputs) tensor = Contiguous(tensor);
  const Outputs first = t.Run(c), second = t.Run(contiguous);
  const int64_t element = FirstDifference(first.at("b"), second.at("b"));
  t.Expect(element < 0, [&] {
    return "element " + std::to_string(element) + " is another one where a has strides";
  });
}
void Repeatable(Trial& t) {
  const Case c = DrawScores(t, {});
  const Tensor& n = c.inputs.at("n");
  const int64_t moved = 1 + t.source().Below(3);
  const Case between = With(c, "n", Integers(n.shape(), [&](int64_t i) {
                              return n.Integer(i) > 0 ? n.Integer(i) - moved : n.Integer(i) + moved;
                            }));
  t.RequireInside(Outside(t.limits(c.operation), between).empty());
  ExpectRepeatable(t, c, between);
}

// REL-12 to REL-14: attention.

Case DrawAttention(Trial& t) {
  return attention::DrawBiased(t, Attention(), attention::FewTokens(16));
}
// Both tables, element by element.
Case WithTables(const Case& c, const std::function<double(bool of_key, int64_t column)>& entry) {
  Case with = c;
  for (const char* role : {"key_table", "value_table"}) {
    const Shape shape = c.inputs.at(role).shape();
    with = With(std::move(with), role, attention::Reals(c.format, shape, [&](int64_t i) {
                  return entry(role[0] == 'k', i % shape[1]);
                }));
  }
  return with;
}
void RequireTaken(Trial& t, const Case& c) {
  t.RequireInside(Outside(t.limits(kAttention), c).empty());
}
void ExpectSameOutputs(Trial& t, const Case& one, const Case& other) {
  RequireTaken(t, one);
  RequireTaken(t, other);
  const Answer a(t, one), b(t, other);
  for (int64_t i = 0; i < ElementCount(a.shape()); ++i) CompareSame(t, a, i, b, i);
}

void AttentionSpecialRows(Trial& t) {
  const Numbers numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  const Case c = DrawAttention(t);
  const bool of_keys = t.source().Chance(1, 2), of_values = !of_keys || t.source().Chance(1, 3);
  ExpectWithinBound(t, WithTables(c, [&](bool of_key, int64_t) {
                      return (of_key ? of_keys : of_values)
                                 ? DrawNumber(t.source(), c.format, numbers)
                                 : static_cast<double>(t.source().Below(9) - 4) / 4;
                    }));
}

// ATT-5, ATT-3: rows that are all alike add a constant to the scores of a query, and themselves to
// the output.
void AttentionConstantRows(Trial& t) {
  const Case c = DrawAttention(t);
  const auto entry = [](bool of_key, int64_t column) {
    return (of_key ? 0.5 : 3) - static_cast<double>(column % 4) / 2;
  };
  Case zero = WithTables(c, [](bool, int64_t) { return 0.0; });
  const Tensor& n = c.inputs.at("key_positions");
  zero = With(std::move(zero), "key_positions",
              Integers(n.shape(), [&](int64_t i) { return 16 - n.Integer(i); }));
  const Case alike = WithTables(c, entry);
  RequireTaken(t, zero);
  RequireTaken(t, alike);
  const Answer plain(t, zero), y(t, alike);
  const int64_t columns = y.shape().back();
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) {
    if (y.Bound(i) == 0) continue;  // sees no key
    const double row = entry(false, i % columns);
    t.Compare(abs(y.Value(i) - plain.Value(i) - row),
              y.Bound(i) + plain.Bound(i) +
                  2 * kU64 * (abs(y.Value(i)) + abs(plain.Value(i)) + std::abs(row)),
              y.Size(i), [&] {
                return "element " + std::to_string(i) + " is " + Show(y.Raw(i)) +
                       " where every row of values has " + Show(row) + ", and " +
                       Show(plain.Raw(i)) + " where it has 0";
              });
  }
}

// REL-1: the clip is odd.
void AttentionMirrored(Trial& t) {
  const Case c = DrawAttention(t);
  const gnomon::relative::VectorParameters p = gnomon::relative::ReadAttention(c).rows;
  std::vector<int64_t> rows;
  for (int64_t r = p.rows(); r-- > 0;) rows.push_back(r);
  const bool forward = p.difference == Difference::kKeyMinusQuery;
  ExpectSameOutputs(
      t, c, WithParameter(WithRows(c, rows), "difference", kDifferenceNames[forward ? 1 : 0]));
}

// REL-1: keys beyond K are not told apart.
void AttentionWider(Trial& t) {
  const Case c = DrawAttention(t);
  std::vector<int64_t> rows = {0};
  for (int64_t r = 0; r < c.inputs.at("key_table").shape()[0]; ++r) rows.push_back(r);
  rows.push_back(rows.back());
  ExpectSameOutputs(t, c, WithRows(c, rows));
}

// ATT-12: heads share the tables.
void AttentionHeadAlone(Trial& t) {
  const Case c = DrawAttention(t);
  const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
  const int64_t head = t.source().Below(e.heads), row = e.heads * e.value_dim;
  Case one = With(c, "q", Gather(c.inputs.at("q"), 2, {head}));
  for (const char* role : {"k", "v"})
    one = With(std::move(one), role, Gather(c.inputs.at(role), 2, {e.KvHead(head)}));
  RequireTaken(t, one);
  const Answer all(t, c), alone(t, one);
  for (int64_t i = 0; i < ElementCount(alone.shape()); ++i)
    CompareSame(t, all, i / e.value_dim * row + head * e.value_dim + i % e.value_dim, alone, i);
}

std::vector<Property> OfAttention() {
  std::vector<Property> all = {
      {"relative.attention_special_rows",
       "REL-12",
       "",
       "NaN, infinities and wide numbers in the tables",
       {kAttention},
       false,
       AttentionSpecialRows},
      {"relative.attention_constant_rows",
       "ATT-5",
       "Gnomon.Attention.ATT_5_output_shift_invariance",
       "rows that are all alike: plain attention plus the row of values, wherever tokens stand",
       {kAttention},
       true,
       AttentionConstantRows},
      {"relative.attention_mirrored",
       "REL-1",
       "Gnomon.Relative.REL_1_odd",
       "positions subtracted the other way round, rows in the opposite order",
       {kAttention},
       true,
       AttentionMirrored},
      {"relative.attention_wider",
       "REL-1",
       "Gnomon.Relative.REL_1_range",
       "a clip one further, its two rows copies of those before",
       {kAttention},
       true,
       AttentionWider},
      {"relative.attention_head_alone",
       "ATT-12",
       "",
       "a head with its key head: the same outputs",
       {kAttention},
       true,
       AttentionHeadAlone},
  };
  for (Property& property : attention::BiasedProperties(Attention()))
    all.push_back(std::move(property));
  return all;
}

}  // namespace

std::vector<Property> Properties() {
  std::vector<Property> all = {
      {"relative.scores_within_bound",
       "REL-10",
       "",
       "every score within its bound",
       {kScores},
       false,
       ScoresWithinBound},
      {"relative.values_within_bound",
       "REL-10",
       "",
       "every weighted sum within its bound",
       {kValues},
       false,
       ValuesWithinBound},
      {"relative.special_scores",
       "REL-9",
       "",
       "NaN, infinities, subnormals and overflow in scores",
       {kScores},
       false,
       SpecialScores},
      {"relative.special_values",
       "REL-9",
       "",
       "the same in weighted sums",
       {kValues},
       false,
       SpecialValues},
      {"relative.vectors_copied",
       "REL-2",
       "Gnomon.Relative.REL_2_row_of_the_distance",
       "every pair has the row of its distance, bit for bit",
       {kVectors},
       false,
       VectorsCopied},
      {"relative.shift_copied",
       "REL-5",
       "Gnomon.Relative.REL_5_up_to_the_query",
       "every key has the score of its distance, bit for bit",
       {kShift},
       false,
       ShiftCopied},
      {"relative.skew_copied",
       "REL-8",
       "Gnomon.Relative.REL_8_full",
       "the same of the skew, in both forms",
       {kSkew},
       false,
       SkewCopied},
      {"relative.clipped",
       "REL-1",
       "Gnomon.Relative.REL_1_range",
       "beyond K all distances are one",
       {kVectors},
       true,
       Clipped},
      {"relative.every_row",
       "REL-2",
       "Gnomon.Relative.REL_2_every_row_is_used",
       "distances -K to K meet every row, in order",
       {kVectors},
       true,
       EveryRow},
      {"relative.offset_only",
       "REL-2",
       "Gnomon.Relative.REL_2_depends_on_the_offset_only",
       "positions moved together change nothing",
       {kScores, kValues},
       true,
       OffsetOnly},
      {"relative.gathered",
       "REL-3",
       "Gnomon.Relative.REL_3_gathered_scores_are_the_scores",
       "content plus the products with all rows, picked",
       {kScores},
       true,
       Gathered},
      {"relative.binned",
       "REL-4",
       "Gnomon.Relative.REL_4_binned_weights",
       "values plus the rows by their summed weights",
       {kValues},
       true,
       Binned},
      {"relative.shift_distances",
       "REL-5",
       "Gnomon.Relative.REL_5_distance",
       "column K - 1 - c arrives at distance c",
       {kShift},
       true,
       ShiftDistances},
      {"relative.skew_forms",
       "REL-8",
       "Gnomon.Relative.REL_8_forms_agree",
       "causal and full agree up to the query",
       {kSkew},
       true,
       SkewForms},
      {"relative.sum_memory",
       "REL-11",
       "",
       "inputs untouched, every element written, nothing else",
       {kScores, kValues},
       true,
       SumMemory},
      {"relative.vectors_memory",
       "REL-11",
       "",
       "the same for rows",
       {kVectors},
       true,
       VectorsMemory},
      {"relative.move_memory",
       "REL-11",
       "",
       "the same for skew and shift",
       {kSkew, kShift},
       true,
       MoveMemory},
      {"relative.padding_unread",
       "REL-11",
       "",
       "nothing between the elements matters",
       {kScores, kValues},
       true,
       SumPadding},
      {"relative.strides",
       "REL-11",
       "",
       "strided and contiguous agree",
       {kScores, kValues},
       true,
       SumStrides},
      {"relative.move_strides",
       "REL-11",
       "",
       "the same for skew and shift",
       {kSkew, kShift},
       true,
       MoveStrides},
      {"relative.repeatable",
       "REL-11",
       "",
       "the same question has the same answer",
       {kScores},
       true,
       Repeatable},
  };
  for (Property& property : OfAttention()) all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::relative
