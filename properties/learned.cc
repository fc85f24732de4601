// What must hold of the operations on learned positions (spec/learned.md); of tables of two axes:
// learned_resize.cc.
#include <cmath>

#include "gnomon/properties/judged.h"
#include "gnomon/properties/learned_cases.h"
#include "gnomon/properties/learned_resize.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::learned {
namespace {

const std::string kLookup = "learned.lookup", kAdd = "learned.add";

Draw OnMemory() {
  Draw draw;
  draw.memory = true;
  return draw;
}
Draw WithPositions() {
  Draw draw;
  draw.positions = true;
  return draw;
}

// Judged by the reference.

void RowsCopied(Trial& t) {
  Draw draw = OnMemory();
  if (t.source().Chance(1, 3)) draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, DrawLearned(t, kLookup, draw));
}
void AddWithinBound(Trial& t) { ExpectWithinBound(t, DrawLearned(t, kAdd, OnMemory())); }
void SpecialNumbers(Trial& t) {
  Draw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, DrawLearned(t, kAdd, draw));
}

// Row of every token, read off a table that says its own numbers.
std::vector<int64_t> RowsOf(Trial& t, const Case& lookup) {
  Case c = lookup;
  const Shape shape = c.inputs.at("table").shape();
  c.inputs.insert_or_assign("table", [&] {
    Tensor table = Guarded(DTypeOf(c.format), shape);
    for (int64_t i = 0; i < table.count(); ++i) table.Set(i, static_cast<double>(i / shape[1]));
    return table;
  }());
  const Outputs rows = t.Run(c);
  std::vector<int64_t> all;
  const Tensor& y = rows.at("rows");
  for (int64_t i = 0; i < y.count(); ++i) {
    const double row = y.Value(i);
    t.Expect(row == std::floor(row) && row >= 0,
             [&] { return "element " + std::to_string(i) + " is " + Show(row) + ", no row"; });
    const int64_t first = i / shape[1] * shape[1];
    t.Expect(row == y.Value(first), [&] {
      return "element " + std::to_string(i) + " is of another row than " + std::to_string(first);
    });
    if (i == first) all.push_back(static_cast<int64_t>(row));
  }
  return all;
}

// LEARNED-1. Position t reads row t: the first, the last, and every other.
void OwnRow(Trial& t) {
  Case c = DrawLearned(t, kLookup, WithPositions());
  c.parameters.erase("offset");
  const int64_t count = c.inputs.at("table").shape()[0];
  c.inputs.insert_or_assign("positions",
                            Integers({count}, [&](int64_t i) { return (count - i) % count; }));
  t.RequireInside(Outside(t.limits(kLookup), c).empty());
  const std::vector<int64_t> rows = RowsOf(t, c);
  for (int64_t i = 0; i < count; ++i)
    t.Expect(rows[static_cast<size_t>(i)] == (count - i) % count, [&] {
      return "position " + std::to_string((count - i) % count) + " of a table of " +
             std::to_string(count) + " reads row " + std::to_string(rows[static_cast<size_t>(i)]);
    });
}

// LEARNED-2. An offset is the same as positions that much further on.
void OffsetIsShift(Trial& t) {
  const Case c = DrawLearned(t, kLookup, WithPositions());
  const int64_t offset = gnomon::learned::ReadLookup(c).offset;
  const Tensor& positions = c.inputs.at("positions");
  Case shifted =
      With(c, "positions",
           Integers(positions.shape(), [&](int64_t i) { return positions.Integer(i) + offset; }));
  shifted.parameters.erase("offset");
  t.RequireInside(Outside(t.limits(kLookup), shifted).empty());
  const Outputs a = t.Run(c), b = t.Run(shifted);
  const int64_t element = FirstDifference(a.at("rows"), b.at("rows"));
  t.Expect(element < 0, [&] {
    return "element " + std::to_string(element) + " with offset " + std::to_string(offset) +
           " is another one than at the position that much further on";
  });
}

// LEARNED-4. Tokens that count read rows offset, offset + 1, ..; padding its own.
void MaskCounts(Trial& t) {
  Draw draw;
  draw.mask = true;
  const Case c = DrawLearned(t, kLookup, draw);
  const gnomon::learned::LookupParameters p = gnomon::learned::ReadLookup(c);
  const Tensor& mask = c.inputs.at("mask");
  const std::vector<int64_t> rows = RowsOf(t, c);
  int64_t due = p.offset;
  for (int64_t i = 0; i < mask.count(); ++i) {
    if (i % mask.shape().back() == 0) due = p.offset;
    const bool counts = mask.Integer(i) == 1;
    const int64_t row = counts ? due : p.padding_position + p.offset;
    t.Expect(rows[static_cast<size_t>(i)] == row, [&] {
      return "token " + std::to_string(i) + (counts ? "" : ", padding,") + " reads row " +
             std::to_string(rows[static_cast<size_t>(i)]) + " for " + std::to_string(row);
    });
    due += counts;
  }
}

// LEARNED-3. The sum is x plus what learned.lookup answers.
void AddsTheRow(Trial& t) {
  const Case c = DrawLearned(t, kAdd, {});
  Case lookup = c;
  lookup.operation = kLookup;
  lookup.inputs.erase("x");
  t.RequireInside(Outside(t.limits(kLookup), lookup).empty());
  const Answer y(t, c);
  const Outputs rows = t.Run(lookup);
  const Tensor &x = c.inputs.at("x"), &row = rows.at("rows");
  for (int64_t i = 0; i < x.count(); ++i) {
    const double p = row.Value(i % row.count());
    t.Compare(abs(y.Value(i) - Interval(x.Value(i)) - Interval(p)), y.Bound(i), y.Size(i), [&] {
      return "element " + std::to_string(i) + ": " + Show(y.Raw(i)) + " for " + Show(x.Value(i)) +
             " + " + Show(p);
    });
  }
}

// LEARNED-5. A NaN reaches its own element, and only that.
void NanStays(Trial& t) {
  Case c = DrawLearned(t, kAdd, OnMemory());
  Tensor& x = c.inputs.at("x");
  std::vector<bool> is_nan;
  for (int64_t i = 0; i < x.count(); ++i) {
    is_nan.push_back(t.source().Chance(1, 3));
    if (is_nan.back()) x.Set(i, std::nan(""));
  }
  const Outputs y = t.Run(c);
  for (int64_t i = 0; i < x.count(); ++i)
    t.Expect(std::isnan(y.at("y").Value(i)) == is_nan[static_cast<size_t>(i)], [&] {
      return "element " + std::to_string(i) + " is " + Show(y.at("y").Value(i)) + " for x " +
             Show(x.Value(i));
    });
}

// LEARNED-7.

void AddMemory(Trial& t) { ExpectMemoryKept(t, DrawLearned(t, kAdd, OnMemory())); }
void LookupMemory(Trial& t) { ExpectMemoryKept(t, DrawLearned(t, kLookup, OnMemory())); }
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawLearned(t, kAdd, OnMemory())); }
void InPlace(Trial& t) { ExpectSameInPlace(t, DrawLearned(t, kAdd, OnMemory())); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawLearned(t, kAdd, OnMemory())); }
void Repeatable(Trial& t) {
  const Case c = DrawLearned(t, kLookup, WithPositions());
  const Tensor& positions = c.inputs.at("positions");
  const int64_t offset = gnomon::learned::ReadLookup(c).offset;
  const int64_t rows = c.inputs.at("table").shape()[0];
  const Case between = With(c, "positions", Integers(positions.shape(), [&](int64_t i) {
                              return rows - 1 - 2 * offset - positions.Integer(i);
                            }));
  t.RequireInside(Outside(t.limits(kLookup), between).empty());
  ExpectRepeatable(t, c, between);
}

}  // namespace

std::vector<Property> Properties() {
  std::vector<Property> all = {
      {"learned.rows_copied",
       "LEARNED-1",
       "Gnomon.Learned.LEARNED_1_row",
       "every token has its row, bit for bit",
       {kLookup},
       false,
       RowsCopied},
      {"learned.add_within_bound",
       "LEARNED-6",
       "",
       "every sum within its bound",
       {kAdd},
       false,
       AddWithinBound},
      {"learned.special_numbers",
       "LEARNED-5",
       "",
       "NaN, infinities, zeros, subnormals and overflow in sums",
       {kAdd},
       false,
       SpecialNumbers},
      {"learned.own_row",
       "LEARNED-1",
       "Gnomon.Learned.LEARNED_1_row",
       "position t reads row t, up to the last",
       {kLookup},
       true,
       OwnRow},
      {"learned.offset_is_shift",
       "LEARNED-2",
       "Gnomon.Learned.LEARNED_2_offset_shortens_the_table",
       "an offset is the same as later positions",
       {kLookup},
       true,
       OffsetIsShift},
      {"learned.mask_counts",
       "LEARNED-4",
       "",
       "tokens that count are numbered, padding is not",
       {kLookup},
       true,
       MaskCounts},
      {"learned.adds_the_row",
       "LEARNED-3",
       "Gnomon.Learned.LEARNED_3_add",
       "the sum is x plus what lookup answers",
       {kAdd, kLookup},
       true,
       AddsTheRow},
      {"learned.nan_stays",
       "LEARNED-5",
       "",
       "a NaN reaches its own element, and only that",
       {kAdd},
       true,
       NanStays},
      {"learned.add_memory",
       "LEARNED-7",
       "",
       "inputs untouched, every element written, nothing else",
       {kAdd},
       true,
       AddMemory},
      {"learned.lookup_memory",
       "LEARNED-7",
       "",
       "the same for rows",
       {kLookup},
       true,
       LookupMemory},
      {"learned.padding_unread",
       "LEARNED-7",
       "",
       "nothing between the elements matters",
       {kAdd},
       true,
       PaddingUnread},
      {"learned.in_place",
       "LEARNED-7",
       "",
       "in place and out of place agree",
       {kAdd},
       true,
       InPlace},
      {"learned.strides", "LEARNED-7", "", "strided and contiguous agree", {kAdd}, true, Strides},
      {"learned.repeatable",
       "LEARNED-7",
       "",
       "the same question has the same answer",
       {kLookup},
       true,
       Repeatable},
  };
  for (Property& property : GridProperties()) all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::learned
