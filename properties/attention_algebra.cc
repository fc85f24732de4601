// Identities of attention (ATT-16): each compares answers with each other, or with a number that
// needs no softmax.
#include "gnomon/properties/attention_algebra.h"

#include <cmath>
#include <numeric>

#include "gnomon/properties/attention_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::attention {
namespace {

using gnomon::attention::Extents;
using gnomon::attention::ExtentsOf;

const std::string kSoftmax = "attention.softmax", kWeights = "attention.weights",
                  kFourTerm = "attention.four_term", kUntied = "attention.untied";

Draw Plain() {
  Draw draw;
  draw.masks = draw.bias = false;
  return draw;
}
Draw Square() {
  Draw draw = Plain();
  draw.square = true;
  return draw;
}
Case Causal(Case c) { return WithParameter(std::move(c), "mask", std::string("causal")); }
Case WithInputs(Case c, const std::vector<std::string>& roles,
                const std::function<Tensor(const Tensor&)>& change) {
  for (const std::string& role : roles) c = With(c, role, change(c.inputs.at(role)));
  return c;
}
std::vector<int64_t> Range(int64_t first, int64_t count) {
  std::vector<int64_t> index(static_cast<size_t>(count));
  std::iota(index.begin(), index.end(), first);
  return index;
}
void CompareWith(Trial& t, const Answer& y, int64_t i, const Interval& truth, const char* what,
                 int output = 0) {
  t.Compare(abs(y.Value(i, output) - truth), y.Bound(i, output), y.Size(i, output), [&] {
    return std::string(what) + ": element " + std::to_string(i) + " is " + Show(y.Raw(i, output)) +
           " for " + Show(truth);
  });
}

// ATT-6. Keys with their values in another order change nothing; queries carry their outputs along.
void Permutation(Trial& t) {
  const Case c = DrawSoftmax(t, Plain());
  const Extents e = ExtentsOf(c);
  const std::vector<int64_t> keys = DrawPermutation(t.source(), e.keys),
                             queries = DrawPermutation(t.source(), e.queries);
  Case moved = WithInputs(c, {"k", "v"}, [&](const Tensor& x) { return Gather(x, 1, keys); });
  moved = WithInputs(moved, {"q"}, [&](const Tensor& x) { return Gather(x, 1, queries); });
  const Answer y(t, c), z(t, moved);
  const int64_t row = e.heads * e.value_dim;
  for (int64_t i = 0; i < ElementCount(z.shape()); ++i) {
    const int64_t query = queries[static_cast<size_t>(i / row % e.queries)];
    CompareSame(t, y, (i / (row * e.queries) * e.queries + query) * row + i % row, z, i);
  }
}

// ATT-7. Under a causal mask the same change of order shows: two tokens are enough.
void CausalSeesOrder(Trial& t) {
  Case c;
  c.operation = kSoftmax;
  c.format = t.DrawFormat();
  c.parameters["mask"] = std::string("causal");
  const double value = DrawNumber(t.source(), c.format, Numbers::kWhole);
  const auto ask = [&](double first, double second) {
    Case one = c;
    one.inputs.emplace("q", Reals(c.format, {1, 2, 1, 1}, [](int64_t) { return 0; }));
    one.inputs.emplace("k", Reals(c.format, {1, 2, 1, 1}, [](int64_t) { return 0; }));
    one.inputs.emplace(
        "v", Reals(c.format, {1, 2, 1, 1}, [&](int64_t i) { return i == 0 ? first : second; }));
    return one;
  };
  // Without a mask the outputs would be carried along: y_1 of one is y_0 of the other.
  const Answer y(t, ask(value, 0)), z(t, ask(0, value));
  t.Expect(std::abs(y.Raw(1) - z.Raw(0)) > std::abs(value) / 4, [&] {
    return "the causal mask does not break equivariance: " + Show(y.Raw(1)) + " and " +
           Show(z.Raw(0));
  });
}

// ATT-7. Equal scores: the output is the mean of the values so far.
void CountsPredecessors(Trial& t) {
  Case c = Causal(DrawSoftmax(t, Square()));
  const Extents e = ExtentsOf(c);
  c = WithInputs(c, {"q"}, [](const Tensor& x) {
    return Reals(FormatOf(x.dtype()), x.shape(), [](int64_t) { return 0; });
  });
  Tensor& v = c.inputs.at("v");  // component 0 is 1 for the first token alone: y = 1 / t
  for (int64_t i = 0; i < v.count(); ++i)
    if (i % e.value_dim == 0) v.Set(i, i / (e.value_dim * e.kv_heads) % e.keys == 0);
  const Answer y(t, c);
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) {
    const int64_t row = i / (e.heads * e.value_dim), head = i / e.value_dim % e.heads;
    const int64_t count = row % e.queries + 1;
    Interval sum(0);
    for (int64_t key = 0; key < count; ++key)
      sum += Interval(c.inputs.at("v").Value(
          ElementOf(v.shape(), {row / e.queries, key, e.KvHead(head), i % e.value_dim})));
    CompareWith(t, y, i, sum / count, "equal scores do not give the mean of the values so far");
  }
}

// ATT-2. The last query sees every key: asked alone, as in decoding, it has the same output.
void Decode(Trial& t) {
  Draw draw;
  draw.square = true;
  const Case c = Causal(DrawSoftmax(t, draw));
  const Extents e = ExtentsOf(c);
  const int64_t count = 1 + t.source().Below(e.queries);
  const std::vector<int64_t> last = Range(e.queries - count, count);
  Case alone = WithInputs(c, {"q"}, [&](const Tensor& x) { return Gather(x, 1, last); });
  if (c.inputs.count("bias"))
    alone = WithInputs(alone, {"bias"}, [&](const Tensor& x) { return Gather(x, 1, last); });
  const Answer all(t, c), some(t, alone);
  const int64_t row = e.heads * e.value_dim;
  for (int64_t i = 0; i < ElementCount(some.shape()); ++i) {
    const int64_t batch = i / (row * count), query = i / row % count + e.queries - count;
    CompareSame(t, all, (batch * e.queries + query) * row + i % row, some, i);
  }
}

// ATT-12. Heads that share a key head answer as if each had a copy of it.
void Grouped(Trial& t) {
  const Case c = DrawSoftmax(t, {});
  const Extents e = ExtentsOf(c);
  t.RequireInside(e.heads > e.kv_heads &&
                  t.limits(kSoftmax).extent("kv_heads", e.heads) == e.heads);
  std::vector<int64_t> copies;
  for (int64_t head = 0; head < e.heads; ++head) copies.push_back(e.KvHead(head));
  const Answer y(t, c);
  const Answer z(t,
                 WithInputs(c, {"k", "v"}, [&](const Tensor& x) { return Gather(x, 2, copies); }));
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) CompareSame(t, y, i, z, i);
}

// ATT-12. Every batch row and every key head is a question of its own.
void Parts(Trial& t) {
  Draw draw;
  const Case c = DrawSoftmax(t, draw);
  t.RequireInside(!c.parameters.count("alibi_bias_max"));  // slopes need all heads
  const Extents e = ExtentsOf(c);
  const Answer y(t, c);
  const int64_t group = e.heads / e.kv_heads;
  for (int64_t batch = 0; batch < e.batch; ++batch)
    for (int64_t kv = 0; kv < e.kv_heads; ++kv) {
      const std::vector<int64_t> heads = Range(kv * group, group);
      Case part =
          WithInputs(c, {"q", "k", "v"}, [&](const Tensor& x) { return Gather(x, 0, {batch}); });
      part = WithInputs(part, {"k", "v"}, [&](const Tensor& x) { return Gather(x, 2, {kv}); });
      part = WithInputs(part, {"q"}, [&](const Tensor& x) { return Gather(x, 2, heads); });
      if (c.inputs.count("bias") && c.inputs.at("bias").shape()[0] > 1)
        part = WithInputs(part, {"bias"}, [&](const Tensor& x) { return Gather(x, 0, heads); });
      if (c.inputs.count("key_mask"))
        part =
            WithInputs(part, {"key_mask"}, [&](const Tensor& x) { return Gather(x, 0, {batch}); });
      const Answer z(t, part);
      for (int64_t i = 0; i < ElementCount(z.shape()); ++i) {
        const int64_t query = i / (group * e.value_dim), head = i / e.value_dim % group;
        CompareSame(t, y, ElementOf(y.shape(), {batch, query, kv * group + head, i % e.value_dim}),
                    z, i);
      }
    }
}

// ATT-3. Values that are all 1 come out as 1.
void Ones(Trial& t) {
  Draw draw;
  Case c = DrawSoftmax(t, draw);
  c = WithInputs(c, {"v"}, [](const Tensor& x) {
    return Reals(FormatOf(x.dtype()), x.shape(), [](int64_t) { return 1; });
  });
  const Answer y(t, c);
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) {
    if (y.Bound(i) == 0) continue;  // sees no key
    CompareWith(t, y, i, Interval(1), "weights do not sum to 1");
  }
}

void WeightsSum(Trial& t) {
  const Case c = DrawWeights(t, {});
  const Extents e = ExtentsOf(c);
  const Answer w(t, c);
  for (int64_t row = 0; row < ElementCount(w.shape()) / std::max<int64_t>(e.keys, 1); ++row) {
    Interval sum(0), tolerance(0);
    bool any = false;
    for (int64_t key = 0; key < e.keys; ++key) {
      const int64_t i = row * e.keys + key;
      sum += w.Value(i);
      tolerance += w.Bound(i);
      const bool sees = Sees(c, row / (e.heads * e.queries), row % e.queries, key);
      any |= w.Raw(i) != 0;
      t.Expect(sees ? w.Raw(i) >= 0 : w.Raw(i) == 0, [&] {
        return "weight " + std::to_string(i) + " is " + Show(w.Raw(i)) +
               (sees ? "" : ", of a key that the query does not see");
      });
    }
    if (!any) continue;  // no key, or all left out by the bias
    t.Compare(abs(sum - 1), tolerance, Interval(1),
              [&] { return "weights of row " + std::to_string(row) + " sum to " + Show(sum); });
  }
}

// ATT-4. Every output lies between the least and the greatest value seen.
void Convexity(Trial& t) {
  const Case c = DrawSoftmax(t, {});
  const Extents e = ExtentsOf(c);
  const Answer y(t, c);
  const Tensor& v = c.inputs.at("v");
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) {
    const int64_t row = i / (e.heads * e.value_dim), head = i / e.value_dim % e.heads;
    const int64_t batch = row / e.queries;
    double low = INFINITY, high = -INFINITY;
    for (int64_t key = 0; key < e.keys; ++key) {
      if (!Sees(c, batch, row % e.queries, key)) continue;
      const double value =
          v.Value(ElementOf(v.shape(), {batch, key, e.KvHead(head), i % e.value_dim}));
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (y.Bound(i) == 0 || !(low <= high)) continue;
    const double outside = std::max({low - y.Raw(i), y.Raw(i) - high, 0.0});
    t.Compare(std::isnan(y.Raw(i)) ? Interval(y.Raw(i)) : Interval(outside), y.Bound(i), y.Size(i),
              [&] {
                return "element " + std::to_string(i) + " is " + Show(y.Raw(i)) + ", values from " +
                       Show(low) + " to " + Show(high);
              });
  }
}

Tensor DrawBias(Trial& t, const Case& c) {
  const Extents e = ExtentsOf(c);
  t.RequireInside(t.limits(kSoftmax).takes("bias"));
  return Reals(c.format, {t.source().Chance(1, 2) ? e.heads : 1, e.queries, e.keys},
               [&](int64_t) { return static_cast<double>(t.source().Below(33) - 16) / 8; });
}

// ATT-5. A constant added to a row of scores.
void RowConstants(Trial& t) {
  Draw draw;
  draw.bias = false;
  Case c = DrawSoftmax(t, draw);
  const Tensor bias = DrawBias(t, c);
  const int64_t keys = ExtentsOf(c).keys;
  std::vector<double> constant;
  for (int64_t i = 0; i * keys < bias.count(); ++i)
    constant.push_back(static_cast<double>(t.source().Below(17) - 8) / 4);
  const Answer y(t, With(c, "bias", bias));
  const Answer z(t, With(c, "bias", Reals(c.format, bias.shape(), [&](int64_t i) {
                           return bias.Value(i) + constant[static_cast<size_t>(i / keys)];
                         })));
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) CompareSame(t, y, i, z, i);
}

// ATT-1. The bias is added after the scaling: with queries of 0 the scale does not matter.
void BiasIsNotScaled(Trial& t) {
  Draw draw;
  draw.bias = false;
  Case c = DrawSoftmax(t, draw);
  c = WithInputs(c, {"q"}, [](const Tensor& x) {
    return Reals(FormatOf(x.dtype()), x.shape(), [](int64_t) { return 0; });
  });
  c = With(c, "bias", DrawBias(t, c));
  const Answer y(t, WithParameter(c, "scale", 1.0)), z(t, WithParameter(c, "scale", 0.125));
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) CompareSame(t, y, i, z, i);
}

// ATT-1. The scale multiplies the scores, and is 1 / sqrt(head_dim) where none is given.
void Scaling(Trial& t) {
  Case c = DrawSoftmax(t, {});
  const Extents e = ExtentsOf(c);
  c.parameters.erase("scale");
  const double root = std::sqrt(static_cast<double>(e.head_dim));
  const Answer y(t, c);
  if (std::exp2(std::round(std::log2(root))) == root) {
    const Answer z(t, WithParameter(c, "scale", 1 / root));
    for (int64_t i = 0; i < ElementCount(y.shape()); ++i) CompareSame(t, y, i, z, i);
  }
  const double scale = t.source().Pick<double>({0.5, 0.25, 2});
  const Case halved = WithInputs(c, {"q"}, [&](const Tensor& x) {
    return Reals(FormatOf(x.dtype()), x.shape(), [&](int64_t i) { return scale * x.Value(i); });
  });
  const Answer a(t, WithParameter(c, "scale", scale)), b(t, WithParameter(halved, "scale", 1.0));
  for (int64_t i = 0; i < ElementCount(a.shape()); ++i) CompareSame(t, a, i, b, i);
}

// ATT-3, ATT-4. Keys and values that are unit vectors: scores are q itself, outputs the weights.
void WeightsAgree(Trial& t) {
  const Case c = DrawWeights(t, {});
  const Extents e = ExtentsOf(c);
  const Limits limits = t.limits(kSoftmax);
  t.RequireInside(limits.extent("head_dim", e.keys) == e.keys && e.keys < 20 &&
                  limits.extent("value_dim", e.keys) == e.keys && limits.takes("scale"));
  Case other;
  other.operation = kSoftmax;
  other.format = c.format;
  other.parameters = c.parameters;
  if (!other.parameters.count("scale")) other.parameters["scale"] = 1.0;
  for (const char* role : {"bias", "key_mask"})
    if (c.inputs.count(role)) other.inputs.emplace(role, c.inputs.at(role));
  const Tensor& scores = c.inputs.at("scores");
  other.inputs.emplace(
      "q", Reals(c.format, {e.batch, e.queries, e.heads, e.keys}, [&](int64_t i) {
        const int64_t row = i / (e.heads * e.keys);
        return scores.Value(ElementOf(
            scores.shape(), {row / e.queries, i / e.keys % e.heads, row % e.queries, i % e.keys}));
      }));
  for (const char* role : {"k", "v"})
    other.inputs.emplace(role, Reals(c.format, {e.batch, e.keys, 1, e.keys},
                                     [&](int64_t i) { return i / e.keys % e.keys == i % e.keys; }));
  const Answer w(t, c), y(t, other);
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) {
    const int64_t row = i / (e.heads * e.keys);
    const int64_t j =
        ElementOf(w.shape(), {row / e.queries, i / e.keys % e.heads, row % e.queries, i % e.keys});
    t.Compare(abs(y.Value(i) - w.Value(j)), y.Bound(i) + w.Bound(j), Interval(1), [&] {
      return "output " + std::to_string(i) + " is " + Show(y.Raw(i)) + ", weight " +
             std::to_string(j) + " " + Show(w.Raw(j));
    });
  }
}

// ATT-8. (e + p) W (e + p)^T, asked as a content without positions, is the sum of the four terms.
void FourTermsAddUp(Trial& t) {
  Draw draw;
  draw.numbers = Numbers::kWhole;  // so that e + p is a value of every format
  const Case c = DrawFourTerm(t, draw);
  const Tensor &e = c.inputs.at("e"), &p = c.inputs.at("p");
  Case sum =
      With(c, "e", Reals(c.format, e.shape(), [&](int64_t i) { return e.Value(i) + p.Value(i); }));
  sum = With(sum, "p", Reals(c.format, e.shape(), [](int64_t) { return 0; }));
  const Answer terms(t, c), whole(t, sum);
  for (int64_t i = 0; i < ElementCount(whole.shape()); ++i) {
    Interval value(0), tolerance = whole.Bound(i), size(0);
    for (int term = 0; term < 4; ++term) {
      value += terms.Value(i, term);
      tolerance += terms.Bound(i, term);
      size += terms.Size(i, term);
    }
    t.Compare(abs(value - whole.Value(i)), tolerance, size, [&] {
      return "the four terms of element " + std::to_string(i) + " sum to " + Show(value) +
             ", not " + Show(whole.Raw(i));
    });
  }
}

// ATT-8. Content and position exchanged; W transposed: x W y^T = y W^T x^T.
void FourTermsExchanged(Trial& t) {
  const Case c = DrawFourTerm(t, {});
  Case other = With(c, "e", Contiguous(c.inputs.at("p")));
  other = With(other, "p", Contiguous(c.inputs.at("e")));
  const Tensor& w = c.inputs.at("w");
  const int64_t width = w.shape()[0], seq = c.inputs.at("e").shape()[0];
  const Case turned = With(c, "w", Reals(c.format, w.shape(), [&](int64_t i) {
                             return w.Value(i % width * width + i / width);
                           }));
  const Answer y(t, c), z(t, other), transposed(t, turned);
  for (int term = 0; term < 4; ++term)
    for (int64_t i = 0; i < seq * seq; ++i) {
      const int64_t back = i % seq * seq + i / seq;
      const int mirrored = term == 1 ? 2 : term == 2 ? 1 : term;
      t.Compare(abs(y.Value(i, term) - z.Value(i, 3 - term)),
                y.Bound(i, term) + z.Bound(i, 3 - term), y.Size(i, term),
                [&] { return "e and p exchanged: term " + std::to_string(term); });
      t.Compare(abs(y.Value(i, term) - transposed.Value(back, mirrored)),
                y.Bound(i, term) + transposed.Bound(back, mirrored), y.Size(i, term),
                [&] { return "W transposed: term " + std::to_string(term); });
    }
}

// ATT-10. Content and position count alike, and add up; beside each other they are one score of
// 2 d dims.
void UntiedIsOneScore(Trial& t) {
  const Case c = DrawUntied(t, {});
  Case other = c;
  for (const auto& [a, b] : {std::pair("q", "pq"), std::pair("k", "pk")}) {
    other = With(other, a, Contiguous(c.inputs.at(b)));
    other = With(other, b, Contiguous(c.inputs.at(a)));
  }
  const auto zero = [](const Tensor& x) {
    return Reals(FormatOf(x.dtype()), x.shape(), [](int64_t) { return 0; });
  };
  const Answer y(t, c), z(t, other);
  const Answer content(t, WithInputs(c, {"pq", "pk"}, zero)),
      position(t, WithInputs(c, {"q", "k"}, zero));
  const Interval root = sqrt(Interval(2 * c.inputs.at("q").shape()[2]));
  const Shape q = c.inputs.at("q").shape();
  const int64_t keys = c.inputs.at("k").shape()[0];
  for (int64_t i = 0; i < ElementCount(y.shape()); ++i) {
    CompareSame(t, y, i, z, i);
    t.Compare(abs(y.Value(i) - content.Value(i) - position.Value(i)),
              y.Bound(i) + content.Bound(i) + position.Bound(i), y.Size(i),
              [&] { return "content and position do not add up at " + std::to_string(i); });
    Interval exact(0);
    for (int64_t d = 0; d < q[2]; ++d)
      for (const auto& [a, b] : {std::pair("q", "k"), std::pair("pq", "pk")})
        exact +=
            Interval(c.inputs.at(a).Value(ElementOf(q, {i / keys % q[0], i / keys / q[0], d}))) *
            Interval(c.inputs.at(b).Value(
                ElementOf(c.inputs.at("k").shape(), {i % keys, i / keys / q[0], d})));
    CompareWith(t, y, i, exact / root, "not the score of 2 d dims");
  }
}

}  // namespace

std::vector<Property> AlgebraicProperties() {
  const auto proved = [](const char* name) { return std::string("Gnomon.Attention.") + name; };
  return {
      {"attention.permutation",
       "ATT-6",
       proved("ATT_6_permutation_equivariance"),
       "without a mask tokens in another order carry their outputs along",
       {kSoftmax},
       true,
       Permutation},
      {"attention.causal_sees_order",
       "ATT-7",
       proved("ATT_7_causal_mask_sees_order"),
       "a causal mask breaks that: two tokens show it",
       {kSoftmax},
       true,
       CausalSeesOrder},
      {"attention.counts_predecessors",
       "ATT-7",
       proved("ATT_7_output_is_the_mean"),
       "equal scores under a causal mask give the mean of the values so far",
       {kSoftmax},
       true,
       CountsPredecessors},
      {"attention.decode",
       "ATT-2",
       proved("ATT_2_masked_weight_is_0"),
       "the last queries asked alone have the same outputs",
       {kSoftmax},
       true,
       Decode},
      {"attention.grouped",
       "ATT-12",
       "",
       "heads that share a key head, as if each had a copy",
       {kSoftmax},
       true,
       Grouped},
      {"attention.parts",
       "ATT-12",
       "",
       "every batch row and key head is a question of its own",
       {kSoftmax},
       true,
       Parts},
      {"attention.ones",
       "ATT-3",
       proved("ATT_3_weights_sum_to_1"),
       "values that are all 1 come out as 1",
       {kSoftmax},
       true,
       Ones},
      {"attention.weights_sum",
       "ATT-3",
       proved("ATT_3_weights_sum_to_1"),
       "weights are not negative, 0 where nothing is seen, and sum to 1",
       {kWeights},
       true,
       WeightsSum},
      {"attention.weights_agree",
       "ATT-4",
       proved("ATT_4_convexity"),
       "outputs of unit vectors are the weights",
       {kSoftmax, kWeights},
       true,
       WeightsAgree},
      {"attention.convexity",
       "ATT-4",
       proved("ATT_4_convexity"),
       "outputs lie between the least and the greatest value seen",
       {kSoftmax},
       true,
       Convexity},
      {"attention.row_constants",
       "ATT-5",
       proved("ATT_5_output_shift_invariance"),
       "a constant added to a row of scores changes nothing",
       {kSoftmax},
       true,
       RowConstants},
      {"attention.bias_is_not_scaled",
       "ATT-1",
       proved("ATT_1_bias_is_added_after_the_scaling"),
       "with queries of 0 the scale does not matter",
       {kSoftmax},
       true,
       BiasIsNotScaled},
      {"attention.scaling",
       "ATT-1",
       proved("ATT_1_bias_is_added_after_the_scaling"),
       "the scale multiplies the scores; 1 / sqrt(head_dim) is the default",
       {kSoftmax},
       true,
       Scaling},
      {"attention.four_terms_add_up",
       "ATT-8",
       proved("ATT_8_four_terms"),
       "(e + p) W (e + p)^T is the sum of the four terms",
       {kFourTerm},
       true,
       FourTermsAddUp},
      {"attention.four_terms_exchanged",
       "ATT-8",
       proved("ATT_8_four_terms"),
       "e and p exchanged, and W transposed",
       {kFourTerm},
       true,
       FourTermsExchanged},
      {"attention.untied_is_one_score",
       "ATT-10",
       proved("ATT_10_is_one_score"),
       "content and position beside each other, scaled by sqrt(2 d)",
       {kUntied},
       true,
       UntiedIsOneScore},
  };
}

}  // namespace gnomon::properties::attention
