// What must hold of rope.xpos (spec/rope_xpos.md).
#include "gnomon/properties/rope_xpos.h"

#include <algorithm>
#include <cmath>

#include "gnomon/properties/dot_product.h"
#include "gnomon/properties/judged.h"

namespace gnomon::properties::rope {
namespace {

Xpos Read(const Case& c) { return gnomon::rope::ReadXpos(c); }
int64_t PositionAt(const Case& c, int64_t i) { return c.inputs.at("positions").Integer(i); }
Case Moved(const Case& c, const std::function<int64_t(int64_t)>& position) {
  return With(c, "positions", Integers(c.inputs.at("positions").shape(), [&](int64_t i) {
                return position(PositionAt(c, i));
              }));
}
Case WithRole(const Case& c, XposRole role) {
  return WithParameter(c, "role", kXposRoleNames[static_cast<size_t>(role)]);
}
Interval Turned(const Answer& y, int64_t a, int64_t b) { return Length(y.Bound(a), y.Bound(b)); }
Interval LengthAt(const Answer& y, int64_t a, int64_t b) { return Length(y.Value(a), y.Value(b)); }
Interval InputLength(const Case& c, int64_t a, int64_t b) {
  const Tensor& x = c.inputs.at("x");
  return Length(Interval(x.Value(a)), Interval(x.Value(b)));
}
// One layout, forward, `reach` powers of zeta at most; with 1, numbers that four more powers keep
// inside every format.
Case DrawTurn(Trial& t, int64_t reach = 1) {
  XposDraw draw;
  draw.numbers = t.source().Pick({Numbers::kWhole, Numbers::kUnit, Numbers::kUnequal});
  draw.one_layout = true;
  draw.reach = reach;
  return DrawXpos(t, draw);
}
RopeLayout LayoutOf(const Case& c) { return Read(c).apply.input_layout; }
// A move within what `reach` leaves of the base.
int64_t DrawMove(Trial& t, const Case& c, int64_t parts) {
  const int64_t base = Read(c).scale_base;
  const int64_t size = std::max<int64_t>(base / parts, 1);
  return t.source().Chance(1, 2) ? 1 + t.source().Below(size) : size;
}

void WithinBound(Trial& t) {
  XposDraw draw;
  draw.memory = true;
  ExpectWithinBound(t, DrawXpos(t, draw));
}
void SpecialNumbers(Trial& t) {
  XposDraw draw;
  draw.numbers = t.source().Pick({Numbers::kSpecial, Numbers::kWide});
  ExpectWithinBound(t, DrawXpos(t, draw));
}

// XPOS-7.
void Centre(Trial& t) {
  const Case drawn = DrawTurn(t);
  const int64_t center = Read(drawn).center;
  const Case c = Moved(drawn, [&](int64_t) { return center; });
  const Answer y(t, c);
  ForEachXposPair(c, LayoutOf(c), [&](int64_t, int64_t, int64_t a, int64_t b) {
    const Interval before = InputLength(c, a, b), after = LengthAt(y, a, b);
    t.Compare(abs(after - before), Turned(y, a, b), before, [&] {
      return "at the centre the pair at elements " + std::to_string(a) + ", " + std::to_string(b) +
             " has length " + Show(after) + ", not " + Show(before);
    });
  });
}

void Roles(Trial& t) {
  const Case query = WithRole(DrawTurn(t), XposRole::kQuery);
  const int64_t center = Read(query).center;
  const Case key =
      WithRole(Moved(query, [&](int64_t m) { return 2 * center - m; }), XposRole::kKey);
  const Answer q(t, query), k(t, key);
  ForEachXposPair(query, LayoutOf(query), [&](int64_t m, int64_t, int64_t a, int64_t b) {
    const Interval one = LengthAt(q, a, b), two = LengthAt(k, a, b);
    t.Compare(abs(one - two), Turned(q, a, b) + Turned(k, a, b), Length(q.Size(a), q.Size(b)), [&] {
      return "the query " + std::to_string(m - center) + " after the centre has length " +
             Show(one) + ", the key as much before it " + Show(two);
    });
  });
}

void Scores(Trial& t) {
  const Case drawn = DrawTurn(t);
  const Case q = WithRole(drawn, XposRole::kQuery);
  const int64_t apart = DrawMove(t, q, 2) - DrawMove(t, q, 2);
  Tensor keys = Guarded(q.inputs.at("x").dtype(), q.inputs.at("x").shape());
  const Numbers numbers = DrawTame(t.source());
  for (int64_t i = 0; i < keys.count(); ++i) keys.Set(i, DrawNumber(t.source(), q.format, numbers));
  const Case k = WithRole(
      With(Moved(q, [&](int64_t m) { return m + apart; }), "x", std::move(keys)), XposRole::kKey);
  const int64_t by = DrawMove(t, q, 1),
                center = Read(q).center + (t.source().Chance(1, 2) ? by : -by);
  // Both positions moved, and both centres.
  const bool moves = t.source().Chance(1, 2);
  const auto other = [&](const Case& c) {
    return moves ? Moved(c, [&](int64_t m) { return m + by; }) : WithCenter(c, center);
  };
  const Answer q1(t, q), k1(t, k), q2(t, other(q)), k2(t, other(k));
  const int64_t head_dim = q.inputs.at("x").shape()[3];
  for (int64_t head = 0; head < q.inputs.at("x").count() / head_dim; ++head) {
    const DotProduct one = HeadScore(q1, k1, head, head_dim),
                     two = HeadScore(q2, k2, head, head_dim);
    t.Compare(abs(one.value - two.value), one.tolerance + two.tolerance, one.Size(), [&] {
      return "head " + std::to_string(head) + ": the score changes from " + Show(one.value) +
             " to " + Show(two.value) + " when " +
             (moves ? "both positions move" : "the centre moves");
    });
  }
}

// XPOS-9.
void Norms(Trial& t) {
  const Case c = DrawTurn(t, gnomon::rope::kMaxXposExponent);
  const Xpos p = Read(c);
  const Answer y(t, c);
  ForEachXposPair(c, LayoutOf(c), [&](int64_t m, int64_t pair, int64_t a, int64_t b) {
    if (!std::isfinite(y.Raw(a)) || !std::isfinite(y.Raw(b))) return;  // f16 overflows
    const Interval zeta = (2 * Interval(pair) + Interval("0.4") * p.apply.frequencies.rotary_dim) /
                          (Interval("1.4") * p.apply.frequencies.rotary_dim);
    const Interval power = Interval(m - p.center) / Interval(p.scale_base) * log(zeta);
    const Interval scale = p.role == XposRole::kQuery ? exp(power) : exp(-power);
    const Interval expected = scale * InputLength(c, a, b), found = LengthAt(y, a, b);
    t.Compare(abs(found - expected), Turned(y, a, b), expected, [&] {
      return "pair " + std::to_string(pair) + " at position " + std::to_string(m) + " has length " +
             Show(found) + ", not " + Show(expected);
    });
  });
}
void Decay(Trial& t) {
  const Case c = WithRole(DrawTurn(t), XposRole::kQuery);
  const int64_t by = DrawMove(t, c, 1);
  const Case later = Moved(c, [&](int64_t m) { return m + by; });
  const Answer one(t, c), two(t, later);
  ForEachXposPair(c, LayoutOf(c), [&](int64_t, int64_t, int64_t a, int64_t b) {
    const Interval before = LengthAt(one, a, b), after = LengthAt(two, a, b);
    const Interval growth = after - before;
    t.Compare(mpfr_sgn(reference::Upper(growth)) > 0 ? growth : Interval(0),
              Turned(one, a, b) + Turned(two, a, b), Length(one.Size(a), one.Size(b)), [&] {
                return "the query's pair at elements " + std::to_string(a) + ", " +
                       std::to_string(b) + " grows from " + Show(before) + " to " + Show(after);
              });
  });
}

// XPOS-10. R_m S_m R_n S_n = R_(m+n) S_(m+n), the centres added.
void Composition(Trial& t) {
  const Case first = DrawTurn(t);
  const Xpos p = Read(first);
  const int64_t by = DrawMove(t, first, 4), center = t.source().Below(100);
  const auto sum = [&](int64_t m) { return m + center + by; };
  Xpos second_p = p;
  second_p.center = center;
  const Answer y1(t, first);
  const Answer y2(t, WithCenter(With(Moved(first, [&](int64_t) { return center + by; }), "x",
                                     Contiguous(y1.output("y"))),
                                center));
  const Answer y3(t, WithCenter(Moved(first, sum), p.center + center));
  ForEachXposPair(first, LayoutOf(first), [&](int64_t, int64_t pair, int64_t a, int64_t b) {
    // S_i of the second call, rounded up: a power of binary64.
    const double scale =
        std::pow(
            static_cast<double>(p.Numerator(pair)) / static_cast<double>(p.Denominator()),
            static_cast<double>(second_p.Steps(center + by)) / static_cast<double>(p.scale_base)) *
        kEvaluated;
    for (const int64_t e : {a, b})
      t.Compare(abs(y2.Value(e) - y3.Value(e)),
                scale * Turned(y1, a, b) + y2.Bound(e) + y3.Bound(e), y3.Size(e), [&] {
                  return "element " + std::to_string(e) + ": " + Show(y2.Raw(e)) +
                         " by two steps, " + Show(y3.Raw(e)) + " by one";
                });
  });
}

void Additivity(Trial& t) {
  const Case c = DrawTurn(t);
  const Shape shape = c.inputs.at("x").shape();
  const int64_t range = std::min<int64_t>(int64_t{1} << (Traits(c.format).precision - 2), 1024);
  Tensor x = Guarded(DTypeOf(c.format), shape), z = x, sum = x;
  for (int64_t i = 0; i < x.count(); ++i) {
    const auto draw = [&] { return static_cast<double>(t.source().Below(2 * range) - range); };
    const double a = draw(), b = draw();
    x.Set(i, a);
    z.Set(i, b);
    sum.Set(i, a + b);
  }
  const Answer fx(t, With(c, "x", x)), fz(t, With(c, "x", z)), fs(t, With(c, "x", sum));
  ForEachXposPair(c, LayoutOf(c), [&](int64_t, int64_t, int64_t a, int64_t b) {
    for (const int64_t e : {a, b})
      t.Compare(abs(fs.Value(e) - fx.Value(e) - fz.Value(e)),
                fs.Bound(e) + fx.Bound(e) + fz.Bound(e), fx.Size(e) + fz.Size(e), [&] {
                  return "f(x + z) is not f(x) + f(z): element " + std::to_string(e) + " is " +
                         Show(fs.Raw(e)) + ", not " + Show(fx.Raw(e) + fz.Raw(e));
                });
  });
}

// Pairs read and written in any layout are the same pairs, with the same scale.
void Layouts(Trial& t) {
  const Case c = DrawTurn(t);
  const RopeLayout own = LayoutOf(c), in = static_cast<RopeLayout>(t.source().Below(2)),
                   out = static_cast<RopeLayout>(t.source().Below(2));
  const auto elements = [&](RopeLayout layout) {
    std::vector<int64_t> all;
    ForEachXposPair(c, layout, [&](int64_t, int64_t, int64_t a, int64_t b) {
      all.push_back(a);
      all.push_back(b);
    });
    return all;
  };
  const std::vector<int64_t> here = elements(own), read = elements(in), written = elements(out);
  const Tensor& x = c.inputs.at("x");
  Tensor moved = x;
  for (size_t i = 0; i < here.size(); ++i) moved.SetBits(read[i], BitsAt(x.view(), here[i]));
  const Case other =
      With(WithParameter(WithParameter(c, "layout", kRopeLayoutNames[static_cast<size_t>(in)]),
                         "output_layout", kRopeLayoutNames[static_cast<size_t>(out)]),
           "x", std::move(moved));
  const Answer one(t, c), two(t, other);
  for (size_t i = 0; i < here.size(); ++i) CompareSame(t, one, here[i], two, written[i]);
}

// XPOS-3. Every token at its own position: the rows of a batch, asked one by one.
void Rows(Trial& t) {
  const Case c = DrawTurn(t);
  const Answer all(t, c);
  const Tensor& x = c.inputs.at("x");
  const int64_t row = x.shape()[2] * x.shape()[3];
  const RopeApply a = Read(c).apply;
  for (int64_t token = 0; token < std::min<int64_t>(x.shape()[0] * x.shape()[1], 6); ++token) {
    Tensor one_x = Guarded(x.dtype(), {1, 1, x.shape()[2], x.shape()[3]});
    for (int64_t i = 0; i < row; ++i) one_x.SetBits(i, BitsAt(x.view(), token * row + i));
    const int64_t position = PositionAt(c, token % c.inputs.at("positions").count());
    const Answer alone(t, With(With(c, "x", one_x), "positions",
                               Integers({1}, [&](int64_t) { return position; })));
    for (int64_t i = 0; i < row; ++i)
      if (a.InWindow(i % x.shape()[3])) CompareSame(t, all, token * row + i, alone, i);
  }
}

void Copied(Trial& t) {
  XposDraw draw;
  draw.numbers = Numbers::kSpecial;
  Case c = DrawXpos(t, draw);
  const int64_t turned = Read(c).apply.frequencies.rotary_dim, more = 1 + t.source().Below(5);
  Shape shape = c.inputs.at("x").shape();
  if (shape[3] == turned) {  // make sure there is something to copy
    t.RequireInside(t.limits("rope.xpos").takes("rotary_dim"));
    c.parameters["rotary_dim"] = static_cast<double>(turned);
    c.parameters["head_dim"] = static_cast<double>(turned + more);
    shape[3] += more;
    Tensor x = Guarded(DTypeOf(c.format), shape);
    for (int64_t i = 0; i < x.count(); ++i)
      x.Set(i, DrawNumber(t.source(), c.format, Numbers::kSpecial));
    c.inputs.insert_or_assign("x", std::move(x));
    c.in_place.clear();
    t.RequireInside(Outside(t.limits("rope.xpos"), c).empty());
  }
  const Outputs y = t.Run(c);
  const RopeApply a = Read(c).apply;
  for (int64_t e = 0; e < y.at("y").count(); ++e)
    if (!a.InWindow(e % shape[3]))
      t.Expect(BitsAt(c.inputs.at("x").view(), e) == BitsAt(y.at("y").view(), e), [&] {
        return "element " + std::to_string(e) +
               " lies outside the window and should be copied: " + Show(c.inputs.at("x").Value(e)) +
               " became " + Show(y.at("y").Value(e));
      });
}

// XPOS-11.
Case DrawOnMemory(Trial& t) {
  XposDraw draw;
  draw.memory = true;
  draw.reach = 1;
  return DrawXpos(t, draw);
}
void MemoryKept(Trial& t) { ExpectMemoryKept(t, DrawOnMemory(t)); }
void PaddingUnread(Trial& t) { ExpectPaddingUnread(t, DrawOnMemory(t)); }
void InPlace(Trial& t) { ExpectSameInPlace(t, DrawOnMemory(t)); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawOnMemory(t)); }
void Repeatable(Trial& t) {
  const Case c = DrawTurn(t);
  const int64_t by = DrawMove(t, c, 1);
  // The same positions about another centre, or other positions: what too small a key confuses.
  ExpectRepeatable(t, c,
                   t.source().Chance(1, 2) ? WithCenter(c, Read(c).center + by)
                                           : Moved(c, [&](int64_t m) { return m + by; }));
}

const std::vector<std::string> kXpos = {"rope.xpos"};

}  // namespace

std::vector<Property> XposProperties() {
  const std::string of = "Gnomon.RopeXpos.";
  return {
      {"rope.xpos_within_bound", "XPOS-6", "", "xPos: every element within its bound", kXpos, false,
       WithinBound},
      {"rope.xpos_special_numbers", "XPOS-4", "",
       "xPos: NaN, infinities, subnormals and overflow go where they belong", kXpos, false,
       SpecialNumbers},
      {"rope.xpos_centre", "XPOS-7", of + "XPOS_7_centre", "xPos: at the centre lengths are kept",
       kXpos, true, Centre},
      {"rope.xpos_roles", "XPOS-7", of + "XPOS_7_roles_mirror",
       "xPos: a key is a query mirrored at the centre", kXpos, true, Roles},
      {"rope.xpos_scores", "XPOS-8", of + "XPOS_8_scores",
       "xPos: q . k depends on n - m only, and on no centre", kXpos, true, Scores},
      {"rope.xpos_norms", "XPOS-9", of + "XPOS_9_norm_of_a_pair",
       "xPos: every pair is longer by its scale", kXpos, true, Norms},
      {"rope.xpos_decay", "XPOS-9", of + "XPOS_9_decay", "xPos: a query shrinks with its position",
       kXpos, true, Decay},
      {"rope.xpos_composition", "XPOS-10", of + "XPOS_10_composition",
       "xPos: two steps are one, positions and centres added", kXpos, true, Composition},
      {"rope.xpos_additivity", "XPOS-10", of + "XPOS_10_linearity", "xPos: f(x + z) = f(x) + f(z)",
       kXpos, true, Additivity},
      {"rope.xpos_layouts", "XPOS-10", of + "XPOS_10_layouts",
       "xPos: layouts differ by a permutation", kXpos, true, Layouts},
      {"rope.xpos_rows", "XPOS-3", of + "XPOS_3_scaled_rotation",
       "xPos: every token has its own position", kXpos, true, Rows},
      {"rope.xpos_copied", "XPOS-3", of + "XPOS_3_copied",
       "xPos: dims outside the window keep their bits", kXpos, true, Copied},
      {"rope.xpos_memory", "XPOS-11", "",
       "xPos: inputs untouched, every element written, nothing else", kXpos, true, MemoryKept},
      {"rope.xpos_padding_unread", "XPOS-11", "", "xPos: nothing between the elements matters",
       kXpos, true, PaddingUnread},
      {"rope.xpos_in_place", "XPOS-11", "", "xPos: in place and out of place agree", kXpos, true,
       InPlace},
      {"rope.xpos_strides", "XPOS-11", "", "xPos: strided and contiguous agree", kXpos, true,
       Strides},
      {"rope.xpos_repeatable", "XPOS-11", "", "xPos: the same question has the same answer", kXpos,
       true, Repeatable},
  };
}

}  // namespace gnomon::properties::rope
