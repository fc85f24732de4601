#include "gnomon/properties/rope_algebra.h"

#include "gnomon/properties/dot_product.h"
#include "gnomon/properties/rope_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::rope {
namespace {

// What both members of a pair may be off by: a rotation moves that error to at most this, in each
// member (ROPE-14).
Interval Turned(const Answer& answer, int64_t a, int64_t b) {
  return Length(answer.Bound(a), answer.Bound(b));
}

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

// One layout, positions that can be added, forward.
Case DrawTurn(Trial& t) {
  Draw draw;
  draw.output_layout = false;
  draw.direction = false;
  draw.position_limit = kAddablePosition;
  return DrawApply(t, draw);
}
RopeLayout LayoutOf(const Case& c) { return gnomon::rope::ReadApply(c).input_layout; }
int64_t PositionAt(const Case& c, int64_t i) { return c.inputs.at("positions").Integer(i); }

void Identity(Trial& t) {
  const Case c = WithPositions(DrawTurn(t), [](int64_t) { return 0; });
  const Answer y(t, c);
  const Tensor& x = c.inputs.at("x");
  const Profile& promise = t.promise();
  const Format tables = FormatAt(promise.tables, c.format);
  const auto expect = [&](int64_t e, int64_t other) {
    const auto where = At("R_0 x is not x", e, y.Raw(e), x.Value(e));
    if (promise.correctly_rounded) return t.Expect(y.Raw(e) == x.Value(e), where);
    const double own = std::abs(x.Value(e)), beside = std::abs(x.Value(other));
    const double size = own + beside;
    const double bound =
        RotationBound<double>(promise, c.format, own, own, beside, size, 0,
                              TableError(promise, c.format),
                              UnderflowOfInputs(promise, c.format, tables, size, 1.0)) *
        kEvaluated;
    t.Compare(abs(y.Value(e) - Interval(x.Value(e))), Interval(bound), Interval(own), where);
  };
  ForEachPair(c, LayoutOf(c), [&](int64_t, int64_t a, int64_t b) {
    expect(a, b);
    expect(b, a);
  });
}

// y1 = R_n x, y2 = R_m y1 (or R_m^T y1), y3 = R_(n + sign m) x.
void Compose(Trial& t, RopeDirection second, int64_t sign, const char* what) {
  const Case first = DrawTurn(t);
  const Shape& rows = first.inputs.at("positions").shape();
  const Tensor m = Integers(rows, [&](int64_t) { return t.DrawPosition(kAddablePosition); });
  const Answer y1(t, first);
  const Answer y2(
      t, WithDirection(With(With(first, "x", Contiguous(y1.output("y"))), "positions", m), second));
  const Answer y3(t, WithPositions(first, [&](int64_t i) {
                    return PositionAt(first, i) + sign * m.Integer(i);
                  }));
  ForEachPair(first, LayoutOf(first), [&](int64_t, int64_t a, int64_t b) {
    for (const int64_t e : {a, b})
      t.Compare(abs(y2.Value(e) - y3.Value(e)), Turned(y1, a, b) + y2.Bound(e) + y3.Bound(e),
                InputLength(first, a, b), At(what, e, y2.Raw(e), y3.Raw(e)));
  });
}

void Composition(Trial& t) { Compose(t, RopeDirection::kForward, 1, "R_m R_n x is not R_(m+n) x"); }
void Relative(Trial& t) {
  Compose(t, RopeDirection::kTranspose, -1, "R_m^T R_n x is not R_(n-m) x");
}

// Negative positions turn the other way (ROPE-6): ROPE-15 with n = 0.
void NegativePosition(Trial& t) {
  const Case c = DrawTurn(t);
  const Answer back(t, WithPositions(c, [&](int64_t i) { return -PositionAt(c, i); }));
  const Answer transposed(t, WithDirection(c, RopeDirection::kTranspose));
  ForEachPair(c, LayoutOf(c), [&](int64_t, int64_t a, int64_t b) {
    CompareSame(t, back, a, transposed, a);
    CompareSame(t, back, b, transposed, b);
  });
}

void Undo(Trial& t) {
  const Case c = DrawTurn(t);
  const Answer y1(t, c);
  const Answer y2(
      t, WithDirection(With(c, "x", Contiguous(y1.output("y"))), RopeDirection::kTranspose));
  const Tensor& x = c.inputs.at("x");
  ForEachPair(c, LayoutOf(c), [&](int64_t, int64_t a, int64_t b) {
    for (const int64_t e : {a, b})
      t.Compare(abs(y2.Value(e) - Interval(x.Value(e))), Turned(y1, a, b) + y2.Bound(e),
                InputLength(c, a, b), At("R_m^T R_m x is not x", e, y2.Raw(e), x.Value(e)));
  });
}

void Scores(Trial& t) {
  const Case q = DrawTurn(t);
  const Tensor& x = q.inputs.at("x");
  Tensor keys = Guarded(x.dtype(), x.shape());
  const Numbers numbers = DrawTame(t.source());
  for (int64_t i = 0; i < keys.count(); ++i) keys.Set(i, DrawNumber(t.source(), q.format, numbers));
  const Tensor n = Integers(q.inputs.at("positions").shape(),
                            [&](int64_t) { return t.DrawPosition(kAddablePosition); });
  const Case k = With(With(q, "x", std::move(keys)), "positions", n);
  const int64_t shift = t.DrawPosition(kAddablePosition);
  const auto shifted = [&](const Case& c) {
    return WithPositions(c, [&](int64_t i) { return PositionAt(c, i) + shift; });
  };
  const Answer q1(t, q), k1(t, k), q2(t, shifted(q)), k2(t, shifted(k));
  const int64_t head_dim = x.shape()[3];
  for (int64_t head = 0; head < x.count() / head_dim; ++head) {
    const DotProduct one = HeadScore(q1, k1, head, head_dim),
                     two = HeadScore(q2, k2, head, head_dim);
    t.Compare(abs(one.value - two.value), one.tolerance + two.tolerance, one.Size(), [&] {
      return "head " + std::to_string(head) + ": the score changes from " + Show(one.value) +
             " to " + Show(two.value) + " when both positions move by " + std::to_string(shift);
    });
  }
}

void Norms(Trial& t) {
  const Case c = DrawTurn(t);
  const Answer y(t, c);
  ForEachPair(c, LayoutOf(c), [&](int64_t, int64_t a, int64_t b) {
    const Interval before = InputLength(c, a, b), after = Length(y.Value(a), y.Value(b));
    t.Compare(abs(after - before), Turned(y, a, b), before, [&] {
      return "the length of the pair at elements " + std::to_string(a) + ", " + std::to_string(b) +
             " changes from " + Show(before) + " to " + Show(after);
    });
  });
}

// f(x + z) = f(x) + f(z), on small multiples of a power of two, so that x + z is exact (ROPE-18).
void Additivity(Trial& t) {
  Case c = DrawTurn(t);
  const Shape shape = c.inputs.at("x").shape();
  const int64_t range = int64_t{1} << (Traits(c.format).precision - 2);
  const double unit = std::ldexp(1.0, -static_cast<int>(t.source().Below(8)));
  Tensor x = Guarded(DTypeOf(c.format), shape), z = x, sum = x;
  for (int64_t i = 0; i < x.count(); ++i) {
    const auto draw = [&] {
      const uint64_t bits = Spread(t.source().Word());
      return static_cast<double>(
                 static_cast<int64_t>(bits %
                                      static_cast<uint64_t>(2 * std::min<int64_t>(range, 4096))) -
                 std::min<int64_t>(range, 4096)) *
             unit;
    };
    const double a = draw(), b = draw();
    x.Set(i, a);
    z.Set(i, b);
    sum.Set(i, a + b);
  }
  const Answer fx(t, With(c, "x", x)), fz(t, With(c, "x", z)), fs(t, With(c, "x", sum));
  ForEachPair(c, LayoutOf(c), [&](int64_t, int64_t a, int64_t b) {
    for (const int64_t e : {a, b})
      t.Compare(abs(fs.Value(e) - fx.Value(e) - fz.Value(e)),
                fs.Bound(e) + fx.Bound(e) + fz.Bound(e), fx.Size(e) + fz.Size(e),
                At("f(x + z) is not f(x) + f(z)", e, fs.Raw(e), fx.Raw(e) + fz.Raw(e)));
  });
}

// f(2^k x) = 2^k f(x): the other half of linearity.
void Homogeneity(Trial& t) {
  const Case c = DrawTurn(t);
  const int k = t.source().Pick({1, -1, 2, -3, -6, -9, -12});
  const Interval factor(std::ldexp(1.0, k));
  Tensor scaled = c.inputs.at("x");
  bool exact = true;
  for (int64_t i = 0; i < scaled.count(); ++i) {
    const double value = std::ldexp(scaled.Value(i), k);
    scaled.Set(i, value);
    exact = exact && scaled.Value(i) == value;
  }
  if (!exact) return;  // an f16 subnormal: nothing to say
  const Answer fx(t, c), fs(t, With(c, "x", scaled));
  ForEachPair(c, LayoutOf(c), [&](int64_t, int64_t a, int64_t b) {
    for (const int64_t e : {a, b})
      t.Compare(abs(fs.Value(e) - factor * fx.Value(e)), fs.Bound(e) + factor * fx.Bound(e),
                fs.Size(e), At("f(2^k x) is not 2^k f(x)", e, fs.Raw(e), std::ldexp(fx.Raw(e), k)));
  });
}

// ROPE-19, and ROPE-2 for output layouts. Pairs read and written in any layout are the same pairs.
void Layouts(Trial& t) {
  const Case c = DrawTurn(t);
  const RopeApply a = gnomon::rope::ReadApply(c);
  const auto in_layout = [&](RopeLayout in, RopeLayout out) {
    Case other =
        WithParameter(WithParameter(c, "layout", kRopeLayoutNames[static_cast<size_t>(in)]),
                      "output_layout", kRopeLayoutNames[static_cast<size_t>(out)]);
    const Tensor& x = c.inputs.at("x");
    Tensor moved = x;
    std::vector<int64_t> from;
    ForEachPair(c, a.input_layout, [&](int64_t, int64_t ea, int64_t eb) {
      from.push_back(ea);
      from.push_back(eb);
    });
    size_t next = 0;
    ForEachPair(other, in, [&](int64_t, int64_t ea, int64_t eb) {
      moved.SetBits(ea, BitsAt(x.view(), from[next++]));
      moved.SetBits(eb, BitsAt(x.view(), from[next++]));
    });
    return With(std::move(other), "x", std::move(moved));
  };
  const auto layout = [&] { return static_cast<RopeLayout>(t.source().Below(2)); };
  const RopeLayout in = layout(), out = layout();
  const Answer one(t, c), two(t, in_layout(in, out));
  std::vector<int64_t> elements;
  ForEachPair(c, a.output_layout, [&](int64_t, int64_t ea, int64_t eb) {
    elements.push_back(ea);
    elements.push_back(eb);
  });
  size_t next = 0;
  ForEachPair(c, out, [&](int64_t, int64_t ea, int64_t eb) {
    CompareSame(t, one, elements[next++], two, ea);
    CompareSame(t, one, elements[next++], two, eb);
  });
  ForEachCopied(c, [&](int64_t e) {
    t.Expect(BitsAt(one.output("y").view(), e) == BitsAt(two.output("y").view(), e),
             At("a copied dim changes with the layout", e, one.Raw(e), two.Raw(e)));
  });
}

// ROPE-3. Every token at its own position: the rows of a batch, asked one by one.
void Rows(Trial& t) {
  Draw draw;
  draw.memory = true;
  const Case c = DrawApply(t, draw);
  const Answer all(t, c);
  const Tensor positions = PositionsByToken(c);
  const Tensor& x = c.inputs.at("x");
  const int64_t row = x.shape()[2] * x.shape()[3];
  for (int64_t token = 0; token < std::min<int64_t>(positions.count(), 6); ++token) {
    Tensor one_x = Guarded(x.dtype(), {1, 1, x.shape()[2], x.shape()[3]});
    for (int64_t i = 0; i < row; ++i) one_x.SetBits(i, BitsAt(x.view(), token * row + i));
    Case one = With(With(c, "x", one_x), "positions",
                    Integers({1}, [&](int64_t) { return positions.Integer(token); }));
    one.in_place = "";
    const Answer alone(t, one);
    for (int64_t i = 0; i < row; ++i)
      if (gnomon::rope::ReadApply(c).InWindow(i % x.shape()[3]))
        CompareSame(t, all, token * row + i, alone, i);
  }
}

// ROPE-3. Every head turns alike.
void Heads(Trial& t) {
  const Case c = DrawTurn(t);
  const Shape shape = c.inputs.at("x").shape();
  const int64_t head_dim = shape[3], heads = std::max<int64_t>(shape[2], 2);
  Tensor same = Guarded(DTypeOf(c.format), {shape[0], shape[1], heads, head_dim});
  for (int64_t i = 0; i < same.count(); ++i)
    same.SetBits(i, BitsAt(c.inputs.at("x").view(), i % head_dim));
  const Answer y(t, With(c, "x", std::move(same)));
  for (int64_t i = 0; i < y.output("y").count(); ++i) {
    const int64_t first = i / (heads * head_dim) * (heads * head_dim) + i % head_dim;
    if (gnomon::rope::ReadApply(c).InWindow(i % head_dim)) CompareSame(t, y, first, y, i);
  }
}

// ROPE-4. The tables that the subject makes, given back to it, turn as positions do.
void TableAndApply(Trial& t) {
  const Case c = DrawTurn(t);
  const RopeApply a = gnomon::rope::ReadApply(c);
  Case table;
  table.operation = "rope.table";
  table.format = c.format;
  for (const char* name : {"head_dim", "rotary_dim", "rope_theta", "frequencies"})
    if (c.parameters.count(name)) table.parameters[name] = c.parameters.at(name);
  table.inputs.emplace("positions", c.inputs.at("positions"));
  const Answer entries(t, table);
  Case given = With(With(c, "cos", entries.output("cos")), "sin", entries.output("sin"));
  given.inputs.erase("positions");
  const Answer by_position(t, c), by_table(t, given);
  const int64_t h = a.frequencies.pairs(), rows = c.inputs.at("positions").count();
  const Tensor& x = c.inputs.at("x");
  int64_t number = 0;
  ForEachPair(c, a.input_layout, [&](int64_t row, int64_t ea, int64_t eb) {
    const int64_t entry = row % rows * h + number++ % h;
    const Interval xa = abs(Interval(x.Value(ea))), xb = abs(Interval(x.Value(eb)));
    const Interval ec = entries.Bound(entry, 0), es = entries.Bound(entry, 1);
    const auto compare = [&](int64_t e, const Interval& moved) {
      t.Compare(abs(by_position.Value(e) - by_table.Value(e)),
                by_position.Bound(e) + by_table.Bound(e) + moved, by_position.Size(e),
                At("positions and the table of those positions differ", e, by_position.Raw(e),
                   by_table.Raw(e)));
    };
    compare(ea, xa * ec + xb * es);
    compare(eb, xa * es + xb * ec);
  });
}

// ROPE-4. cos^2 + sin^2 = 1.
void UnitCircle(Trial& t) {
  Draw draw;
  draw.unusual_frequencies = t.source().Chance(1, 4);
  const Answer table(t, DrawTable(t, draw));
  for (int64_t i = 0; i < table.output("cos").count(); ++i) {
    const Interval length = Length(table.Value(i, 0), table.Value(i, 1));
    t.Compare(abs(length - 1), Length(table.Bound(i, 0), table.Bound(i, 1)), Interval(1), [&] {
      return "entry " + std::to_string(i) + ": (" + Show(table.Raw(i, 0)) + ", " +
             Show(table.Raw(i, 1)) + ") is " + Show(length - 1) + " off the unit circle";
    });
  }
}

// ROPE-14 on tables: cos(a + b) = cos a cos b - sin a sin b, and the sine likewise.
void AnglesAdd(Trial& t) {
  Draw draw;
  draw.position_limit = kAddablePosition;
  const Case at_m = DrawTable(t, draw);
  const Tensor n = Integers(at_m.inputs.at("positions").shape(),
                            [&](int64_t) { return t.DrawPosition(kAddablePosition); });
  const Answer m(t, at_m), other(t, With(at_m, "positions", n));
  const Answer sum(
      t, WithPositions(at_m, [&](int64_t i) { return PositionAt(at_m, i) + n.Integer(i); }));
  for (int64_t i = 0; i < m.output("cos").count(); ++i) {
    const Interval c1 = m.Value(i, 0), s1 = m.Value(i, 1), c2 = other.Value(i, 0),
                   s2 = other.Value(i, 1);
    // |a' b' - a b| <= |a'| e_b + |b'| e_a + e_a e_b, for each of the two products.
    const auto product = [&](int first, int second) -> Interval {
      const Interval ea = m.Bound(i, first), eb = other.Bound(i, second);
      return abs(m.Value(i, first)) * eb + abs(other.Value(i, second)) * ea + ea * eb;
    };
    const Interval cosine = c1 * c2 - s1 * s2, sine = s1 * c2 + c1 * s2;
    t.Compare(abs(sum.Value(i, 0) - cosine), sum.Bound(i, 0) + product(0, 0) + product(1, 1),
              Interval(1),
              At("cos(a+b) is not cos a cos b - sin a sin b", i, sum.Raw(i, 0),
                 reference::Midpoint(cosine)));
    t.Compare(abs(sum.Value(i, 1) - sine), sum.Bound(i, 1) + product(1, 0) + product(0, 1),
              Interval(1),
              At("sin(a+b) is not sin a cos b + cos a sin b", i, sum.Raw(i, 1),
                 reference::Midpoint(sine)));
  }
}

// ROPE-1. w_0 = 1, and w_i^h theta^i = 1: a geometric progression with ratio theta^(-1/h).
void Geometric(Trial& t) {
  const Case c = DrawFrequenciesCase(t, false);
  t.RequireInside(!c.parameters.count("frequencies"));
  const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
  const Answer w(t, c);
  const Interval theta = reference::Exactly<Interval>(f.rope_theta);
  for (int64_t i = 0; i < f.pairs(); ++i) {
    // log(w~) = log(w) + log(1 + r), |r| <= e / w with w >= w~ - e; |log(1 + r)| <= |r| / (1 -
    // |r|).
    const Interval e = w.Bound(i), relative = e / abs(w.Value(i) - e);
    const auto where = [&] {
      return "w_" + std::to_string(i) + " = " + Show(w.Raw(i)) + " is not theta^(-" +
             std::to_string(i) + "/" + std::to_string(f.pairs()) + ")";
    };
    // A frequency that may be flushed (BOUND-8), or is below the format, is 0.
    if (w.Raw(i) == 0 && mpfr_lessequal_p(reference::Upper(w.Size(i)), reference::Lower(e)))
      continue;
    t.Expect(w.Raw(i) > 0, where);
    if (!mpfr_less_p(reference::Upper(relative), reference::Lower(Interval(0.5)))) continue;
    const Interval h(f.pairs());
    t.Compare(abs(h * log(w.Value(i)) + Interval(i) * log(theta)), h * relative / (1 - relative), h,
              where);
  }
}

const std::vector<std::string> kApply = {"rope.apply"};
const std::vector<std::string> kTable = {"rope.table"};

}  // namespace

std::vector<Property> AlgebraicProperties() {
  return {
      {"rope.identity", "ROPE-13", "Gnomon.RopeTolerances.ROPE_13_tolerance", "R_0 x = x", kApply,
       true, Identity},
      {"rope.composition", "ROPE-14", "Gnomon.RopeTolerances.ROPE_14_tolerance",
       "R_m R_n x = R_(m+n) x", kApply, true, Composition},
      {"rope.relative", "ROPE-15", "Gnomon.RopeTolerances.ROPE_15_tolerance",
       "R_m^T R_n x = R_(n-m) x", kApply, true, Relative},
      {"rope.negative_position", "ROPE-15",
       "Gnomon.RopeTolerances.ROPE_15_tolerance_of_the_negative_position", "R_(-m) x = R_m^T x",
       kApply, true, NegativePosition},
      {"rope.scores", "ROPE-16", "Gnomon.RopeTolerances.ROPE_16_tolerance",
       "R_m q . R_n k depends on n - m only", kApply, true, Scores},
      {"rope.norms", "ROPE-17", "Gnomon.RopeTolerances.ROPE_17_tolerance",
       "the length of every pair is kept", kApply, true, Norms},
      {"rope.additivity", "ROPE-18", "Gnomon.RopeTolerances.ROPE_18_tolerance",
       "f(x + z) = f(x) + f(z)", kApply, true, Additivity},
      {"rope.homogeneity", "ROPE-18", "Gnomon.RopeTolerances.ROPE_18_tolerance_of_powers_of_two",
       "f(2^k x) = 2^k f(x)", kApply, true, Homogeneity},
      {"rope.layouts", "ROPE-19", "Gnomon.RopeTolerances.ROPE_19_tolerance",
       "layouts differ by a permutation", kApply, true, Layouts},
      {"rope.undo", "ROPE-20", "Gnomon.RopeTolerances.ROPE_20_tolerance", "R_m^T R_m x = x", kApply,
       true, Undo},
      {"rope.rows", "ROPE-3", "Gnomon.RopeTolerances.ROPE_3_tolerance_of_rows",
       "every token is turned by its own position", kApply, true, Rows},
      {"rope.heads", "ROPE-3", "Gnomon.RopeTolerances.ROPE_3_tolerance_of_heads",
       "every head is turned alike", kApply, true, Heads},
      {"rope.table_and_apply",
       "ROPE-4",
       "Gnomon.RopeTolerances.ROPE_4_tolerance_of_own_tables",
       "a table of positions turns as the positions do",
       {"rope.apply", "rope.table"},
       true,
       TableAndApply},
      {"rope.unit_circle", "ROPE-4", "Gnomon.RopeTolerances.ROPE_4_tolerance_of_the_unit_circle",
       "cos^2 + sin^2 = 1", kTable, true, UnitCircle},
      {"rope.angles_add", "ROPE-14", "Gnomon.RopeTolerances.ROPE_14_tolerance_of_tables",
       "the table of m + n from those of m and n", kTable, true, AnglesAdd},
      {"rope.geometric",
       "ROPE-1",
       "Gnomon.RopeTolerances.ROPE_1_tolerance",
       "w_i^h theta^i = 1, and w_0 = 1",
       {"rope.frequencies"},
       true,
       Geometric},
  };
}

}  // namespace gnomon::properties::rope
