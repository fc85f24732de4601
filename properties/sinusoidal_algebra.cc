#include "gnomon/properties/sinusoidal_algebra.h"

#include "gnomon/properties/sinusoidal_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::sinusoidal {
namespace {

const std::string kShift = "sinusoidal.shift_matrix", kHead = "sinusoidal.relative_head",
                  kSimilarity = "sinusoidal.similarity", kDistance = "sinusoidal.distance",
                  kTable = "sinusoidal.table", kAdd = "sinusoidal.add";

std::function<std::string()> At(const char* what, int64_t element, double got,
                                const Interval& other) {
  const double against = reference::Midpoint(other);
  return [=] {
    return std::string(what) + ": element " + std::to_string(element) + ": " + Show(got) +
           " against " + Show(against);
  };
}

// Whole pairs, positions that can be added.
Draw Addable() {
  Draw draw;
  draw.even = draw.small = true;
  draw.position_limit = kAddablePosition;
  return draw;
}
Interval Scale(const Case& c) { return abs(reference::Exactly<Interval>(TableOf(c).scale)); }
int64_t PositionAt(const Case& c, int64_t i) { return c.inputs.at("positions").Integer(i); }

// A product that may be off in both factors: |a' b' - a b| <= |a'| eb + |b'| ea + ea eb.
Interval ProductError(const Interval& a, const Interval& ea, const Interval& b,
                      const Interval& eb) {
  return abs(a) * eb + abs(b) * ea + ea * eb;
}

void ShiftIsRotation(Trial& t) {
  const Case at_t = DrawTable(t, Addable());
  const int64_t k = t.DrawPosition(kAddablePosition), width = TableOf(at_t).width;
  const Answer p(t, at_t);
  const Answer q(t, TableLike(at_t, Integers(at_t.inputs.at("positions").shape(),
                                             [&](int64_t i) { return PositionAt(at_t, i) + k; })));
  const Answer m(t, WithParameter(Like(at_t, kShift), "offset", static_cast<double>(k)));
  const Interval size = Scale(at_t);
  for (int64_t row = 0; row < at_t.inputs.at("positions").count(); ++row)
    for (int64_t r = 0; r < width; ++r) {
      Interval sum(0), tolerance = q.Bound(row * width + r);
      for (int64_t j = 0; j < width; ++j) {
        const int64_t entry = r * width + j, column = row * width + j;
        if (m.Raw(entry) == 0 && m.Bound(entry) == 0) continue;
        sum += m.Value(entry) * p.Value(column);
        tolerance += ProductError(m.Value(entry), m.Bound(entry), p.Value(column), p.Bound(column));
      }
      const int64_t e = row * width + r;
      t.Compare(abs(q.Value(e) - sum), tolerance, size,
                At("PE[t + k] is not M_k PE[t]", e, q.Raw(e), sum));
    }
}

// A row dot a row of two tables, and how far it may be from that of the exact rows.
struct Dot {
  Interval value{0}, tolerance{0};
};
Dot DotOf(const Answer& p, int64_t row, const Answer& q, int64_t other) {
  Dot dot;
  const int64_t width = p.shape()[1];
  for (int64_t j = 0; j < width; ++j) {
    const int64_t a = row * width + j, b = other * width + j;
    dot.value += p.Value(a) * q.Value(b);
    dot.tolerance += ProductError(p.Value(a), p.Bound(a), q.Value(b), q.Bound(b));
  }
  return dot;
}

void RowProducts(Trial& t) {
  const Case c = DrawTable(t, Addable());
  const int64_t m = PositionAt(c, 0), n = t.DrawPosition(kAddablePosition);
  const int64_t s = t.DrawPosition(kAddablePosition);
  const Answer p(t, TableLike(c, Positions({m, n, m + s, n + s})));
  const Dot one = DotOf(p, 0, p, 1), two = DotOf(p, 2, p, 3);
  t.Compare(abs(one.value - two.value), one.tolerance + two.tolerance,
            Scale(c) * Scale(c) * TableOf(c).pairs(), [&] {
              return "PE[m] . PE[n] changes from " + Show(one.value) + " to " + Show(two.value) +
                     " when both positions move by " + std::to_string(s);
            });
}

void Offsets(Trial& t, const std::string& operation) {
  const Case c = DrawPairwise(t, operation, Addable());
  const int64_t s = t.DrawPosition(kAddablePosition);
  Case moved = c;
  for (const char* role : {"m", "n"})
    moved = With(std::move(moved), role, Integers(c.inputs.at(role).shape(), [&](int64_t i) {
                   return c.inputs.at(role).Integer(i) + s;
                 }));
  const Answer here(t, c), there(t, moved);
  for (int64_t i = 0; i < here.output("values").count(); ++i) CompareSame(t, here, i, there, i);
}
void SimilarityOffsets(Trial& t) { Offsets(t, kSimilarity); }
void DistanceOffsets(Trial& t) { Offsets(t, kDistance); }

// SIN-14, against the subject's own rows.
void SimilarityOfRows(Trial& t) {
  const Case c = DrawPairwise(t, kSimilarity, Addable());
  const Answer values(t, c);
  const Answer p(t, TableLike(c, c.inputs.at("m"))), q(t, TableLike(c, c.inputs.at("n")));
  const int64_t columns = values.shape()[1];
  for (int64_t i = 0; i < values.output("values").count(); ++i) {
    const Dot dot = DotOf(p, i / columns, q, i % columns);
    t.Compare(abs(values.Value(i) - dot.value), values.Bound(i) + dot.tolerance, values.Size(i),
              At("the similarity is not the dot product of the rows", i, values.Raw(i), dot.value));
  }
}

void DistanceOfRows(Trial& t) {
  const Case c = DrawPairwise(t, kDistance, Addable());
  const Answer values(t, c);
  const Answer p(t, TableLike(c, c.inputs.at("m"))), q(t, TableLike(c, c.inputs.at("n")));
  const int64_t columns = values.shape()[1], width = TableOf(c).width;
  for (int64_t i = 0; i < values.output("values").count(); ++i) {
    Interval squares(0), errors(0);
    for (int64_t j = 0; j < width; ++j) {
      const int64_t a = i / columns * width + j, b = i % columns * width + j;
      const Interval difference = p.Value(a) - q.Value(b), error = p.Bound(a) + q.Bound(b);
      squares += difference * difference;
      errors += error * error;
    }
    const Interval distance = sqrt(squares);
    t.Compare(abs(values.Value(i) - distance), values.Bound(i) + sqrt(errors), values.Size(i),
              At("the distance is not that of the rows", i, values.Raw(i), distance));
  }
}

void Norms(Trial& t) {
  const Case c = DrawTable(t, Addable());
  const Answer p(t, c);
  const SinusoidalTable table = TableOf(c);
  std::vector<std::pair<int64_t, int64_t>> pairs(static_cast<size_t>(table.pairs()));
  for (int64_t j = 0; j < table.width; ++j) {
    const SinusoidalColumn column = table.Column(j);
    auto& pair = pairs[static_cast<size_t>(column.pair)];
    (column.kind == SinusoidalColumn::kSine ? pair.first : pair.second) = j;
  }
  for (int64_t row = 0; row < c.inputs.at("positions").count(); ++row)
    for (const auto& [sine, cosine] : pairs) {
      const int64_t a = row * table.width + sine, b = row * table.width + cosine;
      const Interval length = Length(p.Value(a), p.Value(b));
      t.Compare(
          abs(length - Scale(c)), Length(p.Bound(a), p.Bound(b)), Scale(c),
          At("sine and cosine are not on the circle", a, reference::Midpoint(length), Scale(c)));
    }
}

// SIN-15: PE[m] . PE[m] = K^2 N / 2.
void SelfSimilarity(Trial& t) {
  Case c = DrawPairwise(t, kSimilarity, Addable());
  c = With(c, "n", c.inputs.at("m"));
  const Answer values(t, c);
  const Interval expected = Scale(c) * Scale(c) * TableOf(c).pairs();
  for (int64_t m = 0; m < values.shape()[0]; ++m) {
    const int64_t e = m * values.shape()[1] + m;
    t.Compare(abs(values.Value(e) - expected), values.Bound(e), expected,
              At("PE[m] . PE[m] is not K^2 N / 2", e, values.Raw(e), expected));
  }
}

// SIN-9: |PE[m] - PE[n]|^2 = 2 (K^2 N / 2 - PE[m] . PE[n]).
void Cosines(Trial& t) {
  const Case c = DrawPairwise(t, kSimilarity, Addable());
  Case other = Like(c, kDistance);
  other.inputs = c.inputs;
  const Answer similarity(t, c), distance(t, other);
  const Interval half = Scale(c) * Scale(c) * TableOf(c).pairs();
  for (int64_t i = 0; i < similarity.output("values").count(); ++i) {
    const Interval d = distance.Value(i);
    t.Compare(abs(d * d - 2 * (half - similarity.Value(i))),
              ProductError(d, distance.Bound(i), d, distance.Bound(i)) + 2 * similarity.Bound(i),
              2 * half,
              At("the square of the distance is not 2 (K^2 N/2 - similarity)", i,
                 reference::Midpoint(d * d), Interval(2 * (half - similarity.Value(i)))));
  }
}

void InverseShift(Trial& t) {
  const Case c = DrawMatrix(t, kShift, Addable());
  const double k = std::get<double>(c.parameters.at("offset"));
  const Answer m(t, c), back(t, WithParameter(c, "offset", -k));
  const int64_t width = TableOf(c).width;
  for (int64_t r = 0; r < width; ++r)
    for (int64_t j = 0; j < width; ++j) CompareSame(t, back, r * width + j, m, j * width + r);
}

// SIN-7: the head is gain M_k.
void HeadIsShift(Trial& t) {
  const Case c = DrawMatrix(t, kHead, Addable());
  const Answer head(t, c);
  const Answer shift(t, WithParameter(Like(c, kShift), "offset", c.parameters.at("offset")));
  const auto found = c.parameters.find("gain");
  const Interval gain(found == c.parameters.end() ? 1.0 : std::get<double>(found->second));
  for (int64_t e = 0; e < head.output("matrix").count(); ++e)
    t.Compare(abs(head.Value(e) - gain * shift.Value(e)), head.Bound(e) + gain * shift.Bound(e),
              gain,
              At("the head is not gain M_k", e, head.Raw(e), Interval(gain * shift.Value(e))));
}

void HeadPeaks(Trial& t) {
  const Case c = DrawMatrix(t, kHead, Addable());
  const int64_t k = static_cast<int64_t>(std::get<double>(c.parameters.at("offset")));
  const int64_t width = TableOf(c).width, m = t.DrawPosition(kAddablePosition) / 2;
  const std::vector<int64_t> keys = {m - k, m - k + 1, m - k - 1,
                                     m + k, m,         t.DrawPosition(kAddablePosition)};
  const Answer head(t, c), p(t, TableLike(c, Positions({m}))), q(t, TableLike(c, Positions(keys)));
  const Interval gain = head.Size(0), scale = Scale(c);
  const Interval peak = gain * scale * scale * TableOf(c).pairs();
  Interval value_there(0), tolerance_there(0);
  for (size_t n = 0; n < keys.size(); ++n) {
    Interval value(0), tolerance(0);
    for (int64_t r = 0; r < width; ++r)
      for (int64_t j = 0; j < width; ++j) {
        const int64_t entry = r * width + j, key = static_cast<int64_t>(n) * width + j;
        if (head.Raw(entry) == 0 && head.Bound(entry) == 0) continue;
        const Interval A = abs(p.Value(r)), a = p.Bound(r), B = abs(head.Value(entry)),
                       b = head.Bound(entry), C = abs(q.Value(key)), cc = q.Bound(key);
        value += p.Value(r) * head.Value(entry) * q.Value(key);
        tolerance += (A + a) * (B + b) * (C + cc) - A * B * C;
      }
    if (n == 0) {
      value_there = value;
      tolerance_there = tolerance;
      t.Compare(
          abs(value - peak), tolerance, peak,
          At("the head at n = m - k is not gain K^2 N/2", 0, reference::Midpoint(value), peak));
    } else {
      // Not above the peak: an error only in one direction.
      const Interval above = value - value_there;
      t.Compare(above, tolerance + tolerance_there, peak, [&] {
        return "the head peaks at n = " + std::to_string(keys[n]) +
               ", not at m - k = " + std::to_string(keys[0]);
      });
    }
  }
}

// SIN-5: y = token_scale x + pe, with the subject's own pe.
void AddIsTable(Trial& t) {
  Draw draw;
  draw.position_limit = kAddablePosition;
  const Case c = DrawAdd(t, draw);
  const gnomon::sinusoidal::AddParameters parameters = gnomon::sinusoidal::ReadAdd(c);
  const Answer y(t, c), pe(t, TableLike(c, c.inputs.at("positions")));
  const Interval factor = parameters.sqrt_width
                              ? Interval(sqrt(Interval(parameters.table.width)))
                              : reference::Exactly<Interval>(parameters.token_scale);
  const int64_t row = pe.output("pe").count();
  for (int64_t i = 0; i < y.output("y").count(); ++i) {
    const Interval sum = factor * Interval(c.inputs.at("x").Value(i)) + pe.Value(i % row);
    t.Compare(abs(y.Value(i) - sum), y.Bound(i) + pe.Bound(i % row), y.Size(i),
              At("y is not token_scale x + pe", i, y.Raw(i), sum));
  }
}

// SIN-2: layouts hold the same columns in another order.
void Layouts(Trial& t) {
  Draw draw;
  draw.position_limit = kAddablePosition;
  const Case c = DrawTable(t, draw);
  const Case d =
      WithParameter(c, "layout", kSinusoidalLayoutNames[static_cast<size_t>(t.source().Below(3))]);
  const SinusoidalTable one = TableOf(c), two = TableOf(d);
  const Answer p(t, c), q(t, d);
  for (int64_t row = 0; row < c.inputs.at("positions").count(); ++row)
    for (int64_t j = 0; j < one.width; ++j)
      for (int64_t k = 0; k < one.width; ++k) {
        const SinusoidalColumn a = one.Column(j), b = two.Column(k);
        if (a.kind == b.kind && a.pair == b.pair)
          CompareSame(t, p, row * one.width + j, q, row * one.width + k);
      }
}

// SIN-4: a scale multiplies every entry.
void ScaleMultiplies(Trial& t) {
  Draw draw;
  draw.position_limit = kAddablePosition;
  Case c = DrawTable(t, draw);
  c.parameters["scale"] = t.source().Pick<double>({2, 0.5, -0.3, 11.3});
  Case plain = c;
  plain.parameters.erase("scale");
  const Answer p(t, c), q(t, plain);
  const Interval scale(std::get<double>(c.parameters.at("scale")));
  for (int64_t i = 0; i < p.output("pe").count(); ++i)
    t.Compare(abs(p.Value(i) - scale * q.Value(i)), p.Bound(i) + abs(scale) * q.Bound(i), p.Size(i),
              At("a scaled entry is not scale times the entry", i, p.Raw(i),
                 Interval(scale * q.Value(i))));
}

// SIN-16 on rows: sines are odd, cosines even.
void Parity(Trial& t) {
  Draw draw;
  draw.position_limit = kAddablePosition;
  const Case c = DrawTable(t, draw);
  const Answer p(t, c);
  const Answer back(t, TableLike(c, Integers(c.inputs.at("positions").shape(),
                                             [&](int64_t i) { return -PositionAt(c, i); })));
  const SinusoidalTable table = TableOf(c);
  for (int64_t i = 0; i < p.output("pe").count(); ++i) {
    const bool odd = table.Column(i % table.width).kind == SinusoidalColumn::kSine;
    t.Compare(abs(back.Value(i) - (odd ? -1 : 1) * p.Value(i)), p.Bound(i) + back.Bound(i),
              p.Size(i),
              At(odd ? "a sine is not odd" : "a cosine is not even", i, back.Raw(i), p.Value(i)));
  }
}

// SIN-4: at position 0 sines are 0 and cosines the scale.
void Origin(Trial& t) {
  const Case c = DrawTable(t, {});
  const Answer p(t, TableLike(c, Positions({0})));
  const SinusoidalTable table = TableOf(c);
  const Interval scale = reference::Exactly<Interval>(table.scale);
  for (int64_t j = 0; j < table.width; ++j) {
    const Interval truth = table.Column(j).kind == SinusoidalColumn::kCosine ? scale : Interval(0);
    t.Compare(abs(p.Value(j) - truth), p.Bound(j), abs(scale),
              At("PE[0] is not sines of 0 and cosines of 0", j, p.Raw(j), truth));
  }
}

}  // namespace

std::vector<Property> AlgebraicProperties() {
  return {
      {"sinusoidal.shift",
       "SIN-13",
       "Gnomon.SinusoidalTolerances.SIN_13_tolerance",
       "PE[t + k] = M_k PE[t]",
       {kTable, kShift},
       true,
       ShiftIsRotation},
      {"sinusoidal.row_products",
       "SIN-14",
       "Gnomon.SinusoidalTolerances.SIN_14_tolerance_of_rows",
       "PE[m] . PE[n] depends on m - n only",
       {kTable},
       true,
       RowProducts},
      {"sinusoidal.similarity_offset",
       "SIN-14",
       "Gnomon.SinusoidalTolerances.SIN_14_tolerance_of_similarities",
       "the similarity depends on m - n only",
       {kSimilarity},
       true,
       SimilarityOffsets},
      {"sinusoidal.distance_offset",
       "SIN-14",
       "Gnomon.SinusoidalTolerances.SIN_14_tolerance_of_distances",
       "the distance depends on m - n only",
       {kDistance},
       true,
       DistanceOffsets},
      {"sinusoidal.similarity_of_rows",
       "SIN-8",
       "Gnomon.SinusoidalTolerances.SIN_8_tolerance",
       "the similarity is the dot product of the rows",
       {kSimilarity, kTable},
       true,
       SimilarityOfRows},
      {"sinusoidal.distance_of_rows",
       "SIN-9",
       "Gnomon.numeric.DistanceError.SIN_9_tolerance_of_rows",
       "the distance is that of the rows",
       {kDistance, kTable},
       true,
       DistanceOfRows},
      {"sinusoidal.norms",
       "SIN-15",
       "Gnomon.SinusoidalTolerances.SIN_15_tolerance_of_pairs",
       "sine and cosine of a pair lie on the circle",
       {kTable},
       true,
       Norms},
      {"sinusoidal.self_similarity",
       "SIN-15",
       "Gnomon.SinusoidalTolerances.SIN_15_tolerance",
       "PE[m] . PE[m] = K^2 N/2",
       {kSimilarity},
       true,
       SelfSimilarity},
      {"sinusoidal.cosines",
       "SIN-9",
       "Gnomon.SinusoidalTolerances.SIN_9_tolerance_of_cosines",
       "distance^2 = 2 (K^2 N/2 - similarity)",
       {kSimilarity, kDistance},
       true,
       Cosines},
      {"sinusoidal.inverse_shift",
       "SIN-16",
       "Gnomon.SinusoidalTolerances.SIN_16_tolerance",
       "M_-k = M_k^T",
       {kShift},
       true,
       InverseShift},
      {"sinusoidal.parity",
       "SIN-16",
       "Gnomon.SinusoidalTolerances.SIN_16_tolerance_of_parity",
       "sines are odd, cosines even",
       {kTable},
       true,
       Parity},
      {"sinusoidal.head_is_shift",
       "SIN-7",
       "Gnomon.SinusoidalTolerances.SIN_7_tolerance",
       "the relative head is gain M_k",
       {kHead, kShift},
       true,
       HeadIsShift},
      {"sinusoidal.head_peaks",
       "SIN-17",
       "Gnomon.SinusoidalTolerances.SIN_17_tolerance",
       "the relative head peaks at n = m - k with gain K^2 N/2",
       {kHead, kTable},
       true,
       HeadPeaks},
      {"sinusoidal.add_is_table",
       "SIN-5",
       "Gnomon.SinusoidalTolerances.SIN_5_tolerance",
       "y = token_scale x + pe",
       {kAdd, kTable},
       true,
       AddIsTable},
      {"sinusoidal.layouts",
       "SIN-2",
       "Gnomon.SinusoidalTolerances.SIN_2_tolerance",
       "layouts differ by a permutation of columns",
       {kTable},
       true,
       Layouts},
      {"sinusoidal.scale",
       "SIN-4",
       "Gnomon.SinusoidalTolerances.SIN_4_tolerance_of_the_scale",
       "the scale multiplies every entry",
       {kTable},
       true,
       ScaleMultiplies},
      {"sinusoidal.origin",
       "SIN-4",
       "Gnomon.SinusoidalTolerances.SIN_4_tolerance_at_the_origin",
       "at 0, sines are 0 and cosines the scale",
       {kTable},
       true,
       Origin},
  };
}

}  // namespace gnomon::properties::sinusoidal
