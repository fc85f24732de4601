// Context extension on rope.frequencies, rope.table and rope.apply (spec/rope_scaling.md, SCALE-13
// and SCALE-18). A subject that does not take `rope_type` is not asked.
#include "gnomon/properties/judged.h"
#include "gnomon/properties/rope_algebra.h"
#include "gnomon/properties/rope_cases.h"
#include "gnomon/properties/rope_scaling_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::rope {
namespace {

constexpr int64_t kFar = int64_t{1} << 17;

Draw DrawOf(Trial& t, RopeType type) {
  Draw draw;
  draw.scaled = type;
  draw.position_limit = kFar;
  draw.numbers = DrawTame(t.source());
  return draw;
}
RopeType WithMagnitude(Trial& t) { return t.source().Pick({RopeType::kYarn, RopeType::kLongrope}); }

void ScaledApply(Trial& t) {
  Draw draw = DrawOf(t, rope_scaling::DrawType(t.source()));
  draw.memory = t.source().Chance(1, 3);
  ExpectWithinBound(t, DrawApply(t, draw));
}
void ScaledTable(Trial& t) {
  ExpectWithinBound(t, DrawTable(t, DrawOf(t, rope_scaling::DrawType(t.source()))));
}
void ScaledFrequencies(Trial& t) {
  t.RequireInside(t.limits("rope.frequencies").takes("rope_type"));
  ExpectWithinBound(t,
                    rope_scaling::FrequenciesCase(
                        t, rope_scaling::DrawScaled(t.source(), rope_scaling::DrawType(t.source())),
                        "rope.frequencies"));
}

// SCALE-1: m w / s at position s m is m w.
void Interpolated(Trial& t) {
  Case c = DrawApply(t, DrawOf(t, RopeType::kLinear));
  const double s = t.source().Pick({4.0, 2.0, 8.0, 3.0});
  c.parameters["factor"] = s;
  const Case far = WithPositions(
      c, [&](int64_t i) { return c.inputs.at("positions").Integer(i) * static_cast<int64_t>(s); });
  Case plain = c;
  plain.parameters.erase("rope_type");
  plain.parameters.erase("factor");
  const Answer one(t, far), two(t, plain);
  const RopeApply a = gnomon::rope::ReadApply(c);
  for (int64_t i = 0; i < one.output("y").count(); ++i)
    if (a.InWindow(i % a.frequencies.head_dim)) CompareSame(t, one, i, two, i);
}

// A magnitude that is known: attention_factor.
Case WithAttentionFactor(Trial& t, Case c, double factor) {
  for (const char* name : {"short_mscale", "long_mscale", "attn_factor", "magnitude_placement"})
    c.parameters.erase(name);
  if (t.source().Chance(1, 3)) c.parameters["magnitude_placement"] = std::string("input");
  c.parameters["attention_factor"] = factor;
  return c;
}

// SCALE-13: every pair is longer by the magnitude, in y and in the tables.
void MagnifiedNorms(Trial& t) {
  const double factor = t.source().Pick({1.25, 0.5, 1.1386294361119891});
  const Case c = WithAttentionFactor(t, DrawApply(t, DrawOf(t, WithMagnitude(t))), factor);
  const Answer y(t, c);
  const Tensor& x = c.inputs.at("x");
  const RopeApply a = gnomon::rope::ReadApply(c);
  std::vector<std::pair<int64_t, int64_t>> from;
  ForEachPair(c, a.input_layout,
              [&](int64_t, int64_t ea, int64_t eb) { from.emplace_back(ea, eb); });
  size_t next = 0;
  ForEachPair(c, a.output_layout, [&](int64_t, int64_t ea, int64_t eb) {
    const auto [xa, xb] = from[next++];
    const Interval before = factor * Length(Interval(x.Value(xa)), Interval(x.Value(xb)));
    const Interval after = Length(y.Value(ea), y.Value(eb));
    t.Compare(abs(after - before), Length(y.Bound(ea), y.Bound(eb)), before, [&] {
      return "the pair at elements " + std::to_string(ea) + ", " + std::to_string(eb) +
             " has length " + Show(after) + ", not " + Show(before);
    });
  });
}
void MagnifiedCircle(Trial& t) {
  const double factor = t.source().Pick({1.25, 0.5, 1.1386294361119891});
  Case c = WithAttentionFactor(t, DrawTable(t, DrawOf(t, WithMagnitude(t))), factor);
  const bool tables = c.parameters.count("magnitude_placement") == 0;
  const Interval length(tables ? factor : 1);
  const Answer table(t, c);
  for (int64_t i = 0; i < table.output("cos").count(); ++i) {
    const Interval found = Length(table.Value(i, 0), table.Value(i, 1));
    t.Compare(abs(found - length), Length(table.Bound(i, 0), table.Bound(i, 1)), length, [&] {
      return "entry " + std::to_string(i) + " lies on a circle of radius " + Show(found) +
             ", not " + Show(length);
    });
  }
}

// SCALE-9, SCALE-10: one length for a call. Every token alone, told that length, turns as it does
// among the others.
void LengthOfTheCall(Trial& t) {
  const RopeType type = t.source().Pick({RopeType::kLongrope, RopeType::kDynamic});
  Case c = DrawApply(t, DrawOf(t, type));
  const double L = std::get<double>(c.parameters.at("original_max_position_embeddings"));
  c.parameters.erase("seq_len");
  // Some tokens before L, at least one beyond.
  c = WithPositions(c, [&](int64_t i) {
    return i == 0 ? static_cast<int64_t>(L) + t.source().Below(3) : t.source().Below(64);
  });
  const Answer all(t, c);
  const Case told = WithParameter(
      c, "seq_len", static_cast<double>(gnomon::rope::ReadApply(c).frequencies.scaling.seq_len));
  const Answer same(t, told);
  const Tensor positions = PositionsByToken(c);
  const Tensor& x = c.inputs.at("x");
  const int64_t row = x.shape()[2] * x.shape()[3];
  const RopeApply a = gnomon::rope::ReadApply(c);
  for (int64_t token = 0; token < std::min<int64_t>(positions.count(), 4); ++token) {
    Tensor one_x = Guarded(x.dtype(), {1, 1, x.shape()[2], x.shape()[3]});
    for (int64_t i = 0; i < row; ++i) one_x.SetBits(i, BitsAt(x.view(), token * row + i));
    const Answer alone(t, With(With(told, "x", one_x), "positions",
                               Integers({1}, [&](int64_t) { return positions.Integer(token); })));
    for (int64_t i = 0; i < row; ++i)
      if (a.InWindow(i % x.shape()[3])) {
        CompareSame(t, all, token * row + i, alone, i);
        CompareSame(t, all, token * row + i, same, token * row + i);
      }
  }
}

const std::vector<std::string> kApply = {"rope.apply"};
const std::vector<std::string> kTable = {"rope.table"};

}  // namespace

std::vector<Property> ScaledProperties() {
  return {
      {"rope.scaled_within_bound", "SCALE-18", "", "scaled: every element within its bound", kApply,
       false, ScaledApply},
      {"rope.scaled_table_within_bound", "SCALE-18", "",
       "scaled: every cosine and sine within its bound", kTable, false, ScaledTable},
      {"rope.scaled_frequencies_within_bound",
       "SCALE-17",
       "Gnomon.ScaledCounts.SCALE_17_blend",
       "scaled: every frequency within its bound",
       {"rope.frequencies"},
       false,
       ScaledFrequencies},
      {"rope.interpolated", "SCALE-1", "Gnomon.RopeScaling.SCALE_1_is_position_scaling",
       "w / s at position s m is w at m", kApply, true, Interpolated},
      {"rope.magnified_norms", "SCALE-13", "Gnomon.Magnitude.SCALE_13_norm_of_a_pair",
       "pairs are longer by the magnitude", kApply, true, MagnifiedNorms},
      {"rope.magnified_circle", "SCALE-13", "Gnomon.Magnitude.SCALE_13_circle",
       "tables lie on a circle of that radius", kTable, true, MagnifiedCircle},
      {"rope.length_of_the_call", "SCALE-9", "Gnomon.RopeScaling.SCALE_9_one_choice_a_call",
       "one length for all tokens of a call", kApply, true, LengthOfTheCall},
  };
}

}  // namespace gnomon::properties::rope
