// What must hold of the sinusoidal operations (spec/sinusoidal.md). The algebra of shifts is in
// sinusoidal_algebra.cc.
#include "gnomon/spec/sinusoidal.h"

#include "gnomon/properties/judged.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/sinusoidal_algebra.h"
#include "gnomon/properties/sinusoidal_cases.h"
#include "gnomon/properties/sinusoidal_real.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::sinusoidal {
namespace {

const std::string kShift = "sinusoidal.shift_matrix", kHead = "sinusoidal.relative_head",
                  kSimilarity = "sinusoidal.similarity", kDistance = "sinusoidal.distance",
                  kTable = "sinusoidal.table", kAdd = "sinusoidal.add";

// Judged by the reference.

void TableWithinBound(Trial& t) {
  Draw draw;
  draw.memory = true;
  ExpectWithinBound(t, DrawTable(t, draw));
}
void UnusualFrequencies(Trial& t) {
  Draw draw;
  draw.unusual_frequencies = true;
  ExpectWithinBound(t, DrawTable(t, draw));
}
void AddWithinBound(Trial& t) {
  Draw draw;
  draw.memory = draw.small = true;
  ExpectWithinBound(t, DrawAdd(t, draw));
}
void SpecialNumbers(Trial& t) {
  Draw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  draw.small = true;
  ExpectWithinBound(t, DrawAdd(t, draw));
}
void HalfwayAdd(Trial& t) { ExpectWithinBound(t, DrawHalfwayAdd(t)); }
void ShiftWithinBound(Trial& t) { ExpectWithinBound(t, DrawMatrix(t, kShift, {})); }
void HeadWithinBound(Trial& t) { ExpectWithinBound(t, DrawMatrix(t, kHead, {})); }
void SimilarityWithinBound(Trial& t) {
  Draw draw;
  draw.memory = true;
  ExpectWithinBound(t, DrawPairwise(t, kSimilarity, draw));
}
void DistanceWithinBound(Trial& t) {
  Draw draw;
  draw.memory = true;
  draw.near = t.source().Chance(1, 3);
  if (draw.near) draw.position_limit = kAddablePosition;
  ExpectWithinBound(t, DrawPairwise(t, kDistance, draw));
}

// SIN-10: a NaN reaches its own element, and only that.
void NanStays(Trial& t) {
  Draw draw;
  draw.memory = true;
  Case c = DrawAdd(t, draw);
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

// SIN-18.

Case DrawAddOnMemory(Trial& t) {
  Draw draw;
  draw.memory = true;
  return DrawAdd(t, draw);
}
void AddMemory(Trial& t) { ExpectMemoryKept(t, DrawAddOnMemory(t)); }
void TableMemory(Trial& t) {
  Draw draw;
  draw.memory = true;
  ExpectMemoryKept(t, DrawTable(t, draw));
}
void MatrixMemory(Trial& t) { ExpectMemoryKept(t, DrawMatrix(t, kShift, {})); }
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawAddOnMemory(t)); }
void InPlace(Trial& t) { ExpectSameInPlace(t, DrawAddOnMemory(t)); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawAddOnMemory(t)); }
void Repeatable(Trial& t) {
  const Case c = DrawTable(t, {});
  const int64_t moved = 1 + t.source().Below(1000);
  ExpectRepeatable(t, c,
                   With(c, "positions", Integers(c.inputs.at("positions").shape(), [&](int64_t i) {
                          const int64_t p = c.inputs.at("positions").Integer(i);
                          return p + (p < 0 ? moved : -moved);
                        })));
}

// SIN-4. Every row is that of its own position, whatever the others are.
void Rows(Trial& t) {
  const Case c = DrawTable(t, {});
  const Answer all(t, c);
  const Tensor& positions = c.inputs.at("positions");
  const int64_t width = TableOf(c).width;
  for (int64_t row = 0; row < positions.count(); ++row) {
    const Answer alone(t, TableLike(c, Positions({positions.Integer(row)})));
    for (int64_t j = 0; j < width; ++j) CompareSame(t, all, row * width + j, alone, j);
  }
}

// SIN-3. The last column of an odd width: 0, or the sine that the next even width has there.
void OddColumn(Trial& t) {
  Draw draw;
  draw.unusual_frequencies = true;
  draw.even = true;
  Case even = DrawTable(t, draw);
  const int64_t width = TableOf(even).width - 1, rows = even.inputs.at("positions").count();
  Case odd = WithParameter(even, "width", static_cast<double>(width));
  const bool zero = t.source().Chance(1, 2);
  if (zero) {
    odd.parameters["odd_width"] = std::string("zero");
    std::vector<Number> fewer = TableOf(even).frequencies;
    fewer.pop_back();
    odd.parameters["frequencies"] = fewer;
  }
  // Sines first: the last pair's sine is then at a place that the layout tells.
  even.parameters["layout"] = std::string("sin_cos");
  odd.parameters["layout"] = std::string("sin_cos");
  const Answer with_column(t, odd), whole(t, even);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t last = row * width + width - 1;
    if (zero) {
      t.Expect(with_column.Raw(last) == 0,
               [&] { return "the last column should be 0 and is " + Show(with_column.Raw(last)); });
    } else {
      CompareSame(t, with_column, last, whole, row * (width + 1) + width / 2);
    }
  }
}

}  // namespace

std::vector<Property> Properties() {
  std::vector<Property> all = {
      {"sinusoidal.table_within_bound",
       "SIN-11",
       "Gnomon.numeric.TableError.BOUND_4_sine",
       "every entry within its bound",
       {kTable},
       false,
       TableWithinBound},
      {"sinusoidal.unusual_frequencies",
       "SIN-10",
       "Gnomon.numeric.TableError.BOUND_4_sine",
       "frequencies that are zero, negative, huge or tiny",
       {kTable},
       false,
       UnusualFrequencies},
      {"sinusoidal.add_within_bound",
       "SIN-11",
       "Gnomon.numeric.AddError.SIN_11_scaled_add",
       "every sum within its bound",
       {kAdd},
       false,
       AddWithinBound},
      {"sinusoidal.special_numbers",
       "SIN-10",
       "",
       "NaN, infinities, zeros, subnormals and overflow in x",
       {kAdd},
       false,
       SpecialNumbers},
      {"sinusoidal.halfway_add",
       "SIN-11",
       "Gnomon.numeric.AddError.SIN_11_fused_add",
       "sums just below half way round once",
       {kAdd},
       false,
       HalfwayAdd},
      {"sinusoidal.shift_within_bound",
       "SIN-6",
       "Gnomon.numeric.TableError.BOUND_4_sine",
       "every entry of M_k within its bound",
       {kShift},
       false,
       ShiftWithinBound},
      {"sinusoidal.head_within_bound",
       "SIN-7",
       "Gnomon.numeric.TableError.BOUND_4_scaled_sine",
       "every entry of the head within its bound",
       {kHead},
       false,
       HeadWithinBound},
      {"sinusoidal.similarity_within_bound",
       "SIN-12",
       "Gnomon.numeric.PairwiseError.SIN_12_similarity",
       "every dot product within its bound",
       {kSimilarity},
       false,
       SimilarityWithinBound},
      {"sinusoidal.distance_within_bound",
       "SIN-12",
       "Gnomon.numeric.DistanceError.SIN_12_distance",
       "every distance within its bound",
       {kDistance},
       false,
       DistanceWithinBound},
      {"sinusoidal.nan_stays",
       "SIN-10",
       "",
       "a NaN reaches its own element, and only that",
       {kAdd},
       true,
       NanStays},
      {"sinusoidal.add_memory",
       "SIN-18",
       "",
       "inputs untouched, every element written, nothing else",
       {kAdd},
       true,
       AddMemory},
      {"sinusoidal.table_memory",
       "SIN-18",
       "",
       "the same for the table",
       {kTable},
       true,
       TableMemory},
      {"sinusoidal.matrix_memory",
       "SIN-18",
       "",
       "the same for the shift matrix",
       {kShift},
       true,
       MatrixMemory},
      {"sinusoidal.padding_unread",
       "SIN-18",
       "",
       "nothing between the elements matters",
       {kAdd},
       true,
       PaddingUnread},
      {"sinusoidal.in_place",
       "SIN-18",
       "",
       "in place and out of place agree",
       {kAdd},
       true,
       InPlace},
      {"sinusoidal.strides", "SIN-18", "", "strided and contiguous agree", {kAdd}, true, Strides},
      {"sinusoidal.repeatable",
       "SIN-18",
       "",
       "the same question has the same answer",
       {kTable},
       true,
       Repeatable},
      {"sinusoidal.rows",
       "SIN-4",
       "Gnomon.SinusoidalTolerances.SIN_4_tolerance_of_rows",
       "every row is that of its own position",
       {kTable},
       true,
       Rows},
      {"sinusoidal.odd_column",
       "SIN-3",
       "Gnomon.SinusoidalTolerances.SIN_3_tolerance",
       "the last column of an odd width",
       {kTable},
       true,
       OddColumn},
  };
  for (Property& property : AlgebraicProperties()) all.push_back(std::move(property));
  for (Property& property : RealProperties()) all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::sinusoidal
