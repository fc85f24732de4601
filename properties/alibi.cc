// What must hold of the ALiBi operations (spec/alibi.md).
#include "gnomon/spec/alibi.h"

#include <cmath>

#include "gnomon/properties/alibi_cases.h"
#include "gnomon/properties/judged.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::alibi {
namespace {

const std::string kSlopes = "alibi.slopes", kBias = "alibi.bias";
// Distances that no format makes overflow, of positions that can be added to.
constexpr int64_t kNear = int64_t{1} << 12, kAddable = int64_t{1} << 30;
constexpr double kU64 = 0x1p-53;

// Element of a bias [(batch,) heads, query, key].
int64_t At(const Case& c, int64_t batch, int64_t head, int64_t query, int64_t key) {
  const int64_t heads = SlopesOf(c).num_heads;
  return ((batch * heads + head) * Queries(c) + query) * Keys(c) + key;
}

std::string Named(const Case& c, int64_t batch, int64_t head, int64_t query, int64_t key) {
  return "head " + std::to_string(head) + ", query at " + std::to_string(QueryAt(c, batch, query)) +
         ", key at " + std::to_string(KeyAt(c, batch, key));
}

// Calls f(batch, head, query, key) for every element.
template <class F>
void ForEach(const Case& c, const F& f) {
  for (int64_t b = 0; b < Batches(c); ++b)
    for (int64_t h = 0; h < SlopesOf(c).num_heads; ++h)
      for (int64_t q = 0; q < Queries(c); ++q)
        for (int64_t k = 0; k < Keys(c); ++k) f(b, h, q, k);
}

Draw Near(AlibiForm form) {
  Draw draw;
  draw.form = form;
  draw.positions.limit = kNear;
  return draw;
}

// Judged by the reference.

void SlopesWithinBound(Trial& t) { ExpectWithinBound(t, DrawSlopes(t, {})); }
void BiasWithinBound(Trial& t) {
  Draw draw;
  draw.positions.memory = true;
  ExpectWithinBound(t, DrawBias(t, draw));
}
void UnusualSlopes(Trial& t) {
  Draw draw;
  draw.unusual_slopes = true;
  ExpectWithinBound(t, t.source().Chance(1, 2) ? DrawSlopes(t, draw) : DrawBias(t, draw));
}
void Halfway(Trial& t) { ExpectWithinBound(t, DrawHalfway(t)); }

// ALIBI-1.

void Geometric(Trial& t) {
  const Answer s(t, DrawSlopes(t, {}));
  const int64_t c = SlopesOf(s.asked()).heads_below();
  for (int64_t h = 0; h + 1 < c; ++h) {
    const Interval product = s.Value(h) * s.Value(0);
    t.Compare(abs(s.Value(h + 1) - product),
              s.Bound(h + 1) + abs(s.Value(h)) * s.Bound(0) + abs(s.Value(0)) * s.Bound(h) +
                  s.Bound(h) * s.Bound(0) + kU64 * abs(product),
              s.Size(h + 1), [&] {
                return "slope " + std::to_string(h + 2) + " is " + Show(s.Raw(h + 1)) +
                       ", and the product of slopes 1 and " + std::to_string(h + 1) + " is " +
                       Show(product);
              });
  }
  if (c == 1) t.NoteCompared();
}

void HeadOrder(Trial& t) {
  const Answer s(t, DrawSlopes(t, {}));
  const int64_t c = SlopesOf(s.asked()).heads_below();
  for (int64_t h = 0; h < s.shape()[0]; ++h) {
    const auto where = [&] { return "slope " + std::to_string(h + 1) + " is " + Show(s.Raw(h)); };
    t.Expect(s.Raw(h) >= 0, where);
    t.Compare(s.Value(h) - 1, s.Bound(h), Interval(1), where);
    if (h + 1 < c)
      t.Compare(s.Value(h + 1) - s.Value(h), s.Bound(h + 1) + s.Bound(h), s.Size(h),
                [&] { return where() + ", and the next one is greater: " + Show(s.Raw(h + 1)); });
  }
}

// The first c slopes are those of c heads, the others every second one of 2c heads.
void OtherHeadCounts(Trial& t) {
  const Case c = DrawSlopes(t, {});
  const Answer all(t, c);
  const AlibiSlopes s = SlopesOf(c);
  const int64_t below = s.heads_below();
  const Answer first(t, WithParameter(c, "num_heads", static_cast<double>(below)));
  const Answer twice(t, WithParameter(c, "num_heads", static_cast<double>(2 * below)));
  for (int64_t h = 0; h < s.num_heads; ++h) {
    CompareSame(t, all, h, twice, h < below ? 2 * h + 1 : 2 * (h - below));
    if (h < below) CompareSame(t, all, h, first, h);
  }
}

void EightHeads(Trial& t) {
  Case c;
  c.operation = kSlopes;
  c.format = t.DrawFormat();
  c.parameters["num_heads"] = 8.0;
  const Answer s(t, c);
  for (int64_t h = 0; h < 8; ++h) {
    const double power = std::ldexp(1.0, -static_cast<int>(h) - 1);
    const auto where = [&] {
      return "slope " + std::to_string(h + 1) + " of 8 is " + Show(s.Raw(h)) + ", not " +
             Show(power);
    };
    if (t.promise().correctly_rounded) {
      t.Expect(s.Raw(h) == power, where);
    } else {
      t.Compare(abs(s.Value(h) - power), s.Bound(h), Interval(power), where);
    }
  }
}

// ALIBI-2.

void Sign(Trial& t) {
  const Case c =
      DrawBias(t, Near(t.source().Pick({AlibiForm::kDistance, AlibiForm::kDistanceBelow})));
  const bool below = gnomon::alibi::ReadBias(c).form == AlibiForm::kDistanceBelow;
  const Answer y(t, c);
  ForEach(c, [&](int64_t b, int64_t h, int64_t q, int64_t k) {
    const int64_t i = At(c, b, h, q, k), offset = KeyAt(c, b, k) - QueryAt(c, b, q);
    const auto where = [&] { return Named(c, b, h, q, k) + ": " + Show(y.Raw(i)); };
    t.Expect(y.Raw(i) <= 0, where);
    if (offset == 0 || (below && offset > 0)) t.Expect(y.Raw(i) == 0, where);
    const bool tells = mpfr_less_p(reference::Upper(y.Bound(i)), reference::Lower(y.Size(i))) != 0;
    if (tells && offset != 0 && !(below && offset > 0)) t.Expect(y.Raw(i) != 0, where);
  });
}

void FallsWithDistance(Trial& t) {
  const Case c = DrawBias(t, Near(AlibiForm::kDistance));
  const Answer y(t, c);
  const auto distance = [&](int64_t b, int64_t q, int64_t k) {
    return std::abs(QueryAt(c, b, q) - KeyAt(c, b, k));
  };
  ForEach(c, [&](int64_t b, int64_t h, int64_t q, int64_t k) {
    for (int64_t k2 = 0; k2 < Keys(c); ++k2) {
      if (!(distance(b, q, k) < distance(b, q, k2))) continue;
      const int64_t near = At(c, b, h, q, k), far = At(c, b, h, q, k2);
      t.Compare(y.Value(far) - y.Value(near), y.Bound(far) + y.Bound(near), y.Size(far), [&] {
        return Named(c, b, h, q, k2) + " has " + Show(y.Raw(far)) + ", more than " +
               Show(y.Raw(near)) + " of the nearer key";
      });
    }
  });
  t.NoteCompared();
}

void Translation(Trial& t) {
  Draw draw = Near(t.source().Pick({AlibiForm::kDistance, AlibiForm::kDistanceBelow}));
  const Case c = DrawBias(t, draw);
  const Limits limits = t.limits(kBias);
  const int64_t by = t.source().Pick<int64_t>({1, -1, 1000, -4096, kAddable});
  for (const char* role : {"query_positions", "key_positions"})
    for (int64_t i = 0; i < c.inputs.at(role).count(); ++i) {
      const int64_t moved = c.inputs.at(role).Integer(i) + by;
      t.RequireInside(limits.position(moved) == moved);
    }
  const Answer here(t, c), there(t, Shifted(c, by));
  for (int64_t i = 0; i < ElementCount(here.shape()); ++i) CompareSame(t, here, i, there, i);
}

void Symmetric(Trial& t) {
  const Case c = DrawBias(t, Near(AlibiForm::kDistance));
  const Answer y(t, c);
  Case swapped = With(c, "query_positions", Contiguous(c.inputs.at("key_positions")));
  swapped = With(std::move(swapped), "key_positions", Contiguous(c.inputs.at("query_positions")));
  const Answer other(t, swapped);
  ForEach(c, [&](int64_t b, int64_t h, int64_t q, int64_t k) {
    CompareSame(t, y, At(c, b, h, q, k), other, At(swapped, b, h, k, q));
  });
}

// A decoding step, a batch row, one key: each element is that of its own two positions.
void OnePairAlone(Trial& t) {
  Draw draw;
  draw.positions.limit = kNear;
  draw.positions.memory = true;
  const Case c = DrawBias(t, draw);
  // The key form that counts from the end sees how many keys there are.
  t.RequireInside(gnomon::alibi::ReadBias(c).form != AlibiForm::kKeyFromTheEnd);
  const Answer all(t, c);
  for (int64_t b = 0; b < Batches(c); ++b)
    for (int64_t q = 0; q < Queries(c); ++q) {
      const int64_t k = t.source().Below(Keys(c));
      const Answer alone(t, OnePair(c, b, q, k));
      for (int64_t h = 0; h < SlopesOf(c).num_heads; ++h)
        CompareSame(t, all, At(c, b, h, q, k), alone, h);
    }
}

void OwnSlopes(Trial& t) {
  const Case c = DrawBias(t, Near(AlibiForm::kDistance));
  t.Require(kSlopes, c.format);
  const Answer y(t, c), s(t, SlopesLike(c));
  ForEach(c, [&](int64_t b, int64_t h, int64_t q, int64_t k) {
    const int64_t i = At(c, b, h, q, k);
    const Interval x(std::abs(QueryAt(c, b, q) - KeyAt(c, b, k)));
    const Interval product = x * s.Value(h);
    t.Compare(abs(y.Value(i) + product), y.Bound(i) + x * s.Bound(h) + kU64 * abs(product),
              y.Size(i), [&] {
                return Named(c, b, h, q, k) + ": " + Show(y.Raw(i)) + ", with a slope of " +
                       Show(s.Raw(h));
              });
  });
}

// ALIBI-3. Where no key is after the query a form differs from `distance` by a constant a row.
void RowConstant(Trial& t, AlibiForm form) {
  Draw draw = Near(form);
  const Case c = DrawBias(t, draw);
  const Answer y(t, c), d(t, WithParameter(c, "form", std::string("distance")));
  ForEach(c, [&](int64_t b, int64_t h, int64_t q, int64_t k) {
    int64_t first = 0;
    while (first < k && KeyAt(c, b, first) > QueryAt(c, b, q)) ++first;
    if (first == k || KeyAt(c, b, k) > QueryAt(c, b, q)) return;
    const int64_t i = At(c, b, h, q, k), j = At(c, b, h, q, first);
    const Interval here = y.Value(i) - d.Value(i), there = y.Value(j) - d.Value(j);
    t.Compare(
        abs(here - there),
        y.Bound(i) + d.Bound(i) + y.Bound(j) + d.Bound(j) +
            2 * kU64 * (abs(y.Value(i)) + abs(d.Value(i)) + abs(y.Value(j)) + abs(d.Value(j))),
        y.Size(i) + d.Size(i) + y.Size(j) + d.Size(j), [&] {
          return Named(c, b, h, q, k) + " differs from the distance by " + Show(here) +
                 ", an earlier key of the row by " + Show(there);
        });
  });
  t.NoteCompared();
}
void KeyForm(Trial& t) { RowConstant(t, AlibiForm::kKey); }
void KeyFromTheEnd(Trial& t) {
  RowConstant(t, AlibiForm::kKeyFromTheEnd);
  // And it is the key form of positions that are T - 1 less.
  Draw draw = Near(AlibiForm::kKeyFromTheEnd);
  const Case c = DrawBias(t, draw);
  Case key = WithParameter(c, "form", std::string("key"));
  const Tensor& n = c.inputs.at("key_positions");
  const Limits limits = t.limits(kBias);
  for (int64_t i = 0; i < n.count(); ++i) {
    const int64_t moved = n.Integer(i) - (Keys(c) - 1);
    t.RequireInside(limits.position(moved) == moved);
  }
  key = With(std::move(key), "key_positions",
             Integers(n.shape(), [&](int64_t i) { return n.Integer(i) - (Keys(c) - 1); }));
  const Answer y(t, c), other(t, key);
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) CompareSame(t, y, i, other, i);
}
void Below(Trial& t) {
  const Case c = DrawBias(t, Near(AlibiForm::kDistanceBelow));
  const Answer y(t, c), d(t, WithParameter(c, "form", std::string("distance")));
  ForEach(c, [&](int64_t b, int64_t h, int64_t q, int64_t k) {
    const int64_t i = At(c, b, h, q, k);
    if (KeyAt(c, b, k) <= QueryAt(c, b, q)) {
      CompareSame(t, y, i, d, i);
    } else {
      t.Expect(y.Raw(i) == 0, [&] { return Named(c, b, h, q, k) + ": " + Show(y.Raw(i)); });
    }
  });
}

// ALIBI-7.

Case DrawOnMemory(Trial& t) {
  Draw draw;
  draw.positions.memory = true;
  draw.positions.limit = kNear;
  return DrawBias(t, draw);
}
void SlopesMemory(Trial& t) { ExpectMemoryKept(t, DrawSlopes(t, {})); }
void BiasMemory(Trial& t) { ExpectMemoryKept(t, DrawOnMemory(t)); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawOnMemory(t)); }
void Repeatable(Trial& t) {
  Draw draw;
  draw.positions.limit = kNear;
  const Case c = DrawBias(t, draw);
  // The same shapes at other positions: what a cache with too small a key confuses.
  Case moved =
      With(c, "key_positions", Integers(c.inputs.at("key_positions").shape(), [&](int64_t i) {
             const int64_t p = c.inputs.at("key_positions").Integer(i);
             return p + (p < 0 ? 17 : -17);
           }));
  ExpectRepeatable(t, c, moved);
}

// ALIBI-8, ALIBI-10: attention.

const std::string kAttention = "alibi.attention";

// ALIBI-3. Where positions count tokens, a causal mask leaves only constants a row between the
// forms.
void FormsAgree(Trial& t) {
  Case c = attention::DrawBiased(t, Attention(), attention::FewTokens(64));
  c = WithParameter(attention::WithCountedPositions(std::move(c)), "mask", std::string("causal"));
  std::vector<std::unique_ptr<Answer>> forms;
  for (const std::string& form : kAlibiFormNames) {
    const Case one = WithParameter(c, "form", form);
    t.RequireInside(Outside(t.limits(kAttention), one).empty());
    forms.push_back(std::make_unique<Answer>(t, one));
  }
  for (size_t form = 1; form < forms.size(); ++form)
    for (int64_t i = 0; i < ElementCount(forms[0]->shape()); ++i)
      CompareSame(t, *forms[0], i, *forms[form], i);
}

// ALIBI-1. The first c of H heads have the slopes of c heads.
void FirstHeads(Trial& t) {
  const Case c = attention::DrawBiased(t, Attention(), attention::FewTokens(64));
  const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
  const int64_t below = AlibiSlopes{e.heads}.heads_below();
  t.RequireInside(below < e.heads && t.limits(kAttention).extent("kv_heads", below) == below);
  std::vector<int64_t> heads, kv;  // each head with a copy of its key head
  for (int64_t h = 0; h < below; ++h) {
    heads.push_back(h);
    kv.push_back(e.KvHead(h));
  }
  Case first = With(c, "q", Gather(c.inputs.at("q"), 2, heads));
  for (const char* role : {"k", "v"})
    first = With(std::move(first), role, Gather(c.inputs.at(role), 2, kv));
  const Answer all(t, c), some(t, first);
  for (int64_t i = 0; i < ElementCount(some.shape()); ++i) {
    const int64_t column = i % (below * e.value_dim), row = i / (below * e.value_dim);
    CompareSame(t, all, row * e.heads * e.value_dim + column, some, i);
  }
}

Property Judged(const std::string& name, const std::string& clause, const std::string& text,
                std::vector<std::string> operations, std::function<void(Trial&)> check) {
  return {"alibi." + name, clause, "", text, std::move(operations), false, std::move(check)};
}
// `theorem`: in Gnomon.Alibi; empty where the clause has none.
Property Algebraic(const std::string& name, const std::string& clause, const std::string& theorem,
                   const std::string& text, std::vector<std::string> operations,
                   std::function<void(Trial&)> check) {
  return {"alibi." + name,
          clause,
          theorem.empty() ? "" : "Gnomon.Alibi." + theorem,
          text,
          std::move(operations),
          true,
          std::move(check)};
}

}  // namespace

// ALIBI-6: every tolerance here.
std::vector<Property> Properties() {
  std::vector<Property> all = {
      Judged("slopes_within_bound", "ALIBI-5", "every slope within its bound", {kSlopes},
             SlopesWithinBound),
      Judged("bias_within_bound", "ALIBI-5", "every bias within its bound", {kBias},
             BiasWithinBound),
      Judged("unusual_slopes", "ALIBI-4", "slopes that are nearly 1, subnormal or 0",
             {kSlopes, kBias}, UnusualSlopes),
      Judged("halfway", "ALIBI-5", "products on and beside half way round once", {kBias}, Halfway),
      Algebraic("geometric", "ALIBI-1", "ALIBI_1_slopes_are_geometric",
                "each slope is the one before times the first", {kSlopes}, Geometric),
      Algebraic("head_order", "ALIBI-1", "ALIBI_1_slopes_fall",
                "slopes are from 0 to 1 and fall with the head", {kSlopes}, HeadOrder),
      Algebraic("other_head_counts", "ALIBI-1", "ALIBI_1_other_head_counts",
                "slopes are picked from those of the next power of two", {kSlopes},
                OtherHeadCounts),
      Algebraic("eight_heads", "ALIBI-1", "ALIBI_1_eight_heads", "eight heads have 2^-h", {kSlopes},
                EightHeads),
      Algebraic("sign", "ALIBI-2", "ALIBI_2_bias_is_0_on_the_diagonal_only",
                "never positive, 0 on the diagonal only", {kBias}, Sign),
      Algebraic("falls_with_distance", "ALIBI-2", "ALIBI_2_bias_falls_with_the_distance",
                "a key further away has less", {kBias}, FallsWithDistance),
      Algebraic("translation", "ALIBI-2", "ALIBI_2_bias_depends_on_the_offset_only",
                "the bias depends on the offset only", {kBias}, Translation),
      Algebraic("symmetric", "ALIBI-2", "ALIBI_2_bias_is_symmetric",
                "query and key exchanged: the transpose", {kBias}, Symmetric),
      Algebraic("one_pair_alone", "ALIBI-2", "ALIBI_2_bias_depends_on_the_offset_only",
                "an element is that of its own two positions: decoding, batches", {kBias},
                OnePairAlone),
      Algebraic("own_slopes", "ALIBI-2", "ALIBI_2_bias_is_the_slope_times_the_distance",
                "the bias is the subject's own slope times the distance", {kBias, kSlopes},
                OwnSlopes),
      Algebraic("key_form", "ALIBI-3", "ALIBI_3_by_key",
                "differs from the distance by a constant a row", {kBias}, KeyForm),
      Algebraic("key_from_the_end", "ALIBI-3", "ALIBI_3_by_key_from_the_end",
                "the same, and the key form T - 1 earlier", {kBias}, KeyFromTheEnd),
      Algebraic("below", "ALIBI-3", "ALIBI_3_by_distance_below",
                "the distance up to the diagonal, 0 above it", {kBias}, Below),
      Algebraic("slopes_memory", "ALIBI-7", "", "every slope written, nothing else", {kSlopes},
                SlopesMemory),
      Algebraic("bias_memory", "ALIBI-7", "",
                "inputs untouched, every element written, nothing else", {kBias}, BiasMemory),
      Algebraic("strides", "ALIBI-7", "", "strided and contiguous agree", {kBias}, Strides),
      Algebraic("repeatable", "ALIBI-7", "", "the same question has the same answer", {kBias},
                Repeatable),
      Algebraic("attention_forms_agree", "ALIBI-3", "ALIBI_3_by_key",
                "under a causal mask the four forms have the same outputs", {kAttention},
                FormsAgree),
      Algebraic("attention_first_heads", "ALIBI-1", "ALIBI_1_other_head_counts",
                "the first c heads asked alone have the same outputs", {kAttention}, FirstHeads),
  };
  for (Property& property : attention::BiasedProperties(Attention()))
    all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::alibi
