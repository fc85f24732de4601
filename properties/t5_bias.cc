// What must hold of T5's bias and of DeBERTa's buckets (spec/t5_bias.md).
#include "gnomon/spec/t5_bias.h"

#include <cmath>
#include <limits>

#include "gnomon/properties/judged.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/t5_bias_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::t5_bias {
namespace {

const std::string kBucket = "t5_bias.bucket", kBias = "t5_bias.bias",
                  kDeberta = "t5_bias.deberta_bucket";
constexpr int64_t kAddable = int64_t{1} << 30;

int64_t Integer(const Answer& a, int64_t element) { return a.output("buckets").Integer(element); }
int64_t Slack(const Answer& a, int64_t element) {
  return static_cast<int64_t>(reference::Midpoint(a.Bound(element)));
}

// Distances where something may happen, from small to large: around each end of the formula, and
// drawn ones.
std::vector<int64_t> DrawDistances(Trial& t, int64_t exact, int64_t last) {
  Source& source = t.source();
  std::vector<int64_t> x = {0, 1, exact - 1, exact, exact + 1, last - 1, last, last + 1, 3 * last};
  for (int i = 0; i < 8; ++i) x.push_back(source.Below(std::min<int64_t>(2 * last, 1 << 30)));
  for (int i = 0; i < 4; ++i) x.push_back(exact + source.Below(2 * exact + 1));
  for (int64_t& v : x) v = std::clamp<int64_t>(v, 0, kMaxPosition);
  std::sort(x.begin(), x.end());
  const Limits limits = t.limits(kBucket);
  for (const int64_t v : x)
    t.RequireInside(limits.position(v) == v && limits.position(-v) == -v &&
                    limits.position(0) == 0);
  t.RequireInside(limits.extent("key", 64) == 64);
  return x;
}

Case DrawAt(Trial& t, std::optional<bool> bidirectional, std::vector<int64_t>* distances) {
  Draw draw;
  draw.bidirectional = bidirectional;
  draw.positions.may_batch = false;
  const Case c = DrawBucket(t, draw);
  *distances = DrawDistances(t, BucketsOf(c).max_exact(), BucketsOf(c).max_distance);
  return c;
}

std::vector<int64_t> Negated(std::vector<int64_t> x) {
  for (int64_t& v : x) v = -v;
  return x;
}

std::string Text(int64_t rel, int64_t bucket) {
  return "key - query " + std::to_string(rel) + " has bucket " + std::to_string(bucket);
}

// Judged by the reference.

void BucketWithinBound(Trial& t) {
  Draw draw;
  draw.positions.memory = true;
  ExpectWithinBound(t, DrawBucket(t, draw));
}
void Boundaries(Trial& t) {
  Draw draw;
  draw.boundaries = true;
  ExpectWithinBound(t, DrawBucket(t, draw));
}
void BiasWithinBound(Trial& t) {
  Draw draw;
  draw.positions.memory = true;
  draw.numbers = t.source().Pick({Numbers::kUnit, Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, DrawBias(t, draw));
}
void DebertaWithinBound(Trial& t) {
  Draw draw;
  draw.positions.memory = true;
  draw.boundaries = t.source().Chance(1, 3);
  ExpectWithinBound(t, DrawDeberta(t, draw));
}

// T5-2, T5-3, of the past: rel = -x.

void ExactBelowMaxExact(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawAt(t, std::nullopt, &x);
  const int64_t E = BucketsOf(c).max_exact();
  for (int64_t& v : x) v %= E;
  const Answer a(t, WithOffsets(c, Negated(x)));
  for (size_t i = 0; i < x.size(); ++i)
    t.Expect(Integer(a, static_cast<int64_t>(i)) == x[i],
             [&] { return Text(-x[i], Integer(a, static_cast<int64_t>(i))); });
}

void Monotone(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawAt(t, std::nullopt, &x);
  const Answer a(t, WithOffsets(c, Negated(x)));
  for (int64_t i = 0; i + 1 < static_cast<int64_t>(x.size()); ++i)
    t.Expect(Integer(a, i) <= Integer(a, i + 1) + Slack(a, i) + Slack(a, i + 1), [&] {
      return Text(-x[static_cast<size_t>(i)], Integer(a, i)) + ", and " +
             Text(-x[static_cast<size_t>(i) + 1], Integer(a, i + 1));
    });
}

void Range(Trial& t) {
  Draw draw;
  draw.positions.memory = true;
  const Case c = DrawBucket(t, draw);
  const Answer a(t, c);
  for (int64_t i = 0; i < ElementCount(a.shape()); ++i)
    t.Expect(0 <= Integer(a, i) && Integer(a, i) < BucketsOf(c).num_buckets, [&] {
      return "element " + std::to_string(i) + " is " + std::to_string(Integer(a, i));
    });
}

void Saturates(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawAt(t, std::nullopt, &x);
  const T5Buckets b = BucketsOf(c);
  for (int64_t& v : x) v = std::min<int64_t>(v + b.max_distance, kMaxPosition);
  const Answer a(t, WithOffsets(c, Negated(x)));
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i)
    if (x[static_cast<size_t>(i)] >= b.max_distance)
      t.Expect(Integer(a, i) <= b.side() - 1 && Integer(a, i) >= b.side() - 1 - Slack(a, i),
               [&] { return Text(-x[static_cast<size_t>(i)], Integer(a, i)); });
}

// Both directions.

void Halves(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawAt(t, true, &x);
  const int64_t b = BucketsOf(c).side();
  std::vector<int64_t> rel = Negated(x);
  rel.insert(rel.end(), x.begin(), x.end());
  const Answer a(t, WithOffsets(c, rel));
  for (size_t i = 0; i < rel.size(); ++i) {
    const int64_t bucket = Integer(a, static_cast<int64_t>(i));
    t.Expect((bucket >= b) == (rel[i] > 0), [&] { return Text(rel[i], bucket); });
  }
}

void Mirror(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawAt(t, true, &x);
  const int64_t b = BucketsOf(c).side();
  const Answer past(t, WithOffsets(c, Negated(x))), future(t, WithOffsets(c, x));
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
    if (x[static_cast<size_t>(i)] == 0) continue;
    t.Expect(std::abs(Integer(future, i) - b - Integer(past, i)) <= Slack(past, i), [&] {
      return Text(x[static_cast<size_t>(i)], Integer(future, i)) + ", and " +
             Text(-x[static_cast<size_t>(i)], Integer(past, i));
    });
  }
}

void CausalFuture(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawAt(t, false, &x);
  const Answer a(t, WithOffsets(c, x));
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i)
    t.Expect(Integer(a, i) == 0, [&] { return Text(x[static_cast<size_t>(i)], Integer(a, i)); });
}

// An odd number of buckets is answered as the even one below it.
void OddCount(Trial& t) {
  std::vector<int64_t> x;
  Case c = DrawAt(t, true, &x);
  const double even = 2.0 * std::floor(std::get<double>(c.parameters.at("num_buckets")) / 2);
  c = WithOffsets(WithParameter(c, "num_buckets", even), Negated(x));
  const Answer a(t, c), odd(t, WithParameter(c, "num_buckets", even + 1));
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i)
    t.Expect(std::abs(Integer(a, i) - Integer(odd, i)) <= Slack(a, i), [&] {
      return Text(-x[static_cast<size_t>(i)], Integer(odd, i)) + " of an odd count, " +
             std::to_string(Integer(a, i)) + " of the even one";
    });
}

// The published tables (T5-3), from where each bucket begins.
void Published(Trial& t) {
  const bool bidirectional = t.source().Chance(1, 2);
  const std::vector<int64_t> starts =
      bidirectional
          ? std::vector<int64_t>{8, 12, 16, 23, 32, 46, 64, 91}
          : std::vector<int64_t>{16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};
  Case c;
  c.operation = kBucket;
  c.format = t.DrawFormat();
  c.parameters["bidirectional"] = bidirectional;
  std::vector<int64_t> rel;
  for (const int64_t x : starts) rel.insert(rel.end(), {-x, 1 - x});
  const Answer a(t, WithOffsets(c, rel));
  for (int64_t i = 0; i < static_cast<int64_t>(rel.size()); ++i) {
    const int64_t due = starts[0] + i / 2 - i % 2;
    t.Expect(std::abs(Integer(a, i) - due) <= Slack(a, i),
             [&] { return Text(rel[static_cast<size_t>(i)], Integer(a, i)); });
  }
}

// T5-4.

// Of integers and of copied bits alike.
void ExpectSame(Trial& t, const Answer& a, int64_t i, const Answer& b, int64_t j) {
  t.Expect(
      std::abs(a.Raw(i) - b.Raw(j)) <= reference::Midpoint(a.Bound(i)) || (a.Raw(i) == b.Raw(j)),
      [&] {
        return "element " + std::to_string(i) + " is " + Show(a.Raw(i)) + ", and " +
               Show(b.Raw(j)) + " as element " + std::to_string(j) + " when asked otherwise";
      });
}

void TranslationOf(Trial& t, const Case& c) {
  const Limits limits = t.limits(c.operation);
  const int64_t by = t.source().Pick<int64_t>({1, -1, 1000, -4096, kAddable});
  for (const char* role : {"query_positions", "key_positions"})
    for (int64_t i = 0; i < c.inputs.at(role).count(); ++i) {
      const int64_t moved = c.inputs.at(role).Integer(i) + by;
      t.RequireInside(limits.position(moved) == moved);
    }
  const Answer here(t, c), there(t, Shifted(c, by));
  for (int64_t i = 0; i < ElementCount(here.shape()); ++i) ExpectSame(t, here, i, there, i);
}
Draw Addable() {
  Draw draw;
  draw.positions.limit = int64_t{1} << 20;
  return draw;
}
void Translation(Trial& t) { TranslationOf(t, DrawBias(t, Addable())); }

// Decoding, batches: each element is that of its own two positions.
void OnePairAlone(Trial& t) {
  Draw draw = Addable();
  draw.positions.memory = true;
  const Case c = DrawBias(t, draw);
  const Answer all(t, c);
  const int64_t heads = c.inputs.at("table").shape()[1];
  for (int64_t b = 0; b < Batches(c); ++b)
    for (int64_t q = 0; q < Queries(c); ++q) {
      const int64_t k = t.source().Below(Keys(c));
      const Answer alone(t, OnePair(c, b, q, k));
      for (int64_t h = 0; h < heads; ++h)
        ExpectSame(t, all, ((b * heads + h) * Queries(c) + q) * Keys(c) + k, alone, h);
    }
}

// The bias is the table's entry of the subject's own bucket, bit by bit.
void OwnBuckets(Trial& t) {
  Draw draw = Addable();
  draw.numbers = t.source().Pick({Numbers::kUnit, Numbers::kSpecial, Numbers::kWide});
  const Case c = DrawBias(t, draw);
  t.Require(kBucket, c.format);
  Case asked = c;
  asked.operation = kBucket;
  asked.inputs.erase("table");
  const Answer bias(t, c), buckets(t, asked);
  const Tensor& table = c.inputs.at("table");
  const int64_t heads = table.shape()[1], block = Queries(c) * Keys(c);
  for (int64_t i = 0; i < ElementCount(bias.shape()); ++i) {
    const int64_t head = i / block % heads;
    const int64_t bucket = Integer(buckets, i / block / heads * block + i % block);
    t.Expect(0 <= bucket && bucket < table.shape()[0],
             [&] { return "a bucket is " + std::to_string(bucket); });
    t.Expect(BitsAt(bias.output("bias").view(), i) == BitsAt(table.view(), bucket * heads + head),
             [&] {
               return "element " + std::to_string(i) + " is " + Show(bias.Raw(i)) +
                      ", not the entry of bucket " + std::to_string(bucket) + ", " +
                      Show(table.Value(bucket * heads + head));
             });
  }
}

// T5-5.

Case DrawDebertaAt(Trial& t, std::vector<int64_t>* x) {
  Draw draw;
  draw.positions.may_batch = false;
  const Case c = DrawDeberta(t, draw);
  *x = DrawDistances(t, DebertaOf(c).middle(), DebertaOf(c).last());
  return c;
}

void DebertaOdd(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawDebertaAt(t, &x);
  const Answer right(t, WithOffsets(c, x)), left(t, WithOffsets(c, Negated(x)));
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i)
    t.Expect(std::abs(Integer(right, i) + Integer(left, i)) <= Slack(right, i), [&] {
      return "query - key " + std::to_string(x[static_cast<size_t>(i)]) + " has " +
             std::to_string(Integer(right, i)) + ", its negative " +
             std::to_string(Integer(left, i));
    });
}

void DebertaShape(Trial& t) {
  std::vector<int64_t> x;
  const Case c = DrawDebertaAt(t, &x);
  const DebertaBuckets d = DebertaOf(c);
  const Answer a(t, WithOffsets(c, x));
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
    const int64_t distance = x[static_cast<size_t>(i)], bucket = Integer(a, i);
    const auto where = [&] {
      return "query - key " + std::to_string(distance) + " has " + std::to_string(bucket);
    };
    if (distance <= d.middle()) t.Expect(bucket == distance, where);
    if (distance > d.middle()) t.Expect(bucket >= d.middle(), where);
    if (distance == d.last() || (d.clamp && distance > d.last()))
      t.Expect(std::abs(bucket - (2 * d.middle() - 1)) <= Slack(a, i), where);
    if (i > 0) t.Expect(Integer(a, i - 1) <= bucket + Slack(a, i) + Slack(a, i - 1), where);
  }
}

void DebertaTranslation(Trial& t) { TranslationOf(t, DrawDeberta(t, Addable())); }

// T5-8.

Case DrawOnMemory(Trial& t) {
  Draw draw = Addable();
  draw.positions.memory = true;
  return DrawBias(t, draw);
}
void BucketMemory(Trial& t) { ExpectMemoryKept(t, DrawBucket(t, Addable())); }
void BiasMemory(Trial& t) { ExpectMemoryKept(t, DrawOnMemory(t)); }
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawOnMemory(t)); }
void Strides(Trial& t) {
  const Case c = DrawOnMemory(t);
  Case contiguous = c;
  for (auto& [role, tensor] : contiguous.inputs) tensor = Contiguous(tensor);
  const Answer a(t, c), b(t, contiguous);
  for (int64_t i = 0; i < ElementCount(a.shape()); ++i) ExpectSame(t, a, i, b, i);
}
void Repeatable(Trial& t) {
  const Case c = DrawBias(t, Addable());
  // The same shapes at other positions: what a cache with too small a key confuses.
  const Tensor& keys = c.inputs.at("key_positions");
  ExpectRepeatable(t, c, With(c, "key_positions", Integers(keys.shape(), [&](int64_t i) {
                                return keys.Integer(i) + (keys.Integer(i) < 0 ? 17 : -17);
                              })));
}

// T5-9 to T5-11: attention.

const std::string kAttention = "t5_bias.attention";

Case DrawAttention(Trial& t) {
  return attention::DrawBiased(t, Attention(), attention::FewTokens(64));
}
Case WithTable(const Case& c, int64_t buckets,
               const std::function<double(int64_t bucket, int64_t head)>& entry) {
  const int64_t heads = c.inputs.at("table").shape()[1];
  Case with = WithParameter(c, "num_buckets", static_cast<double>(buckets));
  return With(std::move(with), "table",
              attention::Reals(c.format, {buckets, heads},
                               [&](int64_t i) { return entry(i / heads, i % heads); }));
}
void ExpectSameOutputs(Trial& t, const Case& one, const Case& other) {
  const Limits limits = t.limits(kAttention);
  t.RequireInside(Outside(limits, one).empty() && Outside(limits, other).empty());
  const Answer a(t, one), b(t, other);
  for (int64_t i = 0; i < ElementCount(a.shape()); ++i) CompareSame(t, a, i, b, i);
}

void AttentionBoundaries(Trial& t) { ExpectWithinBound(t, DrawAttentionAtBoundaries(t)); }

void AttentionSpecialEntries(Trial& t) {
  const Case c = DrawAttention(t);
  const bool left_out = t.source().Chance(1, 2);
  const Numbers numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, WithTable(c, BucketsOf(c).num_buckets, [&](int64_t, int64_t) {
                      if (left_out && t.source().Chance(1, 4))
                        return -std::numeric_limits<double>::infinity();
                      return DrawNumber(t.source(), c.format, numbers);
                    }));
}

// T5-9.
void AttentionScaleIsOne(Trial& t) {
  Case c = DrawAttention(t);
  c.parameters.erase("scale");
  ExpectSameOutputs(t, c, WithParameter(c, "scale", 1.0));
}

// ATT-5: one entry a head adds a constant to every score, and zeros are no bias, wherever tokens
// stand.
void AttentionConstantTable(Trial& t) {
  const Case c = DrawAttention(t);
  const int64_t buckets = BucketsOf(c).num_buckets;
  const Case constant = WithTable(
      c, buckets, [](int64_t, int64_t head) { return 1 - static_cast<double>(head) / 2; });
  const Tensor& n = c.inputs.at("key_positions");
  Case zero = WithTable(c, buckets, [](int64_t, int64_t) { return 0.0; });
  zero = With(std::move(zero), "key_positions",
              Integers(n.shape(), [&](int64_t i) { return 64 - n.Integer(i); }));
  ExpectSameOutputs(t, constant, zero);
}

// T5-3: the past half of both directions is the causal form.
void AttentionPastHalf(Trial& t) {
  Case c = attention::WithCountedPositions(DrawAttention(t));
  c.parameters["mask"] = std::string("causal");
  const T5Buckets drawn = BucketsOf(c);
  const int64_t b = drawn.num_buckets;
  c.parameters["max_distance"] = static_cast<double>(std::max(drawn.max_distance, b / 2 + 1));
  const Tensor table = Contiguous(c.inputs.at("table"));
  const auto entry = [&](int64_t bucket, int64_t head) {
    return bucket < b ? table.Value(bucket * table.shape()[1] + head)
                      : static_cast<double>(t.source().Below(65) - 32) / 8;
  };
  ExpectSameOutputs(t, WithParameter(WithTable(c, b, entry), "bidirectional", false),
                    WithParameter(WithTable(c, 2 * b, entry), "bidirectional", true));
}

// T5-4, ATT-12: each head has its own column, and the key head of its group.
void AttentionHeadAlone(Trial& t) {
  const Case c = DrawAttention(t);
  const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
  const int64_t head = t.source().Below(e.heads), row = e.heads * e.value_dim;
  Case one = With(c, "q", Gather(c.inputs.at("q"), 2, {head}));
  for (const char* role : {"k", "v"})
    one = With(std::move(one), role, Gather(c.inputs.at(role), 2, {e.KvHead(head)}));
  one = With(std::move(one), "table", Gather(c.inputs.at("table"), 1, {head}));
  t.RequireInside(Outside(t.limits(kAttention), one).empty());
  const Answer all(t, c), alone(t, one);
  for (int64_t i = 0; i < ElementCount(alone.shape()); ++i)
    CompareSame(t, all, i / e.value_dim * row + head * e.value_dim + i % e.value_dim, alone, i);
}

Property Judged(const std::string& name, const std::string& clause, const std::string& text,
                const std::string& operation, std::function<void(Trial&)> check) {
  return {"t5_bias." + name, clause, "", text, {operation}, false, std::move(check)};
}
// `theorem`: in Gnomon.T5Bias; empty where the clause has none.
Property Algebraic(const std::string& name, const std::string& clause, const std::string& theorem,
                   const std::string& text, std::vector<std::string> operations,
                   std::function<void(Trial&)> check) {
  return {"t5_bias." + name,
          clause,
          theorem.empty() ? "" : "Gnomon.T5Bias." + theorem,
          text,
          std::move(operations),
          true,
          std::move(check)};
}

// `theorem`: in Gnomon.Attention.
Property AboutSoftmax(const std::string& name, const std::string& clause,
                      const std::string& theorem, const std::string& text,
                      std::function<void(Trial&)> check) {
  return {"t5_bias." + name, clause, "Gnomon.Attention." + theorem, text, {kAttention}, true,
          std::move(check)};
}

}  // namespace

// T5-7, T5-11: the slack of every comparison here.
std::vector<Property> Properties() {
  std::vector<Property> all = {
      Judged("bucket_within_bound", "T5-6", "every bucket the one due", kBucket, BucketWithinBound),
      Judged("boundaries", "T5-6", "distances at which a bucket begins exactly", kBucket,
             Boundaries),
      Judged("bias_within_bound", "T5-6", "every bias the entry due", kBias, BiasWithinBound),
      Judged("deberta_within_bound", "T5-5", "every bucket of DeBERTa the one due", kDeberta,
             DebertaWithinBound),
      Algebraic("exact_below_max_exact", "T5-2", "T5_2_exact_below_max_exact",
                "small distances have buckets of their own", {kBucket}, ExactBelowMaxExact),
      Algebraic("monotone", "T5-2", "T5_2_monotone", "buckets grow with the distance", {kBucket},
                Monotone),
      Algebraic("saturates", "T5-2", "T5_2_saturates", "the last bucket from max_distance on",
                {kBucket}, Saturates),
      Algebraic("range", "T5-3", "T5_3_range", "every bucket is a row of the table", {kBucket},
                Range),
      Algebraic("halves", "T5-3", "T5_3_halves", "the upper half is for keys after the query",
                {kBucket}, Halves),
      Algebraic("mirror", "T5-3", "T5_3_mirror", "and is the lower one over again", {kBucket},
                Mirror),
      Algebraic("causal_future", "T5-3", "T5_3_causal_future",
                "causal: keys after the query have bucket 0", {kBucket}, CausalFuture),
      Algebraic("odd_count", "T5-3", "T5_3_odd_count_leaves_the_top_unused",
                "an odd count is the even one below", {kBucket}, OddCount),
      Algebraic("published", "T5-3", "T5_3_published_bidirectional",
                "the tables of 32 buckets and distance 128", {kBucket}, Published),
      Algebraic("translation", "T5-4", "T5_4_bias_depends_on_the_offset_only",
                "the bias depends on the offset only", {kBias}, Translation),
      Algebraic("one_pair_alone", "T5-4", "T5_4_bias_depends_on_the_offset_only",
                "an element is that of its own two positions: decoding, batches", {kBias},
                OnePairAlone),
      Algebraic("own_buckets", "T5-4", "", "the bias has the bits of the table's entry",
                {kBias, kBucket}, OwnBuckets),
      Algebraic("deberta_odd", "T5-5", "", "DeBERTa: the negative offset has the negative bucket",
                {kDeberta}, DebertaOdd),
      Algebraic("deberta_shape", "T5-5", "",
                "DeBERTa: exact up to the middle, growing, 2 M - 1 at the end", {kDeberta},
                DebertaShape),
      Algebraic("deberta_translation", "T5-5", "", "DeBERTa: a function of the offset", {kDeberta},
                DebertaTranslation),
      Algebraic("bucket_memory", "T5-8", "", "every bucket written, nothing else", {kBucket},
                BucketMemory),
      Algebraic("bias_memory", "T5-8", "", "inputs untouched, every element written, nothing else",
                {kBias}, BiasMemory),
      Algebraic("padding_unread", "T5-8", "", "nothing between the elements matters", {kBias},
                PaddingUnread),
      Algebraic("strides", "T5-8", "", "strided and contiguous agree", {kBias}, Strides),
      Algebraic("repeatable", "T5-8", "", "the same question has the same answer", {kBias},
                Repeatable),
      Judged("attention_boundaries", "T5-10",
             "outputs of keys at distances at which a bucket begins exactly", kAttention,
             AttentionBoundaries),
      Judged("attention_special_entries", "T5-9",
             "minus infinity, NaN and wide numbers in the table", kAttention,
             AttentionSpecialEntries),
      Algebraic("attention_scale_is_one", "T5-9", "", "scores are not scaled unless it is asked",
                {kAttention}, AttentionScaleIsOne),
      AboutSoftmax("attention_constant_table", "ATT-5", "ATT_5_output_shift_invariance",
                   "one entry a head is no bias, and zeros are none, wherever tokens stand",
                   AttentionConstantTable),
      Algebraic("attention_past_half", "T5-3", "T5_3_up_to_the_query",
                "under a causal mask both directions are the causal form of half the buckets",
                {kAttention}, AttentionPastHalf),
      Algebraic("attention_head_alone", "T5-4", "",
                "a head with its key head and its column: the same outputs", {kAttention},
                AttentionHeadAlone),
  };
  for (Property& property : attention::BiasedProperties(Attention()))
    all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::t5_bias
