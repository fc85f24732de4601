// The list of known mistakes over more than one axis (spec/mistakes.md), as hypotheses.
#include "gnomon/oracle/hypotheses_multi_axis.h"

namespace gnomon::oracle::multi_axis {
namespace {

using Mistake = Entry<AxesChange>;
using Make = Mistake::Make;

bool Is(const Case& c, Verb verb) { return VerbOf(c) == verb; }
bool Turns2d(const Case& c) {
  return (Is(c, Verb::kRotate) && !axes::IsMixed(c)) || Is(c, Verb::kSections);
}

// Sets a flag, where the operation has it.
Make Sets(bool AxesChange::*flag, std::vector<Verb> verbs) {
  return [=](const Case& c, AxesChange* change) {
    change->*flag = true;
    for (const Verb verb : verbs)
      if (Is(c, verb)) return true;
    return false;
  };
}
// Another axis for every pair: f(axis, axes).
Make Renames(std::function<int64_t(int64_t, int64_t)> f) {
  return [f](const Case& c, AxesChange* change) {
    const int64_t n = change->a.axes();
    if (!Is(c, Verb::kRotate) || (n < 2 && !change->a.mixed)) return false;
    const std::vector<int64_t> before = change->axis;
    for (int64_t& axis : change->axis)
      if (axis >= 0) axis = f(axis, n);
    return n > 1 || change->axis != before;
  };
}
// Other sections: false where f leaves them alone.
Make Cuts(std::function<bool(const Sections&, int64_t pair, int64_t* axis)> f) {
  return [f](const Case& c, AxesChange* change) {
    if (!Turns2d(c)) return false;
    bool any = false;
    for (size_t i = 0; i < change->axis.size(); ++i) {
      int64_t axis = change->axis[i];
      if (!f(change->s, static_cast<int64_t>(i), &axis)) continue;
      any |= axis != change->axis[i];
      change->axis[i] = axis;
    }
    return any;
  };
}
Make Orders(SectionOrder from, SectionOrder to) {
  return Cuts([=](const Sections& s, int64_t pair, int64_t* axis) {
    if (to == SectionOrder::kInterleaved && (s.order != from || s.sizes.size() != 3)) return false;
    Sections other = s;
    other.order = to;
    *axis = other.AxisOf(pair);
    return true;
  });
}
bool IsAxial(const Case& c) { return c.operation == "multi_axis.axial"; }
bool Resets(const Case& c) {
  const auto found = c.parameters.find("exponent");
  return IsAxial(c) &&
         (found == c.parameters.end() || found->second == Value(std::string("reset")));
}
// Other exponents: f(pair's number, pair).
Make Counts(bool (*applies)(const Case&),
            std::function<void(const AxialRotation&, int64_t, AxialPair*)> f) {
  return [=](const Case& c, AxesChange* change) {
    if (!Is(c, Verb::kRotate) || axes::IsMixed(c) || !applies(c) || !change->a.frequencies.empty())
      return false;
    const AxialRotation before = change->a;
    for (int64_t i = 0; i < before.pairs(); ++i)
      f(before, i, &change->a.pair[static_cast<size_t>(i)]);
    return true;
  };
}
Make LaysOut(AxialLayout layout, bool from_half = false) {
  return [=](const Case& c, AxesChange* change) {
    if (!Is(c, Verb::kRotate) || change->a.layout == layout) return false;
    if (from_half && (change->a.layout != AxialLayout::kHalfSplit || change->a.mixed ||
                      change->s.order != SectionOrder::kContiguous))
      return false;
    change->a.layout = layout;
    return true;
  };
}
Make Finds(Count count) {
  return [=](const Case& c, AxesChange* change) {
    change->count = count;
    return Is(c, Verb::kRotate);
  };
}

// Of multi_axis.mixed, where there is more than one of what is mistaken for the first.
Make Mixes(bool MixedChange::*flag, size_t axis) {
  return [=](const Case& c, AxesChange* change) {
    change->mixed.*flag = true;
    return axes::IsMixed(c) && c.inputs.at("frequencies").shape()[axis] > 1;
  };
}

}  // namespace

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    const std::vector<Verb> rotate = {Verb::kRotate}, sincos = {Verb::kSincos},
                            factorized = {Verb::kFactorized}, windows = {Verb::kIndex, Verb::kBias};
    using F = Mistake;
    std::vector<Mistake> entries = {
        F::Convention(
            "axes", "positions of the first two axes exchanged",
            Renames([](int64_t axis, int64_t n) { return n > 1 && axis < 2 ? 1 - axis : axis; })),
        F::Convention("axes/reversed", "axes in reverse order",
                      Renames([](int64_t axis, int64_t n) { return n - 1 - axis; })),
        F::Formula("axes/first", "the first axis' position for every pair",
                   Renames([](int64_t, int64_t) { return 0; })),
        F::Formula("axes/last-unturned", "pairs of the last axis not turned",
                   Renames([](int64_t axis, int64_t n) { return axis == n - 1 ? -1 : axis; })),
        F::Formula("section-shift", "every section begins one pair early",
                   Cuts([](const Sections& s, int64_t pair, int64_t* axis) {
                     *axis = s.AxisOf(std::min(pair + 1, s.pairs() - 1));
                     return true;
                   })),
        F::Formula("section-leftover", "axis i mod 3, whatever the sizes are",
                   Cuts([](const Sections& s, int64_t pair, int64_t* axis) {
                     *axis = pair % 3;
                     return s.order == SectionOrder::kInterleaved ||
                            s.order == SectionOrder::kInterleavedExtra;
                   })),
        F::Formula("section-leftover/first", "pairs left over go to axis 0, not to the extra one",
                   Cuts([](const Sections& s, int64_t, int64_t* axis) {
                     if (s.order != SectionOrder::kInterleavedExtra) return false;
                     if (*axis == 3) *axis = 0;
                     return true;
                   })),
        F::Formula("section-order/contiguous", "sections taken as runs",
                   Orders(SectionOrder::kInterleaved, SectionOrder::kContiguous)),
        F::Formula("section-order/interleaved", "three runs taken as interleaved",
                   Orders(SectionOrder::kContiguous, SectionOrder::kInterleaved)),
        F::Formula("mixed-frequencies", "the first head's frequencies for every head",
                   Mixes(&MixedChange::first_head, 1)),
        F::Formula("mixed-frequencies/heads-first", "frequencies read as [heads, axis, pair]",
                   Mixes(&MixedChange::heads_first, 1)),
        F::Formula("mixed-frequencies/first-axis", "the first axis' frequencies for every axis",
                   Mixes(&MixedChange::first_list, 0)),
        F::Formula("mixed-sum", "the other products subtracted from the first",
                   Mixes(&MixedChange::difference, 0)),
        F::Formula("axis-exponent/not-reset", "the exponent does not start anew",
                   Counts(Resets,
                          [](const AxialRotation& a, int64_t i, AxialPair* p) {
                            p->numerator = 2 * i, p->denominator = a.rotary_dim;
                          })),
        F::Formula("axis-exponent/reset", "the exponent starts anew on every axis",
                   Counts([](const Case& c) { return !Resets(c); },
                          [](const AxialRotation& a, int64_t, AxialPair* p) {
                            p->numerator = 2 * p->number;
                            p->denominator = 2 * a.sizes[static_cast<size_t>(p->axis)];
                          })),
        F::Formula(
            "axis-exponent/in-runs", "alternating frequencies taken in runs",
            Counts([](const Case& c) { return IsAxial(c) && !Resets(c); },
                   [](const AxialRotation&, int64_t i, AxialPair* p) { p->numerator = 2 * i; })),
        F::Formula("axis-exponent/divisor", "the exponent of an axis divided by the dims of all",
                   Counts(Resets, [](const AxialRotation& a, int64_t,
                                     AxialPair* p) { p->denominator = a.rotary_dim; })),
        F::Formula("divisor", "exponent divided by head_dim",
                   Counts([](const Case&) { return true; },
                          [](const AxialRotation& a, int64_t, AxialPair* p) {
                            p->denominator = a.head_dim;
                          })),
        F::Convention("layout/half-split", "pairs (i, i+h), whatever layout is asked",
                      LaysOut(AxialLayout::kHalfSplit)),
        F::Convention("layout/interleaved", "pairs (2i, 2i+1), whatever layout is asked",
                      LaysOut(AxialLayout::kInterleaved)),
        F::Convention("layout/by-axis", "half split within each axis for half split",
                      LaysOut(AxialLayout::kHalfSplitByAxis, true)),
        F::Convention("sign", "sine negated",
                      [](const Case& c, AxesChange* change) {
                        change->sine = -1;
                        return Is(c, Verb::kRotate) || Is(c, Verb::kSincos);
                      }),
        F::Convention("backward", "the transpose turns forward",
                      [](const Case& c, AxesChange* change) {
                        change->transpose_forward = true;
                        return Is(c, Verb::kRotate) &&
                               change->a.direction == RopeDirection::kTranspose;
                      }),
        F::Formula("pair-offset/window", "the window starts at dim 0",
                   [](const Case& c, AxesChange* change) {
                     if (!Is(c, Verb::kRotate) || change->a.rotary_offset == 0) return false;
                     change->a.rotary_offset = 0;
                     return true;
                   }),
        F::Formula("pair-offset/window-last", "the window is the last dims of a head",
                   [](const Case& c, AxesChange* change) {
                     const int64_t last = change->a.head_dim - change->a.rotary_dim;
                     if (!Is(c, Verb::kRotate) || change->a.rotary_offset == last) return false;
                     change->a.rotary_offset = last;
                     return true;
                   }),
        F::Formula("q-k-crossed/heads", "heads taken in reverse order",
                   Sets(&AxesChange::heads_reversed, rotate)),
        F::State("in-place", "y_b from the overwritten x_a",
                 Sets(&AxesChange::overwritten, rotate)),
        F::State("stride-ignored/input", "input taken as contiguous",
                 Sets(&AxesChange::contiguous, rotate)),
        F::State("row-positions", "the first row's positions for every row",
                 Finds(Count::kFirstRow)),
        F::Formula("arange-positions", "0..T-1 whatever the positions are", Finds(Count::kTokens)),
        F::Formula("arange-positions/from-first", "positions counted from the first token's",
                   Finds(Count::kFromFirst)),
        F::State("window-not-copied/zeroed", "dims outside the window zeroed",
                 [](const Case& c, AxesChange* change) {
                   change->copied = Fill::kZero;
                   return Is(c, Verb::kRotate) && change->a.rotary_dim < change->a.head_dim;
                 }),
        F::Convention("sincos-first-half", "rows and columns exchanged",
                      [](const Case& c, AxesChange* change) {
                        change->t.column_first = !change->t.column_first;
                        return Is(c, Verb::kSincos);
                      }),
        F::Convention("sin-halves", "sine and cosine exchanged", Sets(&AxesChange::halves, sincos)),
        F::Convention("sin-layout", "interleaved for halves, and the reverse",
                      [](const Case& c, AxesChange* change) {
                        using L = SinusoidalLayout;
                        L& layout = change->t.half.layout;
                        layout = layout == L::kInterleaved ? L::kSinCos : L::kInterleaved;
                        return Is(c, Verb::kSincos);
                      }),
        F::Convention("sin-divisor", "h - 1 for h, and the reverse",
                      [](const Case& c, AxesChange* change) {
                        using D = SinusoidalDivisor;
                        D& divisor = change->t.half.divisor;
                        divisor = divisor == D::kHalf ? D::kHalfMinusOne : D::kHalf;
                        return Is(c, Verb::kSincos);
                      }),
        F::Formula("axis-exponent/full-width", "exponents of the whole width in each half",
                   Sets(&AxesChange::full_width, sincos)),
        F::Formula("zero-rows", "the row of place (0, 0) for rows of zeros",
                   Sets(&AxesChange::zero_rows_encoded, sincos)),
        F::Formula("factor-order/concatenated", "py before px",
                   [](const Case& c, AxesChange* change) {
                     change->exchanged = true;
                     return Is(c, Verb::kFactorized) && change->combine == Combine::kConcatenate;
                   }),
        F::Formula("factor-order", "places numbered by y, then x",
                   Sets(&AxesChange::transposed, factorized)),
        F::Formula("factor-sum", "the mean for the sum",
                   [](const Case& c, AxesChange* change) {
                     change->mean = true;
                     return Is(c, Verb::kFactorized) && change->combine == Combine::kSum;
                   }),
        F::Formula("window-index/reversed", "key minus query",
                   Sets(&AxesChange::reversed, windows)),
        F::Formula("window-index/columns", "rows and columns exchanged",
                   Sets(&AxesChange::by_columns, windows)),
        F::Formula("window-index/stride", "rows 2W apart, not 2W - 1",
                   Sets(&AxesChange::even_stride, windows)),
        F::Formula("window-index/cls", "the class token's two directions exchanged",
                   Sets(&AxesChange::cls_exchanged, windows)),
        F::Formula("window-index/cls-last", "the class token after the window, not before",
                   Sets(&AxesChange::cls_last, windows)),
    };
    AddShared(
        {Concerns::kAngles, Concerns::kPositions, Concerns::kWidths, Concerns::kStorage},
        [](const Case& c, const AxesChange& change) {
          if (Is(c, Verb::kSincos)) return &change.t.half.base;
          const bool by_base =
              Is(c, Verb::kRotate) && !axes::IsMixed(c) && change.a.frequencies.empty();
          return by_base ? &change.a.rope_theta : nullptr;
        },
        &entries);
    return entries;
  }();
  return all;
}

}  // namespace gnomon::oracle::multi_axis
