// What must hold of attention (spec/attention.md): judged answers, masks, special values, memory.
// The algebra is in attention_algebra.cc.
#include "gnomon/spec/attention.h"

#include <cmath>
#include <limits>

#include "gnomon/properties/attention_algebra.h"
#include "gnomon/properties/attention_cases.h"
#include "gnomon/properties/judged.h"
#include "gnomon/properties/property.h"

namespace gnomon::properties::attention {
namespace {

using gnomon::attention::Extents;
using gnomon::attention::ExtentsOf;

const std::string kSoftmax = "attention.softmax", kWeights = "attention.weights",
                  kFourTerm = "attention.four_term", kUntied = "attention.untied";

Draw OnMemory() {
  Draw draw;
  draw.memory = true;
  return draw;
}
Draw Judged(Trial& t) {
  Draw draw = OnMemory();
  draw.moderate = t.source().Chance(2, 3);
  return draw;
}
Draw Special(Trial& t) {
  Draw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  return draw;
}
Draw Large() {
  Draw draw;
  draw.large = true;
  return draw;
}

// Judged by the reference.

void SoftmaxWithinBound(Trial& t) { ExpectWithinBound(t, DrawSoftmax(t, Judged(t))); }
void WeightsWithinBound(Trial& t) { ExpectWithinBound(t, DrawWeights(t, Judged(t))); }
void LargeScores(Trial& t) { ExpectWithinBound(t, DrawSoftmax(t, Large())); }
void LargeWeights(Trial& t) { ExpectWithinBound(t, DrawWeights(t, Large())); }
void SpecialNumbers(Trial& t) { ExpectWithinBound(t, DrawSoftmax(t, Special(t))); }
void SpecialWeights(Trial& t) { ExpectWithinBound(t, DrawWeights(t, Special(t))); }
void FourTermWithinBound(Trial& t) { ExpectWithinBound(t, DrawFourTerm(t, Judged(t))); }
void UntiedWithinBound(Trial& t) { ExpectWithinBound(t, DrawUntied(t, OnMemory())); }
void SpecialFourTerm(Trial& t) { ExpectWithinBound(t, DrawFourTerm(t, Special(t))); }
void SpecialUntied(Trial& t) { ExpectWithinBound(t, DrawUntied(t, Special(t))); }

// ATT-2, ATT-4. What no query sees does not matter, bit for bit.

void IgnoresTheFuture(Trial& t) {
  Case c = DrawSoftmax(t, {});
  c.parameters["mask"] = std::string("causal");
  const Extents e = ExtentsOf(c);
  const int64_t last = t.source().Below(e.queries);  // the last query that must not change
  const int64_t seen = last + (e.keys - e.queries);
  t.RequireInside(seen + 1 < e.keys);
  const Outputs before = t.Run(c);
  const Outputs after =
      t.Run(WithIntruders(t, c, [&](int64_t, int64_t key) { return key > seen; }));
  ExpectSameBits(t, c, before.at("y"), after.at("y"), [&](int64_t query) { return query <= last; });
}

void IgnoresPadding(Trial& t) {
  Case c = DrawSoftmax(t, {});
  const Extents e = ExtentsOf(c);
  t.RequireInside(t.limits(c.operation).takes("key_mask"));
  Tensor mask(DrawIntegerType(t.source(), t.limits(c.operation), "key_mask"), {e.batch, e.keys});
  for (int64_t i = 0; i < mask.count(); ++i) mask.SetInteger(i, t.source().Chance(1, 2));
  const int64_t padding = t.source().Below(mask.count());
  mask.SetInteger(padding, 0);
  c = With(std::move(c), "key_mask", mask);
  const Outputs before = t.Run(c);
  const Outputs after = t.Run(WithIntruders(
      t, c, [&](int64_t batch, int64_t key) { return mask.Integer(batch * e.keys + key) == 0; }));
  ExpectSameBits(t, c, before.at("y"), after.at("y"), [](int64_t) { return true; });
}

// ATT-2. A query that sees no key has the output 0.
void NoKey(Trial& t) {
  Case c = DrawSoftmax(t, {});
  Extents e = ExtentsOf(c);
  if (t.source().Chance(1, 2) && t.limits(c.operation).takes("key_mask")) {
    Tensor mask(DrawIntegerType(t.source(), t.limits(c.operation), "key_mask"), {e.batch, e.keys});
    for (int64_t i = 0; i < mask.count(); ++i) mask.SetInteger(i, i >= e.keys);  // none in row 0
    c = With(std::move(c), "key_mask", mask);
  } else {
    c.parameters["mask"] = std::string("causal");
    t.RequireInside(e.queries > e.keys);
  }
  const Outputs y = t.Run(c);
  for (int64_t i = 0; i < y.at("y").count(); ++i) {
    const int64_t row = i / (e.heads * e.value_dim);
    bool sees = false;
    for (int64_t key = 0; key < e.keys; ++key)
      sees |= Sees(c, row / e.queries, row % e.queries, key);
    if (sees) continue;
    t.Expect(y.at("y").Value(i) == 0, [&] {
      return "element " + std::to_string(i) + " of a query that sees no key is " +
             Show(y.at("y").Value(i));
    });
  }
}

// ATT-13. A NaN in a value reaches that component of the queries that see it, and nothing else.
void NanStays(Trial& t) {
  Draw draw = OnMemory();
  Case c = DrawSoftmax(t, draw);
  c.inputs.erase("bias");  // a score of minus infinity leaves it open
  c.parameters.erase("alibi_bias_max");
  const Extents e = ExtentsOf(c);
  Tensor& v = c.inputs.at("v");
  const int64_t at = t.source().Below(v.count());
  v.Set(at, std::nan(""));
  const int64_t component = at % e.value_dim, kv_head = at / e.value_dim % e.kv_heads;
  const int64_t key = at / (e.value_dim * e.kv_heads) % e.keys;
  const int64_t batch = at / (e.value_dim * e.kv_heads * e.keys);
  const Outputs outputs = t.Run(c);
  const Tensor& y = outputs.at("y");
  for (int64_t i = 0; i < y.count(); ++i) {
    const int64_t head = i / e.value_dim % e.heads, row = i / (e.value_dim * e.heads);
    const bool due = i % e.value_dim == component && e.KvHead(head) == kv_head &&
                     row / e.queries == batch && Sees(c, batch, row % e.queries, key);
    t.Expect(std::isnan(y.Value(i)) == due, [&] {
      return "element " + std::to_string(i) + " is " + Show(y.Value(i)) + (due ? "" : " though") +
             ": v is NaN at element " + std::to_string(at);
    });
  }
}

// ATT-17.

void Memory(Trial& t) { ExpectMemoryKept(t, DrawSoftmax(t, OnMemory())); }
void WeightsMemory(Trial& t) { ExpectMemoryKept(t, DrawWeights(t, OnMemory())); }
void FourTermMemory(Trial& t) { ExpectMemoryKept(t, DrawFourTerm(t, OnMemory())); }
void UntiedMemory(Trial& t) { ExpectMemoryKept(t, DrawUntied(t, OnMemory())); }
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawSoftmax(t, OnMemory())); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawSoftmax(t, OnMemory())); }
void Repeatable(Trial& t) {
  const Case c = DrawSoftmax(t, {});
  Case between = c;
  for (auto& [role, tensor] : between.inputs)
    if (IsFloat(tensor.dtype()))
      for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, -tensor.Value(i) / 2);
  ExpectRepeatable(t, c, between);
}

}  // namespace

std::vector<Property> Properties() {
  std::vector<Property> all = {
      {"attention.within_bound",
       "ATT-14",
       "",
       "every output within its bound",
       {kSoftmax},
       false,
       SoftmaxWithinBound},
      {"attention.weights_within_bound",
       "ATT-14",
       "",
       "every weight within its bound",
       {kWeights},
       false,
       WeightsWithinBound},
      {"attention.large_scores",
       "ATT-14",
       "",
       "scores whose exponential overflows",
       {kSoftmax},
       false,
       LargeScores},
      {"attention.large_weights",
       "ATT-14",
       "",
       "the same for weights",
       {kWeights},
       false,
       LargeWeights},
      {"attention.special_numbers",
       "ATT-13",
       "",
       "NaN, infinities, zeros, subnormals and overflow",
       {kSoftmax},
       false,
       SpecialNumbers},
      {"attention.special_weights",
       "ATT-13",
       "",
       "the same for weights",
       {kWeights},
       false,
       SpecialWeights},
      {"attention.four_term_within_bound",
       "ATT-15",
       "",
       "every term within its bound",
       {kFourTerm},
       false,
       FourTermWithinBound},
      {"attention.untied_within_bound",
       "ATT-15",
       "",
       "every untied score within its bound",
       {kUntied},
       false,
       UntiedWithinBound},
      {"attention.special_four_term",
       "ATT-13",
       "",
       "special numbers in the four terms",
       {kFourTerm},
       false,
       SpecialFourTerm},
      {"attention.special_untied",
       "ATT-13",
       "",
       "special numbers in untied scores",
       {kUntied},
       false,
       SpecialUntied},
      {"attention.ignores_the_future",
       "ATT-7",
       "Gnomon.Attention.ATT_7_outputs_ignore_the_future",
       "later keys and values change no bit",
       {kSoftmax},
       true,
       IgnoresTheFuture},
      {"attention.ignores_padding",
       "ATT-4",
       "Gnomon.Attention.ATT_4_masked_keys_do_not_matter",
       "keys and values of padding change no bit",
       {kSoftmax},
       true,
       IgnoresPadding},
      {"attention.no_key",
       "ATT-2",
       "Gnomon.Attention.ATT_2_masked_weight_is_0",
       "a query that sees no key has the output 0",
       {kSoftmax},
       true,
       NoKey},
      {"attention.nan_stays",
       "ATT-13",
       "",
       "a NaN in a value reaches the queries that see it, in its own component",
       {kSoftmax},
       true,
       NanStays},
      {"attention.memory",
       "ATT-17",
       "",
       "inputs untouched, every element written, nothing else",
       {kSoftmax},
       true,
       Memory},
      {"attention.weights_memory",
       "ATT-17",
       "",
       "the same for weights",
       {kWeights},
       true,
       WeightsMemory},
      {"attention.four_term_memory",
       "ATT-17",
       "",
       "the same for the four terms",
       {kFourTerm},
       true,
       FourTermMemory},
      {"attention.untied_memory",
       "ATT-17",
       "",
       "the same for untied scores",
       {kUntied},
       true,
       UntiedMemory},
      {"attention.padding_unread",
       "ATT-17",
       "",
       "nothing between the elements matters",
       {kSoftmax},
       true,
       PaddingUnread},
      {"attention.strides",
       "ATT-17",
       "",
       "strided and contiguous agree",
       {kSoftmax},
       true,
       Strides},
      {"attention.repeatable",
       "ATT-17",
       "",
       "the same question has the same answer",
       {kSoftmax},
       true,
       Repeatable},
  };
  for (Property& property : AlgebraicProperties()) all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::attention
