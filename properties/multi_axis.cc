// What must hold of the operations over more than one axis (spec/multi_axis.md). The properties
// that compare answers with each other are in multi_axis_algebra.cc, those of multi_axis.mixed in
// multi_axis_mixed.cc.
#include "gnomon/spec/multi_axis.h"

#include "gnomon/properties/judged.h"
#include "gnomon/properties/multi_axis_algebra.h"
#include "gnomon/properties/multi_axis_cases.h"
#include "gnomon/properties/multi_axis_mixed.h"
#include "gnomon/properties/property.h"

namespace gnomon::properties::multi_axis {
namespace {

const std::string kAxial = "multi_axis.axial", kMrope = "multi_axis.mrope",
                  kSections = "multi_axis.sections", kSincos = "multi_axis.sincos_2d",
                  kFactorized = "multi_axis.factorized", kIndex = "multi_axis.window_index",
                  kBias = "multi_axis.window_bias";

// Judged by the reference.

void RotationWithinBound(Trial& t, const std::string& operation) {
  Draw draw;
  draw.memory = true;
  ExpectWithinBound(t, DrawRotation(t, operation, draw));
}
void AxialWithinBound(Trial& t) { RotationWithinBound(t, kAxial); }
void MropeWithinBound(Trial& t) { RotationWithinBound(t, kMrope); }
void SpecialNumbers(Trial& t) {
  Draw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, DrawRotation(t, "", draw));
}
void UnusualFrequencies(Trial& t) {
  Draw draw;
  draw.unusual_frequencies = true;
  ExpectWithinBound(t, DrawRotation(t, "", draw));
}
void SectionsExact(Trial& t) { ExpectWithinBound(t, DrawSections(t)); }
void SincosWithinBound(Trial& t) { ExpectWithinBound(t, DrawSincos(t, true)); }
void FactorizedWithinBound(Trial& t) {
  const Numbers numbers =
      t.source().Pick({Numbers::kUnit, Numbers::kUnequal, Numbers::kWide, Numbers::kSpecial});
  const auto combine = static_cast<Combine>(t.source().Below(2));
  ExpectWithinBound(t, DrawFactorized(t, combine, numbers, true));
}
void WindowExact(Trial& t) { ExpectWithinBound(t, DrawWindow(t, kIndex, false, false)); }
void BiasExact(Trial& t) { ExpectWithinBound(t, DrawWindow(t, kBias, true, true)); }

// AXES-19.

Case DrawOnMemory(Trial& t) {
  Draw draw;
  draw.memory = true;
  return DrawRotation(t, "", draw);
}
void MemoryKept(Trial& t) { ExpectMemoryKept(t, DrawOnMemory(t)); }
void TableMemoryKept(Trial& t) {
  switch (t.source().Below(3)) {
    case 0:
      return ExpectMemoryKept(t, DrawSincos(t, true));
    case 1:
      return ExpectMemoryKept(
          t, DrawFactorized(t, static_cast<Combine>(t.source().Below(2)), Numbers::kUnit, true));
    default:
      return ExpectMemoryKept(t, DrawWindow(t, kBias, true, false));
  }
}
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawOnMemory(t)); }
void InPlace(Trial& t) { ExpectSameInPlace(t, DrawOnMemory(t)); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawOnMemory(t)); }
void Repeatable(Trial& t) {
  const Case c = DrawRotation(t, "", {});
  // The same shapes at other positions: what a cache with too small a key confuses.
  const int64_t moved = 1 + t.source().Below(1000);
  Case between = c;
  Tensor& positions = between.inputs.at("positions");
  for (int64_t i = 0; i < positions.count(); ++i)
    positions.SetInteger(i, positions.Integer(i) + (positions.Integer(i) < 0 ? moved : -moved));
  ExpectRepeatable(t, c, between);
}

}  // namespace

std::vector<Property> Properties() {
  const std::vector<std::string> both = {kAxial, kMrope};
  std::vector<Property> all = {
      {"multi_axis.axial_within_bound",
       "AXES-16",
       "",
       "every element within its bound",
       {kAxial},
       false,
       AxialWithinBound},
      {"multi_axis.mrope_within_bound",
       "AXES-16",
       "",
       "the same by sections",
       {kMrope},
       false,
       MropeWithinBound},
      {"multi_axis.special_numbers", "AXES-17", "",
       "NaN, infinities, zeros, subnormals and overflow", both, false, SpecialNumbers},
      {"multi_axis.unusual_frequencies", "AXES-10", "",
       "frequencies that are zero, negative, huge or tiny", both, false, UnusualFrequencies},
      {"multi_axis.sections_exact",
       "AXES-12",
       "Gnomon.MultiAxis.AXES_12_agrees_where_owned",
       "every pair has its axis",
       {kSections},
       false,
       SectionsExact},
      {"multi_axis.sincos_within_bound",
       "AXES-13",
       "",
       "every entry within its bound",
       {kSincos},
       false,
       SincosWithinBound},
      {"multi_axis.factorized_within_bound",
       "AXES-16",
       "",
       "sums within their bound, copies bit by bit",
       {kFactorized},
       false,
       FactorizedWithinBound},
      {"multi_axis.window_exact",
       "AXES-14",
       "Gnomon.MultiAxis.AXES_14_range",
       "every index of a window",
       {kIndex},
       false,
       WindowExact},
      {"multi_axis.bias_exact", "AXES-15", "", "every bias bit by bit", {kBias}, false, BiasExact},
      {"multi_axis.memory", "AXES-19", "", "inputs untouched, every element written, nothing else",
       both, true, MemoryKept},
      {"multi_axis.table_memory",
       "AXES-19",
       "",
       "the same for tables",
       {kSincos, kFactorized, kBias},
       true,
       TableMemoryKept},
      {"multi_axis.padding_unread", "AXES-19", "", "nothing between the elements matters", both,
       true, PaddingUnread},
      {"multi_axis.in_place", "AXES-19", "", "in place and out of place agree", both, true,
       InPlace},
      {"multi_axis.strides", "AXES-19", "", "strided and contiguous agree", both, true, Strides},
      {"multi_axis.repeatable", "AXES-19", "", "the same question has the same answer", both, true,
       Repeatable},
  };
  for (Property& property : AlgebraicProperties()) all.push_back(std::move(property));
  for (Property& property : MixedProperties()) all.push_back(std::move(property));
  return all;
}

}  // namespace gnomon::properties::multi_axis
