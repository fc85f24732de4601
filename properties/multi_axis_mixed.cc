// What must hold of multi_axis.mixed (AXES-20, AXES-21). What holds of any rotation is in
// multi_axis_algebra.cc.
#include "gnomon/properties/multi_axis_mixed.h"

#include <algorithm>

#include "gnomon/properties/judged.h"
#include "gnomon/properties/multi_axis_algebra.h"

namespace gnomon::properties::multi_axis {
namespace {

namespace axes = gnomon::multi_axis;

const std::string kMixed = "multi_axis.mixed";

Case DrawOnMemory(Trial& t) {
  Draw draw;
  draw.memory = true;
  return DrawMixed(t, draw);
}

void WithinBound(Trial& t) { ExpectWithinBound(t, DrawOnMemory(t)); }
void SpecialNumbers(Trial& t) {
  Draw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, DrawMixed(t, draw));
}
void UnusualFrequencies(Trial& t) {
  Draw draw;
  draw.unusual_frequencies = true;
  ExpectWithinBound(t, DrawMixed(t, draw));
}

// Each head has frequencies of its own: heads asked one by one.
void Heads(Trial& t) {
  Draw draw;
  const Case c = DrawMixed(t, draw);
  const AxialRotation a = axes::ReadRotation(c);
  const Answer all(t, c);
  const Tensor& x = c.inputs.at("x");
  const Shape shape = x.shape();
  const int64_t heads = shape[2], dims = shape[3], rows = shape[0] * shape[1];
  for (int64_t head = 0; head < heads; ++head) {
    Tensor one_x = Guarded(x.dtype(), {shape[0], shape[1], 1, dims});
    for (int64_t i = 0; i < one_x.count(); ++i)
      one_x.SetBits(i, BitsAt(x.view(), (i / dims * heads + head) * dims + i % dims));
    Tensor w = Guarded(c.inputs.at("frequencies").dtype(), {a.axes(), 1, a.pairs()});
    for (int64_t i = 0; i < w.count(); ++i)
      w.Set(i, MixedFrequency(c, i / a.pairs(), head, i % a.pairs()));
    const Answer alone(t, With(With(c, "x", std::move(one_x)), "frequencies", std::move(w)));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t d = 0; d < dims; ++d)
        if (a.InWindow(d))
          CompareSame(t, all, (row * heads + head) * dims + d, alone, row * dims + d);
  }
}

// A step along an axis turns the pairs that have a frequency there, and no others: those of the
// others stay, and by half a turn the sign of a pair changes.
void OtherAxes(Trial& t) {
  Draw draw;
  draw.direction = false;
  draw.position_limit = kAddablePosition;
  Case c = DrawMixed(t, draw);
  const AxialRotation a = axes::ReadRotation(c);
  const int64_t axis = t.source().Below(a.axes()), step = 1 + t.source().Below(1000);
  Tensor w = c.inputs.at("frequencies");
  const int64_t lists = w.shape()[1];
  std::vector<bool> still;
  for (int64_t i = 0; i < lists * a.pairs(); ++i) {
    still.push_back(t.source().Chance(1, 2));
    if (still.back()) w.Set(axis * lists * a.pairs() + i, 0);
  }
  c = With(c, "frequencies", std::move(w));
  const Case moved = WithPositions(c, [&](int64_t batch, int64_t of, int64_t seq) {
    const Tensor& p = c.inputs.at("positions");
    return p.Integer((batch * a.axes() + of) * p.shape().back() + seq) + (of == axis ? step : 0);
  });
  const Answer here(t, c), there(t, moved);
  const int64_t heads = c.inputs.at("x").shape()[2], dims = a.head_dim;
  int64_t compared = 0;
  ForEachPair(c, [&](int64_t, int64_t pair, int64_t ea, int64_t eb) {
    const int64_t head = lists == 1 ? 0 : ea / dims % heads;
    if (!still[static_cast<size_t>(head * a.pairs() + pair)]) return;
    ++compared;
    CompareSame(t, here, ea, there, ea);
    CompareSame(t, here, eb, there, eb);
  });
  if (compared == 0) t.NoteCompared();
}

void MemoryKept(Trial& t) { ExpectMemoryKept(t, DrawOnMemory(t)); }
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawOnMemory(t)); }
void InPlace(Trial& t) { ExpectSameInPlace(t, DrawOnMemory(t)); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawOnMemory(t)); }
void Repeatable(Trial& t) {
  const Case c = DrawMixed(t, {});
  // The same shapes and positions with other frequencies, or the other way round.
  if (t.source().Chance(1, 2)) {
    Tensor w = c.inputs.at("frequencies");
    for (int64_t i = 0; i < w.count(); ++i) w.Set(i, -w.Value(i));
    return ExpectRepeatable(t, c, With(c, "frequencies", std::move(w)));
  }
  const int64_t moved = 1 + t.source().Below(1000);
  ExpectRepeatable(t, c, WithPositions(c, [&](int64_t batch, int64_t axis, int64_t seq) {
                     const Tensor& p = c.inputs.at("positions");
                     const Shape& shape = p.shape();
                     const int64_t m =
                         p.Integer((batch * shape[shape.size() - 2] + axis) * shape.back() + seq);
                     return m + (m < 0 ? moved : -moved);
                   }));
}

}  // namespace

std::vector<Property> MixedProperties() {
  const std::vector<std::string> mixed = {kMixed};
  const std::string of = "Gnomon.MultiAxis.AXES_20_";
  const auto on = [](void (*check)(Trial&, const std::string&)) {
    return [check](Trial& t) { check(t, kMixed); };
  };
  return {
      {"multi_axis.mixed_within_bound", "AXES-21", "", "mixed: every element within its bound",
       mixed, false, WithinBound},
      {"multi_axis.mixed_special_numbers", "AXES-17", "",
       "mixed: NaN, infinities, zeros, subnormals and overflow", mixed, false, SpecialNumbers},
      {"multi_axis.mixed_unusual_frequencies", "AXES-21", "",
       "mixed: frequencies that are zero, negative, large or tiny", mixed, false,
       UnusualFrequencies},
      {"multi_axis.mixed_composition", "AXES-20", of + "composition",
       "mixed: R_p R_p' x = R_(p+p') x", mixed, true, on(Composition)},
      {"multi_axis.mixed_undo", "AXES-20", of + "transpose_undoes", "mixed: R_p^T R_p x = x", mixed,
       true, on(Undo)},
      {"multi_axis.mixed_negative_position", "AXES-18", "", "mixed: R_(-p) x = R_p^T x", mixed,
       true, on(NegativePosition)},
      {"multi_axis.mixed_scores", "AXES-20", of + "scores_depend_on_the_offsets_only",
       "mixed: scores depend on the offset in every axis only", mixed, true, on(Scores)},
      {"multi_axis.mixed_norms", "AXES-18", "", "mixed: the length of every pair is kept", mixed,
       true, on(Norms)},
      {"multi_axis.mixed_other_axes", "AXES-18", "",
       "mixed: a step along an axis leaves pairs without a frequency there alone", mixed, true,
       OtherAxes},
      {"multi_axis.mixed_heads", "AXES-18", "", "mixed: every head has its own frequencies", mixed,
       true, Heads},
      {"multi_axis.mixed_rows", "AXES-18", "", "mixed: every token is turned by its own positions",
       mixed, true, on(Rows)},
      {"multi_axis.mixed_memory", "AXES-19", "",
       "mixed: inputs untouched, every element written, nothing else", mixed, true, MemoryKept},
      {"multi_axis.mixed_padding_unread", "AXES-19", "",
       "mixed: nothing between the elements matters", mixed, true, PaddingUnread},
      {"multi_axis.mixed_in_place", "AXES-19", "", "mixed: in place and out of place agree", mixed,
       true, InPlace},
      {"multi_axis.mixed_strides", "AXES-19", "", "mixed: strided and contiguous agree", mixed,
       true, Strides},
      {"multi_axis.mixed_repeatable", "AXES-19", "", "mixed: the same question has the same answer",
       mixed, true, Repeatable},
  };
}

}  // namespace gnomon::properties::multi_axis
