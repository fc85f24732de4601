#include "gnomon/properties/multi_axis_algebra.h"

#include <algorithm>

#include "gnomon/properties/dot_product.h"
#include "gnomon/properties/multi_axis_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::multi_axis {
namespace {

namespace axes = gnomon::multi_axis;

Interval InputLength(const Case& c, int64_t a, int64_t b) {
  const Tensor& x = c.inputs.at("x");
  return Length(Interval(x.Value(a)), Interval(x.Value(b)));
}
std::function<std::string()> At(const char* what, int64_t element, double got, double other) {
  return [=] {
    return std::string(what) + ": element " + std::to_string(element) + ": " + Show(got) +
           " against " + Show(other);
  };
}

// Forward, at positions that can be added.
Case DrawTurn(Trial& t, const std::string& operation) {
  Draw draw;
  draw.direction = false;
  draw.position_limit = kAddablePosition;
  return DrawRotation(t, operation, draw);
}
int64_t PositionAt(const Case& c, int64_t i) { return c.inputs.at("positions").Integer(i); }
// Positions by their number, in any order of axes: f(number).
Case WithNumbered(const Case& c, const std::function<int64_t(int64_t)>& f) {
  return With(c, "positions", Integers(c.inputs.at("positions").shape(), f));
}

}  // namespace

void CompareAll(Trial& t, const Answer& one, const Answer& two,
                const std::function<bool(int64_t token, int64_t pair)>& only) {
  ForEachPair(one.asked(), [&](int64_t token, int64_t pair, int64_t a, int64_t b) {
    if (only && !only(token, pair)) return;
    CompareSame(t, one, a, two, a);
    CompareSame(t, one, b, two, b);
  });
}

// y1 = R_p' x, y2 = R_p y1, y3 = R_(p + p') x.
void Composition(Trial& t, const std::string& operation) {
  const Case first = DrawTurn(t, operation);
  const Tensor p = Integers(first.inputs.at("positions").shape(),
                            [&](int64_t) { return t.DrawPosition(kAddablePosition); });
  const Answer y1(t, first);
  const Answer y2(t, With(With(first, "x", Contiguous(y1.output("y"))), "positions", p));
  const Answer y3(
      t, WithNumbered(first, [&](int64_t i) { return PositionAt(first, i) + p.Integer(i); }));
  ForEachPair(first, [&](int64_t, int64_t, int64_t a, int64_t b) {
    for (const int64_t e : {a, b})
      t.Compare(abs(y2.Value(e) - y3.Value(e)),
                Length(y1.Bound(a), y1.Bound(b)) + y2.Bound(e) + y3.Bound(e),
                InputLength(first, a, b),
                At("R_p R_p' x is not R_(p+p') x", e, y2.Raw(e), y3.Raw(e)));
  });
}

void Undo(Trial& t, const std::string& operation) {
  const Case c = DrawTurn(t, operation);
  const Answer y1(t, c);
  const Answer y2(
      t, WithDirection(With(c, "x", Contiguous(y1.output("y"))), RopeDirection::kTranspose));
  const Tensor& x = c.inputs.at("x");
  ForEachPair(c, [&](int64_t, int64_t, int64_t a, int64_t b) {
    for (const int64_t e : {a, b})
      t.Compare(abs(y2.Value(e) - Interval(x.Value(e))),
                Length(y1.Bound(a), y1.Bound(b)) + y2.Bound(e), InputLength(c, a, b),
                At("R_p^T R_p x is not x", e, y2.Raw(e), x.Value(e)));
  });
}

// Opposite positions turn the other way.
void NegativePosition(Trial& t, const std::string& operation) {
  const Case c = DrawTurn(t, operation);
  const Answer back(t, WithNumbered(c, [&](int64_t i) { return -PositionAt(c, i); }));
  const Answer transposed(t, WithDirection(c, RopeDirection::kTranspose));
  CompareAll(t, back, transposed);
}

// Scores depend on the offset in every axis: both sides move by one step an axis.
void Scores(Trial& t, const std::string& operation) {
  const Case q = DrawTurn(t, operation);
  const Tensor& x = q.inputs.at("x");
  Tensor keys = Guarded(x.dtype(), x.shape());
  const Numbers numbers = DrawTame(t.source());
  for (int64_t i = 0; i < keys.count(); ++i) keys.Set(i, DrawNumber(t.source(), q.format, numbers));
  const Case k = WithNumbered(With(q, "x", std::move(keys)),
                              [&](int64_t) { return t.DrawPosition(kAddablePosition); });
  std::vector<int64_t> step;
  for (int64_t axis = 0; axis < axes::ReadRotation(q).axes(); ++axis)
    step.push_back(t.DrawPosition(kAddablePosition));
  const auto moved = [&](const Case& c) {
    return WithNumbered(c, [&](int64_t i) {
      return PositionAt(c, i) + step[static_cast<size_t>(AxisOfNumber(c, i))];
    });
  };
  const Answer q1(t, q), k1(t, k), q2(t, moved(q)), k2(t, moved(k));
  const int64_t head_dim = x.shape()[3];
  for (int64_t head = 0; head < x.count() / head_dim; ++head) {
    DotProduct one, two;
    for (int64_t e = head * head_dim; e < (head + 1) * head_dim; ++e) {
      one.Add(q1, e, k1, e);
      two.Add(q2, e, k2, e);
    }
    t.Compare(abs(one.value - two.value), one.tolerance + two.tolerance, one.Size(), [&] {
      return "head " + std::to_string(head) + ": the score changes from " + Show(one.value) +
             " to " + Show(two.value) + " when both places move alike";
    });
  }
}

void Norms(Trial& t, const std::string& operation) {
  const Case c = DrawTurn(t, operation);
  const Answer y(t, c);
  ForEachPair(c, [&](int64_t, int64_t pair, int64_t a, int64_t b) {
    const Interval before = InputLength(c, a, b), after = Length(y.Value(a), y.Value(b));
    t.Compare(abs(after - before), Length(y.Bound(a), y.Bound(b)), before, [&] {
      return "the length of pair " + std::to_string(pair) + " changes from " + Show(before) +
             " to " + Show(after);
    });
  });
}

// AXES-1. Every token at its own positions: the tokens asked one by one.
void Rows(Trial& t, const std::string& operation) {
  Draw draw;
  draw.memory = true;
  const Case c = DrawRotation(t, operation, draw);
  const AxialRotation a = axes::ReadRotation(c);
  const Answer all(t, c);
  const Tensor& x = c.inputs.at("x");
  const Shape shape = x.shape();
  const int64_t row = shape[2] * shape[3];
  for (int64_t token = 0; token < std::min<int64_t>(shape[0] * shape[1], 6); ++token) {
    Tensor one_x = Guarded(x.dtype(), {1, 1, shape[2], shape[3]});
    for (int64_t i = 0; i < row; ++i) one_x.SetBits(i, BitsAt(x.view(), token * row + i));
    Case one =
        With(With(c, "x", one_x), "positions",
             Integers({a.axes(), 1}, [&](int64_t axis) { return PositionOn(c, token, axis); }));
    one.in_place = "";
    const Answer alone(t, one);
    for (int64_t i = 0; i < row; ++i)
      if (a.InWindow(i % shape[3])) CompareSame(t, all, token * row + i, alone, i);
  }
}

namespace {

// A step along one axis leaves the pairs of the others alone.
void AxesDoNotMix(Trial& t) {
  const Case c = DrawTurn(t, "");
  const AxialRotation a = axes::ReadRotation(c);
  const int64_t axis = t.source().Below(a.axes());
  const int64_t step = 1 + t.source().Below(1000);
  const Case moved = WithNumbered(
      c, [&](int64_t i) { return PositionAt(c, i) + (AxisOfNumber(c, i) == axis ? step : 0); });
  const Answer here(t, c), there(t, moved);
  int64_t others = 0;
  CompareAll(t, here, there, [&](int64_t, int64_t pair) {
    others += a.at(pair).axis != axis;
    return a.at(pair).axis != axis;
  });
  if (others == 0) t.NoteCompared();  // one axis alone
}

// The pairs that multi_axis.sections gives an axis turn with its position, and no others: turned by
// one radian the second member of (1, 0) is 0.84, not turned 0; both are decided at a half.
void SectionsMove(Trial& t) {
  Draw draw;
  draw.direction = false;
  Case c = DrawRotation(t, "multi_axis.mrope", draw);
  t.RequireInside(t.limits(c.operation).takes("frequencies"));
  Case sections;
  sections.operation = "multi_axis.sections";
  sections.format = c.format;
  for (const char* name : {"mrope_section", "section_order"})
    if (c.parameters.count(name)) sections.parameters[name] = c.parameters.at(name);
  const Answer of_pairs(t, sections);
  const AxialRotation a = axes::ReadRotation(c);
  c.parameters.erase("rope_theta");
  c.parameters["frequencies"] = std::vector<Number>(static_cast<size_t>(a.pairs()), Number(1));
  Tensor ones = Guarded(DTypeOf(c.format), c.inputs.at("x").shape());
  for (int64_t i = 0; i < ones.count(); ++i) ones.Set(i, 0);
  ForEachPair(c, [&](int64_t, int64_t, int64_t first, int64_t) { ones.Set(first, 1); });
  c.inputs.insert_or_assign("x", ones);
  const int64_t axis = t.source().Below(a.axes());
  const Answer y(t, WithPositions(c, [&](int64_t, int64_t of, int64_t) { return of == axis; }));
  ForEachPair(y.asked(), [&](int64_t, int64_t pair, int64_t, int64_t second) {
    const bool own = of_pairs.Raw(pair) == static_cast<double>(axis);
    t.Expect(own == (std::abs(y.Raw(second)) > 0.5), [&] {
      return "pair " + std::to_string(pair) + " belongs to axis " +
             std::to_string(static_cast<int>(of_pairs.Raw(pair))) + ", and a step along axis " +
             std::to_string(axis) + (own ? " does not turn it" : " turns it");
    });
  });
}

// Every axis has as many pairs as its size says.
void HaveTheirSizes(Trial& t, SectionOrder order) {
  const Case c = DrawSections(t, order);
  const Sections s = axes::ReadSections(c);
  t.RequireInside(s.order == order);
  const Answer answer(t, c);
  std::vector<int64_t> count(s.sizes.size());
  double last = 0;
  for (int64_t i = 0; i < s.pairs(); ++i) {
    const double axis = answer.Raw(i);
    t.Expect(axis >= 0 && axis < static_cast<double>(count.size()),
             [&] { return "pair " + std::to_string(i) + " has axis " + Show(axis); });
    t.Expect(order != SectionOrder::kContiguous || axis >= last,
             [&] { return "pair " + std::to_string(i) + " goes back to axis " + Show(axis); });
    last = axis;
    ++count[static_cast<size_t>(axis)];
  }
  for (size_t axis = 0; axis < count.size(); ++axis)
    t.Expect(count[axis] == s.sizes[axis], [&] {
      return "axis " + std::to_string(axis) + " has " + std::to_string(count[axis]) +
             " pairs, and its size is " + std::to_string(s.sizes[axis]);
    });
}
void SectionSizes(Trial& t) { HaveTheirSizes(t, SectionOrder::kContiguous); }
void InterleavedSizes(Trial& t) { HaveTheirSizes(t, SectionOrder::kInterleaved); }

// Equal positions on all axes: rope.apply of the same subject.
void EqualPositions(Trial& t) {
  Draw draw;
  draw.position_limit = kAddablePosition;
  const Case drawn = DrawRotation(t, "multi_axis.mrope", draw);
  const Case c = WithPositions(drawn, [&](int64_t batch, int64_t, int64_t seq) {
    return PositionOn(drawn, batch * drawn.inputs.at("x").shape()[1] + seq, 0);
  });
  Case rope = c;
  rope.operation = "rope.apply";
  for (const char* name : {"mrope_section", "section_order"}) rope.parameters.erase(name);
  const Shape& x = c.inputs.at("x").shape();
  rope.inputs.insert_or_assign(
      "positions", Integers({x[0], x[1]}, [&](int64_t token) { return PositionOn(c, token, 0); }));
  const Answer by_axes(t, c), by_rope(t, rope);
  CompareAll(t, by_axes, by_rope);
}

// Axes may be named in another order, with their positions and their dims (exponent reset).
void AxesPermute(Trial& t) {
  Draw draw;
  draw.reset = draw.plain_frequencies = true;
  draw.position_limit = kAddablePosition;
  const Case c = DrawRotation(t, "multi_axis.axial", draw);
  const AxialRotation a = axes::ReadRotation(c);
  t.RequireInside(a.pair.back().denominator == 2 * a.sizes.back() || a.axes() == 1);
  std::vector<int64_t> order(a.sizes.size());  // new axis -> axis
  std::iota(order.begin(), order.end(), int64_t{0});
  std::rotate(order.begin(), order.begin() + t.source().Below(a.axes()), order.end());
  std::vector<Number> dims;
  for (const int64_t axis : order)
    dims.push_back(static_cast<double>(2 * a.sizes[static_cast<size_t>(axis)]));
  Case other = WithParameter(c, "axes_dims", dims);
  const auto inverse = [&](int64_t axis) {
    return std::find(order.begin(), order.end(), axis) - order.begin();
  };
  const AxialRotation b = axes::ReadRotation(other);
  // Where pair i of `a` is in `b`: the same number on the renamed axis.
  const auto moved = [&](int64_t i) {
    for (int64_t j = 0; j < b.pairs(); ++j)
      if (b.at(j).axis == inverse(a.at(i).axis) && b.at(j).number == a.at(i).number) return j;
    return int64_t{0};
  };
  other = WithPositions(other, [&](int64_t batch, int64_t axis, int64_t seq) {
    const Shape& shape = c.inputs.at("positions").shape();
    return c.inputs.at("positions")
        .Integer((batch * a.axes() + order[static_cast<size_t>(axis)]) * shape.back() + seq);
  });
  const Tensor& x = c.inputs.at("x");
  Tensor placed = Contiguous(x);
  const auto at = [&](int64_t element, int64_t pair, int member) {
    return element / a.head_dim * a.head_dim + b.Dim(moved(pair), member);
  };
  ForEachPair(c, [&](int64_t, int64_t pair, int64_t ea, int64_t eb) {
    placed.SetBits(at(ea, pair, 0), BitsAt(x.view(), ea));
    placed.SetBits(at(eb, pair, 1), BitsAt(x.view(), eb));
  });
  const Answer one(t, c), two(t, With(other, "x", placed));
  ForEachPair(c, [&](int64_t, int64_t pair, int64_t ea, int64_t eb) {
    CompareSame(t, one, ea, two, at(ea, pair, 0));
    CompareSame(t, one, eb, two, at(eb, pair, 1));
  });
}

// AXES-11. The same pairs at other places.
void Layouts(Trial& t) {
  const Case c = DrawTurn(t, "multi_axis.axial");
  const AxialRotation a = axes::ReadRotation(c);
  Case other =
      WithParameter(c, "layout", kAxialLayoutNames[static_cast<size_t>(t.source().Below(3))]);
  const AxialRotation b = axes::ReadRotation(other);
  const auto at = [&](int64_t element, int64_t pair, int member) {
    return element / a.head_dim * a.head_dim + b.Dim(pair, member);
  };
  const Tensor& x = c.inputs.at("x");
  Tensor placed = Contiguous(x);
  ForEachPair(c, [&](int64_t, int64_t pair, int64_t ea, int64_t eb) {
    placed.SetBits(at(ea, pair, 0), BitsAt(x.view(), ea));
    placed.SetBits(at(eb, pair, 1), BitsAt(x.view(), eb));
  });
  const Answer one(t, c), two(t, With(other, "x", placed));
  ForEachPair(c, [&](int64_t, int64_t pair, int64_t ea, int64_t eb) {
    CompareSame(t, one, ea, two, at(ea, pair, 0));
    CompareSame(t, one, eb, two, at(eb, pair, 1));
  });
}

// Tables of two axes.

// The columns of the sine of a pair and of its cosine, in one half.
struct Columns {
  int64_t sine = 0, cosine = 0;
};
std::vector<Columns> ColumnsOf(const SinusoidalTable& half) {
  std::vector<Columns> all(static_cast<size_t>(half.pairs()));
  for (int64_t column = 0; column < half.width; ++column) {
    const SinusoidalColumn c = half.Column(column);
    Columns& of = all[static_cast<size_t>(c.pair)];
    (c.kind == SinusoidalColumn::kSine ? of.sine : of.cosine) = column;
  }
  return all;
}

void UnitCircle(Trial& t) {
  const Case c = DrawSincos(t, false);
  const SincosTable table = axes::ReadSincos(c);
  const Answer pe(t, c);
  for (int64_t row = table.zero_rows; row < pe.shape()[0]; ++row)
    for (const int64_t half : {int64_t{0}, table.half.width})
      for (const Columns& at : ColumnsOf(table.half)) {
        const int64_t s = row * table.width() + half + at.sine;
        const int64_t k = row * table.width() + half + at.cosine;
        const Interval length = Length(pe.Value(s), pe.Value(k));
        t.Compare(abs(length - 1), Length(pe.Bound(s), pe.Bound(k)), Interval(1), [&] {
          return "row " + std::to_string(row) + ": (" + Show(pe.Raw(s)) + ", " + Show(pe.Raw(k)) +
                 ") is " + Show(length - 1) + " off the unit circle";
        });
      }
}

// AXES-13. The half of a coordinate does not see the other one; rows of zeros see neither; with the
// coordinates and the halves exchanged the table stays.
void Halves(Trial& t) {
  const Case c = DrawSincos(t, false, kAddablePosition);
  const SincosTable table = axes::ReadSincos(c);
  const int64_t width = table.half.width, step = 1 + t.source().Below(100);
  const Tensor& positions = c.inputs.at("positions");
  const int64_t seq = positions.shape()[1];
  const auto with = [&](int64_t axis) {
    return With(c, "positions", Integers(positions.shape(), [&](int64_t i) {
                  return positions.Integer(i) + (i / seq == axis ? step : 0);
                }));
  };
  const Answer here(t, c), other_row(t, with(0)), other_column(t, with(1));
  const Case exchanged =
      With(WithParameter(c, "first_half", kFirstHalfNames[table.column_first ? 0 : 1]), "positions",
           Integers(positions.shape(),
                    [&](int64_t i) { return positions.Integer((i + seq) % (2 * seq)); }));
  const Answer mirrored(t, exchanged);
  for (int64_t e = 0; e < here.output("pe").count(); ++e) {
    const int64_t row = e / (2 * width), column = e % (2 * width);
    if (row < table.zero_rows) {
      t.Expect(here.Raw(e) == 0, At("a row of zeros is not 0", e, here.Raw(e), 0));
      continue;
    }
    const bool of_column = (column >= width) != table.column_first;
    CompareSame(t, here, e, of_column ? other_row : other_column, e);
    CompareSame(t, here, e, mirrored, e);
  }
}

// AXES-5. Dot products of rows depend on both offsets, and on nothing else.
void Similarity(Trial& t) {
  const Case c = DrawSincos(t, false, kAddablePosition);
  const SincosTable table = axes::ReadSincos(c);
  const Tensor& positions = c.inputs.at("positions");
  const int64_t seq = positions.shape()[1];
  const int64_t step[2] = {t.DrawPosition(kAddablePosition), t.DrawPosition(kAddablePosition)};
  const Answer one(t, c), two(t, With(c, "positions", Integers(positions.shape(), [&](int64_t i) {
                                        return positions.Integer(i) + step[i / seq];
                                      })));
  for (int64_t m = table.zero_rows; m < table.zero_rows + seq; ++m)
    for (int64_t n = table.zero_rows; n <= m; ++n) {
      DotProduct before, after;
      for (int64_t column = 0; column < table.width(); ++column) {
        before.Add(one, m * table.width() + column, one, n * table.width() + column);
        after.Add(two, m * table.width() + column, two, n * table.width() + column);
      }
      t.Compare(abs(before.value - after.value), before.tolerance + after.tolerance,
                Interval(table.width() / 2), [&] {
                  return "rows " + std::to_string(m) + ", " + std::to_string(n) +
                         ": their dot product changes from " + Show(before.value) + " to " +
                         Show(after.value) + " when both places move alike";
                });
    }
}

// AXES-4. pe(x, y) - pe(x', y) is the same for every y; and where px or py is 0, pe is the other.
void Factorises(Trial& t) {
  const Case c = DrawFactorized(t, Combine::kSum, DrawTame(t.source()), false);
  const Answer pe(t, c);
  const Shape shape = pe.shape();
  const auto number = [&](int64_t x, int64_t y, int64_t column) {
    return (x * shape[1] + y) * shape[2] + column;
  };
  for (int64_t column = 0; column < shape[2]; ++column)
    for (int64_t x = 0; x < shape[0]; ++x)
      for (int64_t y = 0; y < shape[1]; ++y) {
        const int64_t a = number(x, y, column), b = number(0, y, column);
        const int64_t d = number(x, 0, column), e = number(0, 0, column);
        t.Compare(
            abs(pe.Value(a) - pe.Value(b) - (pe.Value(d) - pe.Value(e))),
            pe.Bound(a) + pe.Bound(b) + pe.Bound(d) + pe.Bound(e), pe.Size(a) + pe.Size(e),
            At("a step along x depends on y", a, pe.Raw(a) - pe.Raw(b), pe.Raw(d) - pe.Raw(e)));
      }
  Tensor none = c.inputs.at("py");
  for (int64_t i = 0; i < none.count(); ++i) none.Set(i, 0);
  const Answer alone(t, With(c, "py", none));
  const Tensor& px = c.inputs.at("px");
  for (int64_t i = 0; i < alone.output("pe").count(); ++i) {
    const double x = px.Value(i / (shape[1] * shape[2]) * shape[2] + i % shape[2]);
    t.Expect(alone.Raw(i) == x, At("px + 0 is not px", i, alone.Raw(i), x));
  }
}

// AXES-5. Columns are those of the two tables, bit by bit.
void Concatenates(Trial& t) {
  const Case c = DrawFactorized(t, Combine::kConcatenate, Numbers::kSpecial, true);
  const Answer pe(t, c);
  const Tensor &px = c.inputs.at("px"), &py = c.inputs.at("py");
  const Shape shape = pe.shape();
  const int64_t wx = px.shape()[1];
  for (int64_t i = 0; i < pe.output("pe").count(); ++i) {
    const int64_t column = i % shape[2], y = i / shape[2] % shape[1], x = i / shape[2] / shape[1];
    const uint64_t due = column < wx ? BitsAt(px.view(), x * wx + column)
                                     : BitsAt(py.view(), y * (shape[2] - wx) + column - wx);
    t.Expect(BitsAt(pe.output("pe").view(), i) == due, [&] {
      return "element " + std::to_string(i) + " is " + Show(pe.Raw(i)) + ", and is copied from " +
             (column < wx ? "px" : "py");
    });
  }
}

// Windows.

// AXES-14. Equal offsets have equal indices, others different ones; both directions sum to a
// constant; all rows are used.
void WindowOffsets(Trial& t) {
  const Case c = DrawWindow(t, "multi_axis.window_index", false, false);
  const Window w = axes::ReadWindowSize(c);
  const Answer index(t, c);
  const int64_t n = w.tokens(), cls = n - w.height * w.width;
  std::vector<int64_t> offset(static_cast<size_t>(w.rows()), -1);
  for (int64_t q = 0; q < n; ++q)
    for (int64_t k = 0; k < n; ++k) {
      const auto where = [&] {
        return "query " + std::to_string(q) + ", key " + std::to_string(k) + ": " +
               Show(index.Raw(q * n + k));
      };
      const double row = index.Raw(q * n + k);
      t.Expect(row >= 0 && row < static_cast<double>(w.rows()),
               [&] { return where() + " is no row of the table"; });
      const bool special = q < cls || k < cls;
      t.Expect((row >= static_cast<double>(w.offsets())) == special,
               [&] { return where() + " is a row of the class token, or should be"; });
      // What the index stands for, as a number of its own.
      const int64_t rows = (q - cls) / w.width - (k - cls) / w.width;
      const int64_t columns = (q - cls) % w.width - (k - cls) % w.width;
      const int64_t stands_for = special ? -2 - (q < cls) - 2 * (k < cls)
                                         : (rows + w.height) * 4 * w.width + columns + w.width;
      int64_t& known = offset[static_cast<size_t>(row)];
      t.Expect(known == -1 || known == stands_for,
               [&] { return where() + " stands for two offsets"; });
      known = stands_for;
      if (!special)
        t.Expect(row + index.Raw(k * n + q) == static_cast<double>(w.offsets() - 1),
                 [&] { return where() + " and its mirror image have the wrong sum"; });
    }
}

// AXES-15. The bias is the row that the subject's own index names.
void BiasFollowsIndex(Trial& t) {
  const Case c = DrawWindow(t, "multi_axis.window_bias", true, true);
  Case of = c;
  of.operation = "multi_axis.window_index";
  of.inputs.clear();
  const Answer bias(t, c), index(t, of);
  const Tensor& table = c.inputs.at("table");
  const int64_t heads = table.shape()[1], places = index.output("index").count();
  for (int64_t i = 0; i < heads * places; ++i) {
    const int64_t row = static_cast<int64_t>(index.Raw(i % places));
    t.Expect(
        row >= 0 && row < table.shape()[0] &&
            BitsAt(bias.output("bias").view(), i) == BitsAt(table.view(), row * heads + i / places),
        At("a bias is not the row of its index", i, bias.Raw(i), static_cast<double>(row)));
  }
}

}  // namespace

std::vector<Property> AlgebraicProperties() {
  const std::vector<std::string> both = {"multi_axis.axial", "multi_axis.mrope"};
  const std::vector<std::string> axial = {"multi_axis.axial"}, sections = {"multi_axis.sections"};
  const std::vector<std::string> sincos = {"multi_axis.sincos_2d"};
  const std::vector<std::string> factorized = {"multi_axis.factorized"};
  const auto on_both = [](void (*check)(Trial&, const std::string&)) {
    return [check](Trial& t) { check(t, ""); };
  };
  return {
      {"multi_axis.composition", "AXES-1", "Gnomon.MultiAxis.AXES_1_composition",
       "R_p R_p' x = R_(p+p') x", both, true, on_both(Composition)},
      {"multi_axis.undo", "AXES-1", "Gnomon.MultiAxis.AXES_1_transpose_undoes", "R_p^T R_p x = x",
       both, true, on_both(Undo)},
      {"multi_axis.negative_position", "AXES-18", "", "R_(-p) x = R_p^T x", both, true,
       on_both(NegativePosition)},
      {"multi_axis.scores", "AXES-1", "Gnomon.MultiAxis.AXES_1_scores_depend_on_the_offsets_only",
       "scores depend on the offset in every axis only", both, true, on_both(Scores)},
      {"multi_axis.norms", "AXES-18", "", "the length of every pair is kept", both, true,
       on_both(Norms)},
      {"multi_axis.axes_do_not_mix", "AXES-1", "Gnomon.MultiAxis.AXES_1_axes_do_not_mix",
       "a step along an axis leaves the pairs of the others alone", both, true, AxesDoNotMix},
      {"multi_axis.sections_move",
       "AXES-2",
       "Gnomon.MultiAxis.AXES_2_every_pair_has_a_section",
       "a position turns the pairs of its section and no others",
       {"multi_axis.mrope", "multi_axis.sections"},
       true,
       SectionsMove},
      {"multi_axis.section_sizes", "AXES-2", "Gnomon.MultiAxis.AXES_2_sizes_of_sections",
       "sections are runs of their sizes", sections, true, SectionSizes},
      {"multi_axis.interleaved_sizes", "AXES-3", "Gnomon.MultiAxis.AXES_3_sizes",
       "interleaved sections have their sizes", sections, true, InterleavedSizes},
      {"multi_axis.equal_positions",
       "AXES-1",
       "Gnomon.MultiAxis.AXES_1_equal_positions_are_rope",
       "equal positions on all axes: rope.apply",
       {"multi_axis.mrope", "rope.apply"},
       true,
       EqualPositions},
      {"multi_axis.axes_permute", "AXES-18", "", "axes in another order turn the same", axial, true,
       AxesPermute},
      {"multi_axis.layouts", "AXES-11", "", "layouts differ by a permutation", axial, true,
       Layouts},
      {"multi_axis.rows", "AXES-18", "", "every token is turned by its own positions", both, true,
       on_both(Rows)},
      {"multi_axis.unit_circle", "AXES-18", "", "sin^2 + cos^2 = 1", sincos, true, UnitCircle},
      {"multi_axis.halves", "AXES-13", "", "each half encodes its own coordinate", sincos, true,
       Halves},
      {"multi_axis.similarity", "AXES-5", "Gnomon.MultiAxis.AXES_5_similarity",
       "dot products of rows depend on both offsets only", sincos, true, Similarity},
      {"multi_axis.factorises", "AXES-4", "Gnomon.MultiAxis.AXES_4_what_factorises",
       "a step along x is the same for every y", factorized, true, Factorises},
      {"multi_axis.concatenates", "AXES-5", "Gnomon.MultiAxis.AXES_5_concatenated_dot_products",
       "columns of both tables, bit by bit", factorized, true, Concatenates},
      {"multi_axis.window_offsets",
       "AXES-14",
       "Gnomon.MultiAxis.AXES_14_an_index_for_every_offset",
       "an index for every offset, and one only",
       {"multi_axis.window_index"},
       true,
       WindowOffsets},
      {"multi_axis.bias_follows_index",
       "AXES-15",
       "",
       "a bias is the row of its index",
       {"multi_axis.window_bias", "multi_axis.window_index"},
       true,
       BiasFollowsIndex},
  };
}

}  // namespace gnomon::properties::multi_axis
