// Known mistakes over more than one axis (spec/mistakes.md), as hypotheses: each rewrites what the
// kernel takes the case to say.
#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/oracle/hypotheses_multi_axis_mixed.h"
#include "gnomon/spec/multi_axis.h"

namespace gnomon::oracle::multi_axis {
namespace {

namespace axes = gnomon::multi_axis;

enum class Verb { kSections, kRotate, kSincos, kFactorized, kIndex, kBias };
enum class Count { kGiven, kFirstRow, kTokens, kFromFirst };

Verb VerbOf(const Case& c) {
  const std::string verb = c.operation.substr(c.operation.find('.') + 1);
  return verb == "sections"       ? Verb::kSections
         : verb == "sincos_2d"    ? Verb::kSincos
         : verb == "factorized"   ? Verb::kFactorized
         : verb == "window_index" ? Verb::kIndex
         : verb == "window_bias"  ? Verb::kBias
                                  : Verb::kRotate;
}

struct AxesChange {
  Change shared;
  // Rotations and sections. `axis` of every pair: -1 where it is not turned. Mixed: the axis whose
  // positions an axis takes, -1 where it is left out.
  AxialRotation a;
  Sections s;
  std::vector<int64_t> axis;
  MixedChange mixed;
  double sine = 1;
  Count count = Count::kGiven;
  bool transpose_forward = false, heads_reversed = false, overwritten = false, contiguous = false;
  Fill copied = Fill::kInput;
  // Tables of two axes.
  SincosTable t;
  bool halves = false, full_width = false, zero_rows_encoded = false;
  Combine combine = Combine::kSum;
  bool exchanged = false, transposed = false, mean = false;
  // Windows.
  Window w;
  bool reversed = false, by_columns = false, even_stride = false;
  bool cls_exchanged = false, cls_last = false;
};

class AxesPredictor : public Predictor {
 public:
  AxesPredictor(const Answered& answered, const AxesChange& change)
      : c_(*answered.c),
        format_(c_.format),
        verb_(VerbOf(c_)),
        change_(change),
        turns_(
            format_, [this](int64_t pair) { return Recipe(pair); }, change.shared) {
    if (verb_ == Verb::kSincos) positions_ = c_.inputs.at("positions").view();
    if (verb_ != Verb::kRotate) return;
    positions_ = c_.inputs.at("positions").view();
    x_ = c_.inputs.at("x").view();
    by_dim_ = change_.a.PairsByDim();
    const auto y = answered.outputs->find("y");
    if (y != answered.outputs->end()) y_ = y->second;
  }

  Prediction At(int, int64_t element) override {
    switch (verb_) {
      case Verb::kSections:
        return Bits(static_cast<uint64_t>(change_.axis[static_cast<size_t>(element)]));
      case Verb::kRotate:
        return Rotation(element);
      case Verb::kSincos:
        return Sincos(element);
      case Verb::kFactorized:
        return Factorized(element);
      default:
        return InWindow(element);
    }
  }

 private:
  static Prediction Bits(uint64_t bits) {
    Prediction p;
    p.kind = Prediction::kBits;
    p.bits = bits;
    return p;
  }

  FrequencyRecipe Recipe(int64_t pair) const {
    FrequencyRecipe r;
    if (verb_ == Verb::kSincos) {
      const SinusoidalTable& half = change_.t.half;
      r = {half.base, half.ExponentNumerator(pair), half.ExponentDenominator(), pair, nullptr};
      if (change_.full_width) r.numerator = 2 * pair, r.denominator = 2 * half.width;
    } else if (verb_ == Verb::kRotate && !change_.a.mixed) {
      const AxialRotation& a = change_.a;
      const AxialPair& p = a.at(pair);
      r = {a.rope_theta, p.numerator, p.denominator, p.numerator / 2,
           a.frequencies.empty() ? nullptr : &a.frequencies[static_cast<size_t>(pair)]};
    }
    return r;
  }

  struct Token {
    int64_t batch, seq, head;
  };
  int64_t PositionOf(const Token& t, int64_t axis) const {
    const bool by_batch = positions_.rank() == 3 && positions_.shape[0] != 1;
    const auto given = [&](int64_t batch, int64_t of, int64_t seq) {
      return IntegerAt(positions_,
                       ((by_batch ? batch : 0) * change_.a.axes() + of) * x_.shape[1] + seq);
    };
    if (change_.count == Count::kTokens) return t.seq;
    if (change_.count == Count::kFirstRow) return given(0, axis, t.seq);
    return given(t.batch, axis, t.seq) - (change_.count == Count::kFromFirst ? given(0, 0, 0) : 0);
  }

  Turn TurnOf(const Token& t, int64_t pair) const {
    if (!change_.a.mixed) {
      const int64_t axis = change_.axis[static_cast<size_t>(pair)];
      return axis < 0 ? Turn{} : turns_.At(PositionOf(t, axis), pair);
    }
    const ConstTensorView w = c_.inputs.at("frequencies").view();
    std::vector<MixedTerm> terms;
    for (size_t axis = 0; axis < change_.axis.size(); ++axis) {
      if (change_.axis[axis] < 0) continue;
      const double frequency = change_.mixed.Frequency(w, static_cast<int64_t>(axis), t.head, pair);
      const bool minus = change_.mixed.difference && axis > 0;
      terms.push_back({PositionOf(t, change_.axis[axis]), minus ? -frequency : frequency});
    }
    return MixedTurn(format_, change_.shared, terms);
  }

  // Bits of x at a dim of this token's head, as the kernel finds it. None: outside the storage.
  std::optional<uint64_t> BitsOfX(const Token& own, int64_t dim) const {
    Token t = own;
    if (change_.heads_reversed) t.head = x_.shape[2] - 1 - t.head;
    // In place, an earlier head holds its answer by now.
    if (!c_.in_place.empty() && t.head < own.head) return BitsAt(y_, Number(t) * x_.shape[3] + dim);
    if (change_.contiguous && !c_.in_place.empty()) return std::nullopt;
    const Shape strides = change_.contiguous ? ContiguousStrides(x_.shape) : x_.strides;
    const int64_t offset =
        t.batch * strides[0] + t.seq * strides[1] + t.head * strides[2] + dim * strides[3];
    const Tensor& x = c_.inputs.at("x");
    const int64_t at = x.origin() + offset;
    const int64_t extent = static_cast<int64_t>(x.storage().size()) / SizeOf(x.dtype());
    if (at < 0 || at >= extent) return std::nullopt;
    return LoadBits(x_.dtype, x_.data + offset * SizeOf(x_.dtype));
  }
  int64_t Number(const Token& t) const {
    return (t.batch * x_.shape[1] + t.seq) * x_.shape[2] + t.head;
  }

  Prediction Rotation(int64_t element) const {
    const AxialRotation& a = change_.a;
    const int64_t dim = element % x_.shape[3], number = element / x_.shape[3];
    const Token t{number / x_.shape[2] / x_.shape[1], number / x_.shape[2] % x_.shape[1],
                  number % x_.shape[2]};
    const std::optional<uint64_t> own = BitsOfX(t, dim);
    if (!a.InWindow(dim)) return Unwritten(change_.copied, x_.dtype, own);
    const auto [pair, member] = by_dim_[static_cast<size_t>(dim - a.rotary_offset)];
    if (InTail(change_.shared, pair, a.pairs(), true))
      return Unwritten(change_.shared.tail, x_.dtype, own);
    const int64_t at_a = a.Dim(pair, 0);
    std::optional<uint64_t> bits_a = BitsOfX(t, at_a);
    const std::optional<uint64_t> bits_b = BitsOfX(t, a.Dim(pair, 1));
    // In place: what y_a has left there, as answered.
    if (change_.overwritten && member == 1 && !c_.in_place.empty())
      bits_a = BitsAt(y_, number * x_.shape[3] + at_a);
    if (!bits_a || !bits_b) return {};
    const double xa = Read(change_.shared, format_, *bits_a);
    const double xb = Read(change_.shared, format_, *bits_b);
    const Turn turn = TurnOf(t, pair);
    const bool back = a.direction == RopeDirection::kTranspose && !change_.transpose_forward;
    const double s = change_.sine * (back ? -turn.sin : turn.sin), c = turn.cos;
    const double first = member == 0 ? xa * c : xa * s, second = member == 0 ? -xb * s : xb * c;
    const double y = first + second;
    if (!std::isfinite(y)) {
      if (std::isfinite(xa) && std::isfinite(xb) && std::isfinite(c) && std::isfinite(s)) return {};
      Prediction p = NonFinite(change_.shared, format_, y);
      if (turn.sin == 0) p.or_bits = member == 0 ? bits_a : bits_b;
      return p;
    }
    const double S = std::abs(first) + std::abs(second);
    const double turned =
        member == 0 ? std::abs(xa * s) + std::abs(xb * c) : std::abs(xa * c) + std::abs(xb * s);
    const double table_error = member == 0
                                   ? std::abs(xa) * turn.cos_error + std::abs(xb) * turn.sin_error
                                   : std::abs(xa) * turn.sin_error + std::abs(xb) * turn.cos_error;
    const double size = std::abs(xa) + std::abs(xb);
    PerProfile bound, narrow;
    const auto bound_in = [&](Format output, size_t i) {
      const double d = turn.known_tables ? 0 : TableError(kProfiles[i], output);
      return table_error +
             RotationBound<double>(kProfiles[i], output, y, S, turned, size, turn.D[i], d);
    };
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = bound_in(format_, i);
      narrow[i] = bound_in(WorkingFormat(format_), i);
    }
    return Stored(change_.shared, format_, y, S * 0x1p-51 + table_error, bound, narrow);
  }

  Prediction Sincos(int64_t element) const {
    const SincosTable& t = change_.t;
    const int64_t row = element / t.width() - t.zero_rows, column = element % t.width();
    if (row < 0 && !change_.zero_rows_encoded) return Bits(0);
    const SinusoidalColumn of = t.half.Column(column % t.half.width);
    const bool sine = (of.kind == SinusoidalColumn::kSine) != change_.halves;
    const bool of_column = (column >= t.half.width) != t.column_first;
    const int64_t position =
        row < 0 ? 0 : IntegerAt(positions_, (of_column ? positions_.shape[1] : 0) + row);
    const Turn turn = turns_.At(position, of.pair);
    const double v = sine ? change_.sine * turn.sin : turn.cos, slope = sine ? turn.cos : turn.sin;
    const double error = sine ? turn.sin_error : turn.cos_error;
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = TableBound<double>(format_, v, slope, turn.D[i], 0, 1) + error;
      narrow[i] = TableBound<double>(WorkingFormat(format_), v, slope, turn.D[i], 0, 1) + error;
      if (!turn.known_tables) continue;
      narrow[i] = bound[i] = error;
      if (format_ != WorkingFormat(format_))
        bound[i] += UnitRoundoff(format_) * std::abs(v) + ExactPowerOfTwo(EtaExponent(format_));
    }
    const double radius = (turn.known_tables ? 0 : std::abs(v) * 0x1p-52) + error;
    return Stored(change_.shared, format_, v, radius, bound, narrow);
  }

  Prediction Factorized(int64_t element) const {
    const ConstTensorView px = c_.inputs.at("px").view(), py = c_.inputs.at("py").view();
    const int64_t wx = px.shape[1], wy = py.shape[1], X = px.shape[0], Y = py.shape[0];
    const bool sum = change_.combine == Combine::kSum;
    const int64_t width = sum ? wx : wx + wy, column = element % width, place = element / width;
    int64_t x = place / Y, y = place % Y;
    if (change_.transposed) x = place % X, y = place / X;
    if (!sum) {
      const bool first = change_.exchanged ? column >= wy : column < wx;
      const int64_t within =
          change_.exchanged ? (first ? column - wy : column) : (first ? column : column - wx);
      return Bits(first ? BitsAt(px, x * wx + within) : BitsAt(py, y * wy + within));
    }
    const double v =
        (change_.mean ? 0.5 : 1) * (Read(change_.shared, format_, BitsAt(px, x * wx + column)) +
                                    Read(change_.shared, format_, BitsAt(py, y * wy + column)));
    if (!std::isfinite(v)) return NonFinite(change_.shared, format_, v);
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = axes::SumBound<double>(kProfiles[i], format_, v);
      narrow[i] = axes::SumBound<double>(kProfiles[i], WorkingFormat(format_), v);
    }
    return Stored(change_.shared, format_, v, std::abs(v) * 0x1p-52, bound, narrow);
  }

  // AXES-14, with the changes.
  int64_t IndexOf(int64_t query, int64_t key) const {
    const Window& w = change_.w;
    if (change_.reversed) std::swap(query, key);
    if (w.cls == ClsToken::kBeit) {
      const int64_t cls = change_.cls_last ? w.tokens() - 1 : 0;
      if (query == cls && key == cls) return w.offsets() + 2;
      if (query == cls || key == cls)
        return w.offsets() + ((key == cls) != change_.cls_exchanged ? 1 : 0);
      query -= !change_.cls_last;
      key -= !change_.cls_last;
    }
    const int64_t rows = query / w.width - key / w.width + w.height - 1;
    const int64_t columns = query % w.width - key % w.width + w.width - 1;
    if (change_.by_columns) return columns * (2 * w.height - 1) + rows;
    return rows * (2 * w.width - (change_.even_stride ? 0 : 1)) + columns;
  }
  Prediction InWindow(int64_t element) const {
    const int64_t n = change_.w.tokens();
    const int64_t index = IndexOf(element / n % n, element % n);
    if (verb_ == Verb::kIndex) return Bits(static_cast<uint64_t>(index));
    const ConstTensorView table = c_.inputs.at("table").view();
    if (index >= table.shape[0]) return {};
    return Bits(BitsAt(table, index * table.shape[1] + element / (n * n)));
  }

  const Case& c_;
  Format format_;
  Verb verb_;
  AxesChange change_;
  Turns turns_;
  ConstTensorView x_, y_, positions_;
  std::vector<std::pair<int64_t, int>> by_dim_;
};

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
        F::State("q-k-crossed/heads", "heads taken in reverse order",
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
        {Concerns::kAngles, Concerns::kPositions, Concerns::kStorage},
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

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  const Case& c = *answered.c;
  AxesChange change;
  switch (VerbOf(c)) {
    case Verb::kSections:
      change.s = axes::ReadSections(c);
      break;
    case Verb::kRotate: {
      change.a = axes::ReadRotation(c);
      for (int64_t k = 0; change.a.mixed && k < change.a.axes(); ++k) change.axis.push_back(k);
      if (change.a.mixed) break;
      ParameterReader reader(c.parameters, "AXES-2");
      change.s = axes::IsMrope(c) ? axes::ReadSections(reader) : Sections{change.a.sizes, {}};
      break;
    }
    case Verb::kSincos:
      change.t = axes::ReadSincos(c);
      break;
    case Verb::kFactorized:
      change.combine = axes::ReadCombine(c);
      break;
    default:
      change.w = axes::ReadWindowSize(c);
      break;
  }
  if (!change.s.sizes.empty())
    for (int64_t i = 0; i < change.s.pairs(); ++i) change.axis.push_back(change.s.AxisOf(i));
  MakeMistakes(Entries(), c, made, factor, factor_error, &change);
  return std::make_unique<AxesPredictor>(answered, change);
}

}  // namespace gnomon::oracle::multi_axis
