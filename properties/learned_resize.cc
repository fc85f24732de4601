// What must hold of learned.resize and learned.lookup_2d (spec/learned.md, spec/multi_axis.md). The
// tolerances of those that compare answers: LEARNED-13.
#include "gnomon/properties/learned_resize.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "gnomon/properties/judged.h"

namespace gnomon::properties::learned {
namespace {

using gnomon::learned::ReadResize;
using gnomon::learned::ResizeParameters;

const std::string kLookup = "learned.lookup", kLookup2d = "learned.lookup_2d",
                  kResize = "learned.resize";

ResizeDraw OnMemory() {
  ResizeDraw draw;
  draw.memory = true;
  return draw;
}
ResizeDraw Whole() {
  ResizeDraw draw;
  draw.whole = true;
  return draw;
}

// The case with another table, contiguous, of that shape.
Case WithTable(const Case& c, const Shape& shape, const std::function<double(int64_t)>& entry) {
  Tensor table = Guarded(DTypeOf(c.format), shape);
  for (int64_t i = 0; i < table.count(); ++i) table.Set(i, entry(i));
  return With(c, "table", std::move(table));
}
Case WithSizes(Case c, int64_t rows, int64_t columns) {
  c.parameters["rows"] = static_cast<double>(rows);
  c.parameters["columns"] = static_cast<double>(columns);
  return c;
}
void RequireAsked(Trial& t, const Case& c) {
  t.RequireInside(Outside(t.limits(c.operation), c).empty());
}
std::string At(const ResizeParameters& p, int64_t element) {
  std::string text("row ");
  text += std::to_string(element / p.width / p.columns.to);
  text += ", column " + std::to_string(element / p.width % p.columns.to);
  return text + ", dim " + std::to_string(element % p.width);
}
// Of the element at (row, column, dim).
int64_t Number(const ResizeParameters& p, int64_t row, int64_t column, int64_t dim) {
  return (row * p.columns.to + column) * p.width + dim;
}

// Judged by the reference.

void ResizeWithinBound(Trial& t) { ExpectWithinBound(t, DrawResize(t, OnMemory())); }
void ResizeSpecial(Trial& t) {
  ResizeDraw draw;
  (t.source().Chance(1, 2) ? draw.special : draw.wide) = true;
  ExpectWithinBound(t, DrawResize(t, draw));
}
void GridRowsCopied(Trial& t) {
  const bool memory = t.source().Chance(1, 2);
  ExpectWithinBound(t, DrawGrid(t, memory, !memory));
}

// AXES-7. Row x, column y of the grid is row x Y + y of the same numbers as one table.
void AsOneTable(Trial& t) {
  const Case c = DrawGrid(t, false, false);
  const Tensor &table = c.inputs.at("table"), &places = c.inputs.at("positions");
  const int64_t tokens = places.shape()[1], columns = table.shape()[1];
  Case flat = WithTable(c, {table.shape()[0] * columns, table.shape()[2]},
                        [&](int64_t i) { return table.Value(i); });
  flat.operation = kLookup;
  flat = With(flat, "positions", Integers({tokens}, [&](int64_t k) {
                return places.Integer(k) * columns + places.Integer(tokens + k);
              }));
  RequireAsked(t, flat);
  const Outputs a = t.Run(c), b = t.Run(flat);
  const int64_t element = FirstDifference(a.at("rows"), b.at("rows"));
  t.Expect(element < 0, [&] {
    return "element " + std::to_string(element) + " is not that of row x Y + y of one table";
  });
}

// AXES-8. Weights sum to 1.
void ConstantsStay(Trial& t) {
  Case c = DrawResize(t, Whole());
  const ResizeParameters p = ReadResize(c);
  const Tensor& table = c.inputs.at("table");
  c = WithTable(c, table.shape(), [&](int64_t i) { return table.Value(i % p.width); });
  const Answer y(t, c);
  for (int64_t i = 0; i < p.rows.to * p.columns.to * p.width; ++i) {
    const double due = c.inputs.at("table").Value(i % p.width);
    t.Compare(abs(y.Value(i) - due), y.Bound(i), y.Size(i), [&] {
      return At(p, i) + ": " + Show(y.Raw(i)) + " from a table of " + Show(due) + " alone";
    });
  }
}

// AXES-6. The same size changes nothing.
void SameSize(Trial& t) {
  Case c = DrawResize(t, {});
  const Shape shape = c.inputs.at("table").shape();
  c = WithSizes(c, shape[0], shape[1]);
  RequireAsked(t, c);
  const ResizeParameters p = ReadResize(c);
  const Answer y(t, c);
  for (int64_t i = 0; i < c.inputs.at("table").count(); ++i)
    t.Compare(abs(y.Value(i) - c.inputs.at("table").Value(i)), y.Bound(i), y.Size(i), [&] {
      return At(p, i) + ": " + Show(y.Raw(i)) + " for " + Show(c.inputs.at("table").Value(i)) +
             ", although nothing is resized";
    });
}

// AXES-6. Bilinear values stay within the table's range, dim by dim.
void StaysInRange(Trial& t) {
  ResizeDraw draw;
  draw.filter = "bilinear";
  const Case c = DrawResize(t, draw);
  const ResizeParameters p = ReadResize(c);
  const Tensor& table = c.inputs.at("table");
  const Answer y(t, c);
  for (int64_t i = 0; i < p.rows.to * p.columns.to * p.width; ++i) {
    double low = table.Value(i % p.width), high = low;
    for (int64_t k = i % p.width; k < table.count(); k += p.width) {
      low = std::min(low, table.Value(k));
      high = std::max(high, table.Value(k));
    }
    const Interval above = y.Value(i) - high, below = low - y.Value(i);
    t.Compare(y.Raw(i) > high  ? above
              : y.Raw(i) < low ? below
                               : Interval(0),
              y.Bound(i), y.Size(i), [&] {
                return At(p, i) + ": " + Show(y.Raw(i)) + " from numbers of " + Show(low) + " to " +
                       Show(high);
              });
  }
}

// AXES-9. The order of the axes does not matter: a transposed table has the transposed answer.
void Transposed(Trial& t) {
  const Case c = DrawResize(t, {});
  const ResizeParameters p = ReadResize(c);
  const Tensor& table = c.inputs.at("table");
  const int64_t h = p.rows.from, w = p.columns.from;
  const Case turned =
      WithSizes(WithTable(c, {w, h, p.width},
                          [&](int64_t i) {
                            const int64_t place = i / p.width;
                            return table.Value((place % h * w + place / h) * p.width + i % p.width);
                          }),
                p.columns.to, p.rows.to);
  RequireAsked(t, turned);
  const ResizeParameters q = ReadResize(turned);
  const Answer a(t, c), b(t, turned);
  for (int64_t i = 0; i < p.rows.to * p.columns.to * p.width; ++i) {
    const int64_t place = i / p.width;
    CompareSame(t, a, i, b, Number(q, place % p.columns.to, place / p.columns.to, i % p.width));
  }
}

// AXES-9. A sum of two lists is resized axis by axis. Whole numbers: sums are exact.
void SumOfLists(Trial& t) {
  const Case drawn = DrawResize(t, Whole());
  const ResizeParameters p = ReadResize(drawn);
  const Tensor& table = drawn.inputs.at("table");
  const int64_t w = p.columns.from, d = p.width;
  const auto px = [&](int64_t row, int64_t dim) { return table.Value(row * w * d + dim); };
  const auto py = [&](int64_t column, int64_t dim) { return table.Value(column * d + dim); };
  const Case grid = WithTable(
      drawn, table.shape(), [&](int64_t i) { return px(i / d / w, i % d) + py(i / d % w, i % d); });
  const Case down =
      WithSizes(WithTable(drawn, {1, p.rows.from, d}, [&](int64_t i) { return px(i / d, i % d); }),
                1, p.rows.to);
  const Case across = WithSizes(
      WithTable(drawn, {1, w, d}, [&](int64_t i) { return py(i / d, i % d); }), 1, p.columns.to);
  RequireAsked(t, down);
  RequireAsked(t, across);
  const Answer y(t, grid), a(t, down), b(t, across);
  for (int64_t i = 0; i < p.rows.to * p.columns.to * d; ++i) {
    const int64_t row = i / d / p.columns.to * d + i % d, column = i / d % p.columns.to * d + i % d;
    t.Compare(abs(y.Value(i) - a.Value(row) - b.Value(column)),
              y.Bound(i) + a.Bound(row) + b.Bound(column), y.Size(i), [&] {
                return At(p, i) + ": " + Show(y.Raw(i)) + " for " + Show(a.Raw(row)) + " + " +
                       Show(b.Raw(column)) + ", the two lists on their own";
              });
  }
}

// LEARNED-9. Linear in the table. Whole numbers: sums are exact.
void Linear(Trial& t) {
  const Case c = DrawResize(t, Whole());
  const ResizeParameters p = ReadResize(c);
  const Tensor& table = c.inputs.at("table");
  const Case other = WithTable(
      c, table.shape(), [&](int64_t) { return DrawNumber(t.source(), c.format, Numbers::kWhole); });
  const Case both = WithTable(c, table.shape(), [&](int64_t i) {
    return table.Value(i) + other.inputs.at("table").Value(i);
  });
  const Answer a(t, c), b(t, other), y(t, both);
  for (int64_t i = 0; i < p.rows.to * p.columns.to * p.width; ++i)
    t.Compare(abs(y.Value(i) - a.Value(i) - b.Value(i)), y.Bound(i) + a.Bound(i) + b.Bound(i),
              a.Size(i) + b.Size(i), [&] {
                return At(p, i) + ": " + Show(y.Raw(i)) + " for " + Show(a.Raw(i)) + " + " +
                       Show(b.Raw(i));
              });
}

// LEARNED-8. A table reversed along an axis has the reversed answer.
void Mirrored(Trial& t) {
  Case c = DrawResize(t, {});
  const bool rows = t.source().Chance(1, 2);
  // With aligned corners a single position stands at the first one: no mirror image.
  const ResizeParameters drawn = ReadResize(c);
  if (drawn.coordinates == gnomon::learned::Coordinates::kAlignCorners)
    c = WithSizes(c, std::max<int64_t>(drawn.rows.to, rows ? 2 : 1),
                  std::max<int64_t>(drawn.columns.to, rows ? 1 : 2));
  RequireAsked(t, c);
  const ResizeParameters p = ReadResize(c);
  const Tensor& table = c.inputs.at("table");
  const int64_t h = p.rows.from, w = p.columns.from, d = p.width;
  const Case mirrored = WithTable(c, table.shape(), [&](int64_t i) {
    const int64_t row = i / d / w, column = i / d % w;
    return table.Value(((rows ? h - 1 - row : row) * w + (rows ? column : w - 1 - column)) * d +
                       i % d);
  });
  const Answer a(t, c), b(t, mirrored);
  for (int64_t i = 0; i < p.rows.to * p.columns.to * d; ++i) {
    const int64_t row = i / d / p.columns.to, column = i / d % p.columns.to;
    // Coordinates are rounded at other places here and there: the larger bound is that of the end.
    CompareSame(t, a, i, b,
                Number(p, rows ? p.rows.to - 1 - row : row,
                       rows ? column : p.columns.to - 1 - column, i % d));
  }
}

// LEARNED-8. Aligned corners: the first and the last position keep their rows.
void CornersStay(Trial& t) {
  ResizeDraw draw;
  draw.coordinates = "align_corners";
  draw.antialias = false;
  draw.list = true;
  Case c = DrawResize(t, draw);
  if (ReadResize(c).columns.to == 1) c.parameters["columns"] = 2.0;
  RequireAsked(t, c);
  const ResizeParameters p = ReadResize(c);
  const Tensor& table = c.inputs.at("table");
  const Answer y(t, c);
  for (const bool last : {false, true})
    for (int64_t k = 0; k < p.width; ++k) {
      const int64_t i = Number(p, 0, last ? p.columns.to - 1 : 0, k);
      const double due = table.Value((last ? p.columns.from - 1 : 0) * p.width + k);
      t.Compare(abs(y.Value(i) - due), y.Bound(i), y.Size(i), [&] {
        return At(p, i) + ": " + Show(y.Raw(i)) + " for the corner's own " + Show(due);
      });
    }
}

// LEARNED-10. Where a list grows and all inputs of the filter are there, antialiasing changes
// nothing.
void EnlargedInside(Trial& t) {
  ResizeDraw draw;
  draw.antialias = true;
  draw.coordinates = "half_pixel";
  draw.list = true;
  Case c = DrawResize(t, draw);
  // Long enough to have an inside.
  const Tensor table = c.inputs.at("table");
  const int64_t columns = table.shape()[1] + 3;
  c = WithTable(c, {1, columns, table.shape()[2]},
                [&](int64_t i) { return table.Value(i * 5 % table.count()); });
  c.parameters["columns"] = static_cast<double>(columns + t.source().Below(5));
  Case plain = c;
  plain.parameters.erase("antialias");
  RequireAsked(t, c);
  RequireAsked(t, plain);
  const ResizeParameters p = ReadResize(c);
  const Answer a(t, c), b(t, plain);
  for (int64_t i = 0; i < p.columns.to * p.width; ++i) {
    const int64_t n = p.columns.from, N = p.columns.to, column = i / p.width;
    // floor(x), x = ((2i + 1) n - N) / 2N, taken of a number that is not negative.
    const int64_t floor = ((2 * column + 1) * n - N + 2 * N) / (2 * N) - 1;
    const int64_t before = p.half_width() == 2 ? 1 : 0;
    if (floor - before < 0 || floor + 1 + before > n - 1) continue;
    CompareSame(t, a, i, b, i);
  }
}

// LEARNED-7.

void ResizeMemory(Trial& t) { ExpectMemoryKept(t, DrawResize(t, OnMemory())); }
void ResizePadding(Trial& t) { ExpectPaddingUnread(t, DrawResize(t, OnMemory())); }
void ResizeStrides(Trial& t) { ExpectSameWithoutStrides(t, DrawResize(t, OnMemory())); }
void GridMemory(Trial& t) { ExpectMemoryKept(t, DrawGrid(t, true, false)); }
void ResizeRepeatable(Trial& t) {
  ResizeDraw draw;
  draw.antialias = false;
  const Case c = DrawResize(t, draw);
  const bool aligned = ReadResize(c).coordinates == gnomon::learned::Coordinates::kAlignCorners;
  const Case between =
      WithParameter(c, "coordinates", std::string(aligned ? "half_pixel" : "align_corners"));
  RequireAsked(t, between);
  ExpectRepeatable(t, c, between);
}

}  // namespace

std::vector<Property> GridProperties() {
  const std::string axes = "Gnomon.MultiAxis.";
  return {
      {"learned.resize_within_bound",
       "LEARNED-12",
       "",
       "every resized number within its bound",
       {kResize},
       false,
       ResizeWithinBound},
      {"learned.resize_special",
       "LEARNED-11",
       "",
       "NaN, infinities, subnormals and overflow in resized tables",
       {kResize},
       false,
       ResizeSpecial},
      {"learned.grid_rows_copied",
       "AXES-7",
       axes + "AXES_7_row",
       "every place has its row, bit for bit",
       {kLookup2d},
       false,
       GridRowsCopied},
      {"learned.as_one_table",
       "AXES-7",
       axes + "AXES_7_as_one_table",
       "the place (x, y) is row x Y + y",
       {kLookup2d, kLookup},
       true,
       AsOneTable},
      {"learned.constants_stay",
       "AXES-8",
       axes + "AXES_8_constants_stay",
       "a constant table stays constant",
       {kResize},
       true,
       ConstantsStay},
      {"learned.same_size",
       "AXES-6",
       axes + "AXES_6_same_size",
       "the same size changes nothing",
       {kResize},
       true,
       SameSize},
      {"learned.stays_in_range",
       "AXES-6",
       axes + "AXES_6_stays_in_range",
       "bilinear values stay within the table's range",
       {kResize},
       true,
       StaysInRange},
      {"learned.transposed",
       "AXES-9",
       axes + "AXES_9_axes_commute",
       "a transposed table has the transposed answer",
       {kResize},
       true,
       Transposed},
      {"learned.sum_of_lists",
       "AXES-9",
       axes + "AXES_9_sums",
       "a sum of two lists is resized axis by axis",
       {kResize},
       true,
       SumOfLists},
      {"learned.linear",
       "LEARNED-9",
       "",
       "a sum of tables has the sum of the answers",
       {kResize},
       true,
       Linear},
      {"learned.mirrored",
       "LEARNED-8",
       "",
       "a reversed table has the reversed answer",
       {kResize},
       true,
       Mirrored},
      {"learned.corners_stay",
       "LEARNED-8",
       "",
       "aligned corners keep the first and the last row",
       {kResize},
       true,
       CornersStay},
      {"learned.enlarged_inside",
       "LEARNED-10",
       "",
       "antialiasing changes nothing inside what grows",
       {kResize},
       true,
       EnlargedInside},
      {"learned.resize_memory",
       "LEARNED-7",
       "",
       "memory, of a resize",
       {kResize},
       true,
       ResizeMemory},
      {"learned.resize_padding_unread",
       "LEARNED-7",
       "",
       "nothing between the elements matters",
       {kResize},
       true,
       ResizePadding},
      {"learned.resize_strides",
       "LEARNED-7",
       "",
       "strided and contiguous agree",
       {kResize},
       true,
       ResizeStrides},
      {"learned.resize_repeatable",
       "LEARNED-7",
       "",
       "the same question has the same answer",
       {kResize},
       true,
       ResizeRepeatable},
      {"learned.grid_memory",
       "LEARNED-7",
       "",
       "memory, of rows of a grid",
       {kLookup2d},
       true,
       GridMemory},
  };
}

}  // namespace gnomon::properties::learned
