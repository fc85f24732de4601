// What must hold of rope.frequencies, rope.table and rope.apply (spec/rope.md). The properties that
// turn twice or more are in rope_algebra.cc, those of rope.xpos in rope_xpos.cc.
#include "gnomon/spec/rope.h"

#include "gnomon/properties/judged.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/rope_algebra.h"
#include "gnomon/properties/rope_cases.h"
#include "gnomon/properties/rope_xpos.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::rope {
namespace {

// Judged by the reference.

void ApplyWithinBound(Trial& t) {
  Draw draw;
  draw.memory = true;
  ExpectWithinBound(t, DrawApply(t, draw));
}

// ROPE-9 and ROPE-10: both ends of the range, and the rounding at each.
void WideNumbers(Trial& t) {
  Draw draw;
  draw.numbers = Numbers::kWide;
  ExpectWithinBound(t, DrawApply(t, draw));
}

// ROPE-7, ROPE-8 for zeros of either sign, and ROPE-9.
void SpecialNumbers(Trial& t) {
  Draw draw;
  draw.numbers = Numbers::kSpecial;
  draw.given_tables = t.source().Chance(1, 4);
  ExpectWithinBound(t, DrawApply(t, draw));
}

void UnusualFrequencies(Trial& t) {
  Draw draw;
  draw.unusual_frequencies = true;
  ExpectWithinBound(t, DrawApply(t, draw));
}

void GivenTables(Trial& t) {
  Draw draw;
  draw.given_tables = true;
  draw.memory = true;
  ExpectWithinBound(t, DrawApply(t, draw));
}

void HalfwayTables(Trial& t) { ExpectWithinBound(t, DrawHalfway(t)); }

void TableWithinBound(Trial& t) {
  Draw draw;
  draw.memory = true;
  draw.unusual_frequencies = t.source().Chance(1, 4);
  ExpectWithinBound(t, DrawTable(t, draw));
}

void FrequenciesWithinBound(Trial& t) {
  ExpectWithinBound(t, DrawFrequenciesCase(t, t.source().Chance(1, 4)));
}

// ROPE-5.
void CopiedDims(Trial& t) {
  Draw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  draw.memory = true;
  Case c = DrawApply(t, draw);
  // Make sure there is something to copy.
  const int64_t more = 1 + t.source().Below(5), head_dim = c.inputs.at("x").shape()[3];
  if (head_dim == gnomon::rope::ReadApply(c).frequencies.rotary_dim) {
    c.parameters.insert({"rotary_dim", static_cast<double>(head_dim)});
    c.parameters["head_dim"] = static_cast<double>(head_dim + more);
    Shape shape = c.inputs.at("x").shape();
    shape[3] += more;
    Tensor x = DrawStrided(t.source(), DTypeOf(c.format), shape);
    for (int64_t i = 0; i < x.count(); ++i)
      x.Set(i, DrawNumber(t.source(), c.format, Numbers::kSpecial));
    c.inputs.insert_or_assign("x", std::move(x));
  }
  const Outputs y = t.Run(c);
  ForEachCopied(c, [&](int64_t e) {
    const uint64_t before = BitsAt(c.inputs.at("x").view(), e), after = BitsAt(y.at("y").view(), e);
    t.Expect(before == after, [&] {
      return "element " + std::to_string(e) +
             " lies outside the window and should be copied: " + Show(c.inputs.at("x").Value(e)) +
             " became " + Show(y.at("y").Value(e));
    });
  });
}

// Whether the angle of a pair is exactly 0: turning by it may be done by not turning (ROPE-7).
bool TurnsByZero(const Case& c, int64_t row, int64_t pair) {
  if (!c.inputs.count("positions")) return false;
  const RopeFrequencies f = gnomon::rope::ReadApply(c).frequencies;
  const bool stands = !f.frequencies.empty() && f.frequencies[static_cast<size_t>(pair)].value == 0;
  return stands || PositionsByToken(c).Integer(row) == 0;
}

// ROPE-7: a NaN makes both members of its pair NaN, and nothing else.
void NanStaysInPair(Trial& t) {
  Draw draw;
  draw.memory = t.source().Chance(1, 2);
  draw.given_tables = t.source().Chance(1, 4);
  Case c = DrawApply(t, draw);
  const RopeApply a = gnomon::rope::ReadApply(c);
  Tensor& x = c.inputs.at("x");
  std::vector<bool> is_nan;
  ForEachPair(c, a.input_layout, [&](int64_t, int64_t ea, int64_t eb) {
    is_nan.push_back(t.source().Chance(1, 3));
    if (is_nan.back()) x.Set(t.source().Chance(1, 2) ? eb : ea, std::nan(""));
  });
  const Outputs y = t.Run(c);
  size_t pair = 0;
  ForEachPair(c, a.output_layout, [&](int64_t row, int64_t ea, int64_t eb) {
    const int64_t i = static_cast<int64_t>(pair) % a.frequencies.pairs();
    for (const int64_t e : {ea, eb})
      if (!is_nan[pair] || !TurnsByZero(c, row, i))
        t.Expect(std::isnan(y.at("y").Value(e)) == is_nan[pair], [&] {
          return "element " + std::to_string(e) + " is " + Show(y.at("y").Value(e)) +
                 (is_nan[pair] ? ", but its pair holds a NaN" : ", but its pair holds no NaN");
        });
    ++pair;
  });
}

// ROPE-21.

Case DrawOnMemory(Trial& t) {
  Draw draw;
  draw.memory = true;
  draw.given_tables = t.source().Chance(1, 4);
  return DrawApply(t, draw);
}

void MemoryKept(Trial& t) { ExpectMemoryKept(t, DrawOnMemory(t)); }
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawOnMemory(t)); }
void InPlace(Trial& t) { ExpectSameInPlace(t, DrawOnMemory(t)); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawOnMemory(t)); }
void TableMemoryKept(Trial& t) {
  Draw draw;
  draw.memory = true;
  ExpectMemoryKept(t, DrawTable(t, draw));
}
void Repeatable(Trial& t) {
  const Case c = DrawApply(t, {});
  // The same shapes at other positions: what a cache with too small a key confuses.
  const int64_t moved = 1 + t.source().Below(1000);
  ExpectRepeatable(t, c, WithPositions(c, [&](int64_t i) {
                     const int64_t p = c.inputs.at("positions").Integer(i);
                     return p + (p < 0 ? moved : -moved);
                   }));
}

const std::vector<std::string> kApply = {"rope.apply"};
const std::vector<std::string> kTable = {"rope.table"};
const std::vector<std::string> kFrequencies = {"rope.frequencies"};

}  // namespace

std::vector<Property> Properties() {
  std::vector<Property> all = {
      {"rope.within_bound", "ROPE-12", "Gnomon.numeric.RotationError.BOUND_5_first_member",
       "every element within its bound", kApply, false, ApplyWithinBound},
      {"rope.wide_numbers", "ROPE-10", "Gnomon.numeric.RotationError.BOUND_5_float32",
       "the same from subnormals to overflow", kApply, false, WideNumbers},
      {"rope.special_numbers", "ROPE-7", "",
       "NaN, infinities and signed zeros go where they belong", kApply, false, SpecialNumbers},
      {"rope.unusual_frequencies", "ROPE-11", "Gnomon.Rope.ROPE_11_negative_frequency",
       "frequencies that are zero, negative, huge or tiny", kApply, false, UnusualFrequencies},
      {"rope.given_tables", "ROPE-4", "Gnomon.numeric.RotationError.BOUND_5_given_tables",
       "cosines and sines as given, off the unit circle too", kApply, false, GivenTables},
      {"rope.halfway_tables", "ROPE-4", "Gnomon.numeric.RotationError.BOUND_5_given_tables",
       "products half way between two values round once", kApply, false, HalfwayTables},
      {"rope.table_within_bound", "ROPE-12", "Gnomon.numeric.TableError.BOUND_4_sine",
       "every cosine and sine within its bound", kTable, false, TableWithinBound},
      {"rope.frequencies_within_bound", "ROPE-1", "Gnomon.FrequencyCounts.BOUND_3_frequency",
       "every frequency within its bound", kFrequencies, false, FrequenciesWithinBound},
      {"rope.copied_dims", "ROPE-5", "Gnomon.Rope.ROPE_5_copied",
       "dims outside the window keep their bits", kApply, true, CopiedDims},
      {"rope.nan_stays_in_pair", "ROPE-7", "", "a NaN reaches its own pair, and only that", kApply,
       true, NanStaysInPair},
      {"rope.memory", "ROPE-21", "", "inputs untouched, every element written, nothing else",
       kApply, true, MemoryKept},
      {"rope.table_memory", "ROPE-21", "", "the same for the table", kTable, true, TableMemoryKept},
      {"rope.padding_unread", "ROPE-21", "", "nothing between the elements matters", kApply, true,
       PaddingUnread},
      {"rope.in_place", "ROPE-21", "", "in place and out of place agree", kApply, true, InPlace},
      {"rope.strides", "ROPE-21", "", "strided and contiguous agree", kApply, true, Strides},
      {"rope.repeatable", "ROPE-21", "", "the same question has the same answer", kApply, true,
       Repeatable},
  };
  for (Property& property : AlgebraicProperties()) all.push_back(std::move(property));
  for (Property& property : ScaledProperties()) all.push_back(std::move(property));
  for (Property& property : XposProperties()) all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::rope
