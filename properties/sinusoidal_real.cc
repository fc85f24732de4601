// What must hold of timesteps, Fourier features and NeRF (SIN-18, SIN-20 to SIN-24).
#include "gnomon/properties/sinusoidal_real.h"

#include <cmath>
#include <map>
#include <tuple>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/judged.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::properties::sinusoidal {
namespace {

using gnomon::sinusoidal::ColumnOf;
using gnomon::sinusoidal::FourierLayout;
using gnomon::sinusoidal::Nerf;
using gnomon::sinusoidal::NerfColumn;
using gnomon::sinusoidal::Timestep;

const std::string kTimestep = "sinusoidal.timestep", kFourier = "sinusoidal.fourier",
                  kNerf = "sinusoidal.nerf";

RealDraw OnMemory() {
  RealDraw draw;
  draw.memory = true;
  return draw;
}
RealDraw Addable() {
  RealDraw draw;
  draw.addable = true;
  return draw;
}
Case DrawAny(Trial& t, const RealDraw& draw) {
  switch (t.source().Below(3)) {
    case 0:
      return DrawTimestep(t, draw);
    case 1:
      return DrawFourier(t, draw);
    default:
      return DrawNerf(t, draw);
  }
}
std::string ArgumentOf(const Case& c) { return c.operation == kTimestep ? "timesteps" : "x"; }

// Judged by the reference.

void TimestepWithinBound(Trial& t) { ExpectWithinBound(t, DrawTimestep(t, OnMemory())); }
void FourierWithinBound(Trial& t) { ExpectWithinBound(t, DrawFourier(t, OnMemory())); }
void NerfWithinBound(Trial& t) { ExpectWithinBound(t, DrawNerf(t, OnMemory())); }

// SIN-18.
void Memory(Trial& t) { ExpectMemoryKept(t, DrawAny(t, OnMemory())); }
void Strides(Trial& t) { ExpectSameWithoutStrides(t, DrawAny(t, OnMemory())); }
void Repeatable(Trial& t) {
  const Case c = DrawAny(t, {});
  Case between = c;
  for (auto& [role, tensor] : between.inputs)
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, tensor.Value(i) / 2 + 1);
  ExpectRepeatable(t, c, between);
}

// A tensor like `x`, with other elements; each must be a value of its type.
Tensor Like(Trial& t, const Tensor& x, const Shape& shape,
            const std::function<double(int64_t)>& element) {
  Tensor other(x.dtype(), shape);
  for (int64_t i = 0; i < other.count(); ++i) {
    const double v = element(i);
    other.Set(i, v);
    t.RequireInside(other.Value(i) == v);
  }
  return other;
}

// SIN-23: a row is that of its own argument.
void Rows(Trial& t) {
  const Case c = DrawAny(t, {});
  const std::string role = ArgumentOf(c);
  const Tensor& x = c.inputs.at(role);
  const Answer all(t, c);
  const int64_t rows = x.shape()[0], coordinates = x.count() / rows, width = all.shape()[1];
  for (int64_t row = 0; row < rows; ++row) {
    Shape one = x.shape();
    one[0] = 1;
    const Answer alone(
        t,
        With(c, role, Like(t, x, one, [&](int64_t i) { return x.Value(row * coordinates + i); })));
    for (int64_t j = 0; j < width; ++j) CompareSame(t, all, row * width + j, alone, j);
  }
}

// Whether a column holds a sine, or the argument itself.
bool IsOdd(const Case& c, int64_t column) {
  if (c.operation == kTimestep)
    return gnomon::sinusoidal::ReadTimestep(c).Column(column).kind == SinusoidalColumn::kSine;
  if (c.operation == kFourier) {
    const bool first = column < c.inputs.at("B").shape()[0];
    return first == (gnomon::sinusoidal::ReadFourier(c) == FourierLayout::kSinCos);
  }
  return ColumnOf(gnomon::sinusoidal::ReadNerf(c), c.inputs.at("x").shape()[1], column).kind !=
         NerfColumn::kCosine;
}

// SIN-23: sines change sign with the argument, cosines do not.
void Parity(Trial& t) {
  const Case c = DrawAny(t, {});
  const std::string role = ArgumentOf(c);
  const Tensor& x = c.inputs.at(role);
  const Answer here(t, c);
  const Answer there(t,
                     With(c, role, Like(t, x, x.shape(), [&](int64_t i) { return -x.Value(i); })));
  const int64_t width = here.shape()[1];
  for (int64_t i = 0; i < here.shape()[0] * width; ++i) {
    const Interval mirrored = IsOdd(c, i % width) ? Interval(-there.Value(i)) : there.Value(i);
    t.Compare(abs(here.Value(i) - mirrored), here.Bound(i) + there.Bound(i), here.Size(i), [&] {
      return "element " + std::to_string(i) + " is " + Show(here.Raw(i)) + ", and " +
             Show(there.Raw(i)) + " for the negative argument";
    });
  }
}

// SIN-20: at whole times the row is that of the table, by either divisor.
void TimestepIsTable(Trial& t) {
  RealDraw draw;
  draw.whole = true;
  Case c = DrawTimestep(t, draw);
  const Timestep drawn = gnomon::sinusoidal::ReadTimestep(c);
  c.parameters["width"] = static_cast<double>(2 * drawn.pairs());
  const Timestep p = gnomon::sinusoidal::ReadTimestep(c);
  t.RequireInside(p.shift == 0 || p.shift == 1);
  Case table;
  table.operation = "sinusoidal.table";
  table.format = c.format;
  table.parameters = {{"width", static_cast<double>(p.width)},
                      {"layout", std::string(p.flip ? "cos_sin" : "sin_cos")},
                      {"divisor", std::string(p.shift == 0 ? "half" : "half_minus_one")},
                      {"base", p.max_period.value}};
  const Tensor& times = c.inputs.at("timesteps");
  for (int64_t i = 0; i < times.count(); ++i)
    t.RequireInside(times.Value(i) == std::floor(times.Value(i)));
  table.inputs.emplace("positions", Integers(times.shape(), [&](int64_t i) {
                         return static_cast<int64_t>(times.Value(i));
                       }));
  const Answer real(t, c), whole(t, table);
  for (int64_t i = 0; i < ElementCount(real.shape()); ++i) CompareSame(t, real, i, whole, i);
}

Interval ProductError(const Answer& a, int64_t i, const Answer& b, int64_t j) {
  return abs(a.Value(i)) * b.Bound(j) + abs(b.Value(j)) * a.Bound(i) + a.Bound(i) * b.Bound(j);
}

// SIN-20: a later time is the rotation by what lies between.
void LaterIsRotation(Trial& t) {
  const Case c = DrawTimestep(t, Addable());
  const Timestep p = gnomon::sinusoidal::ReadTimestep(c);
  const Tensor& times = c.inputs.at("timesteps");
  const double at = times.Value(0), by = times.Value(times.count() - 1) / 2;
  const Answer rows(t, With(c, "timesteps", Like(t, times, {3}, [&](int64_t i) {
                              return i == 0 ? at : i == 1 ? by : at + by;
                            })));
  for (int64_t i = 0; i < p.pairs(); ++i) {
    const int64_t s = p.flip ? p.pairs() + i : i, c0 = p.flip ? i : p.pairs() + i;
    const int64_t w = p.width;
    const Interval sine = rows.Value(s) * rows.Value(w + c0) + rows.Value(c0) * rows.Value(w + s);
    const Interval cosine = rows.Value(c0) * rows.Value(w + c0) - rows.Value(s) * rows.Value(w + s);
    const auto compare = [&](int64_t later, const Interval& turned, const Interval& tolerance) {
      t.Compare(abs(rows.Value(later) - turned), rows.Bound(later) + tolerance, Interval(1), [&] {
        return "pair " + std::to_string(i) + " at " + Show(at + by) + " is " +
               Show(rows.Raw(later)) + ", and turned from " + Show(at) + " by " + Show(by) + " " +
               Show(turned);
      });
    };
    compare(2 * w + s, sine,
            ProductError(rows, s, rows, w + c0) + ProductError(rows, c0, rows, w + s));
    compare(2 * w + c0, cosine,
            ProductError(rows, c0, rows, w + c0) + ProductError(rows, s, rows, w + s));
  }
}

struct Dot {
  Interval value{0}, tolerance{0};
};
Dot DotOf(const Answer& p, int64_t row, int64_t other) {
  Dot dot;
  const int64_t width = p.shape()[1];
  for (int64_t j = 0; j < width; ++j) {
    dot.value += p.Value(row * width + j) * p.Value(other * width + j);
    dot.tolerance += ProductError(p, row * width + j, p, other * width + j);
  }
  return dot;
}

// SIN-21: dot products of points depend on their difference.
void FourierOffsets(Trial& t) {
  const Case c = DrawFourier(t, Addable());
  const Tensor& x = c.inputs.at("x");
  const int64_t n = x.shape()[1];
  std::vector<double> by, other;
  for (int64_t i = 0; i < n; ++i) {
    by.push_back(std::ldexp(static_cast<double>(t.source().Below(1 << 12)), -6));
    other.push_back(std::ldexp(static_cast<double>(t.source().Below(1 << 12)), -6));
  }
  // a, b, a + t, b + t.
  const Answer rows(t, With(c, "x", Like(t, x, {4, n}, [&](int64_t i) {
                              const size_t k = static_cast<size_t>(i % n);
                              const double start = i / n % 2 ? other[k] : x.Value(i % n);
                              return i < 2 * n ? start : start + by[k];
                            })));
  const Dot here = DotOf(rows, 0, 1), there = DotOf(rows, 2, 3);
  t.Compare(abs(here.value - there.value), here.tolerance + there.tolerance,
            Interval(c.inputs.at("B").shape()[0]), [&] {
              return "the dot product of two points is " + Show(here.value) + ", and " +
                     Show(there.value) + " after both have moved";
            });
}

// SIN-21: the squared norm is the number of features.
void FourierNorm(Trial& t) {
  const Case c = DrawFourier(t, {});
  const Answer rows(t, c);
  const Interval h(c.inputs.at("B").shape()[0]);
  for (int64_t row = 0; row < rows.shape()[0]; ++row) {
    const Dot dot = DotOf(rows, row, row);
    t.Compare(abs(dot.value - h), dot.tolerance, h, [&] {
      return "the squared norm of point " + std::to_string(row) + " is " + Show(dot.value);
    });
  }
}

// Where in a row each column of SIN-22 is.
class NerfColumns {
 public:
  NerfColumns(const Nerf& p, int64_t coordinates, int64_t width) {
    for (int64_t column = 0; column < width; ++column)
      columns_.emplace(KeyOf(ColumnOf(p, coordinates, column)), column);
  }
  int64_t Find(const NerfColumn& c) const { return columns_.at(KeyOf(c)); }

 private:
  using Key = std::tuple<int, int64_t, int64_t>;
  static Key KeyOf(const NerfColumn& c) {
    return {static_cast<int>(c.kind), c.coordinate, c.octave};
  }
  std::map<Key, int64_t> columns_;
};

// SIN-22: each octave is the one before, doubled.
void NerfDoubles(Trial& t) {
  Case c = DrawNerf(t, {});
  c.parameters.erase("sampling");
  c.parameters["octaves"] = std::get<double>(c.parameters.at("octaves")) + 1;
  const Nerf p = gnomon::sinusoidal::ReadNerf(c);
  const Answer a(t, c);
  const int64_t width = a.shape()[1], n = c.inputs.at("x").shape()[1];
  const NerfColumns columns(p, n, width);
  for (int64_t row = 0; row < a.shape()[0]; ++row)
    for (int64_t coordinate = 0; coordinate < n; ++coordinate)
      for (int64_t k = 0; k + 1 < p.octaves; ++k) {
        const auto at = [&](NerfColumn::Kind kind, int64_t octave) {
          return row * width + columns.Find({kind, coordinate, octave});
        };
        const int64_t s = at(NerfColumn::kSine, k), o = at(NerfColumn::kCosine, k);
        const int64_t s2 = at(NerfColumn::kSine, k + 1), o2 = at(NerfColumn::kCosine, k + 1);
        const auto where = [&] {
          return "octave " + std::to_string(k + 1) + " is not octave " + std::to_string(k) +
                 " doubled, at x = " + Show(c.inputs.at("x").Value(row * n + coordinate));
        };
        t.Compare(abs(a.Value(s2) - 2 * a.Value(s) * a.Value(o)),
                  a.Bound(s2) + 2 * ProductError(a, s, a, o), Interval(1), where);
        t.Compare(abs(a.Value(o2) - (a.Value(o) * a.Value(o) - a.Value(s) * a.Value(s))),
                  a.Bound(o2) + ProductError(a, o, a, o) + ProductError(a, s, a, s), Interval(1),
                  where);
      }
}

// SIN-22: both orders hold the same numbers.
void NerfOrders(Trial& t) {
  Case c = DrawNerf(t, {}), other = c;
  c.parameters["order"] = std::string("coordinate");
  other.parameters["order"] = std::string("octave");
  const Answer by_coordinate(t, c), by_octave(t, other);
  const Nerf p = gnomon::sinusoidal::ReadNerf(c), q = gnomon::sinusoidal::ReadNerf(other);
  const int64_t width = by_coordinate.shape()[1], n = c.inputs.at("x").shape()[1];
  const NerfColumns columns(q, n, width);
  for (int64_t i = 0; i < by_coordinate.shape()[0] * width; ++i)
    CompareSame(t, by_coordinate, i, by_octave,
                i / width * width + columns.Find(ColumnOf(p, n, i % width)));
}

}  // namespace

std::vector<Property> RealProperties() {
  const std::vector<std::string> all = {kTimestep, kFourier, kNerf};
  const std::string theorem = "Gnomon.Sinusoidal.";
  return {
      {"sinusoidal.timestep_within_bound",
       "SIN-24",
       "",
       "every entry within its bound",
       {kTimestep},
       false,
       TimestepWithinBound},
      {"sinusoidal.fourier_within_bound",
       "SIN-24",
       "",
       "every feature within its bound",
       {kFourier},
       false,
       FourierWithinBound},
      {"sinusoidal.nerf_within_bound",
       "SIN-24",
       "",
       "every feature within its bound",
       {kNerf},
       false,
       NerfWithinBound},
      {"sinusoidal.real_memory", "SIN-18", "",
       "inputs untouched, every element written, nothing else, for real arguments", all, true,
       Memory},
      {"sinusoidal.real_strides", "SIN-18", "", "strided and contiguous agree, for real arguments",
       all, true, Strides},
      {"sinusoidal.real_repeatable", "SIN-18", "",
       "the same question has the same answer, for real arguments", all, true, Repeatable},
      {"sinusoidal.real_rows", "SIN-23", "", "a row is that of its own argument", all, true, Rows},
      {"sinusoidal.real_parity", "SIN-23", "",
       "sines change sign with the argument, cosines do not", all, true, Parity},
      {"sinusoidal.timestep_is_table",
       "SIN-20",
       theorem + "SIN_20_shift_0_is_half",
       "at whole times the row is that of sinusoidal.table",
       {kTimestep, "sinusoidal.table"},
       true,
       TimestepIsTable},
      {"sinusoidal.timestep_rotates",
       "SIN-20",
       theorem + "SIN_20_later_is_a_rotation",
       "a later time is the rotation by what lies between",
       {kTimestep},
       true,
       LaterIsRotation},
      {"sinusoidal.fourier_offsets",
       "SIN-21",
       theorem + "SIN_21_dot_products_depend_on_the_offset_only",
       "dot products of points depend on their difference",
       {kFourier},
       true,
       FourierOffsets},
      {"sinusoidal.fourier_norm",
       "SIN-21",
       theorem + "SIN_21_norm",
       "the squared norm is the number of features",
       {kFourier},
       true,
       FourierNorm},
      {"sinusoidal.nerf_doubles",
       "SIN-22",
       theorem + "SIN_22_next_octave",
       "each octave is the one before, doubled",
       {kNerf},
       true,
       NerfDoubles},
      {"sinusoidal.nerf_orders",
       "SIN-22",
       theorem + "SIN_22_orders_hold_the_same_entries",
       "both orders hold the same numbers",
       {kNerf},
       true,
       NerfOrders},
  };
}

}  // namespace gnomon::properties::sinusoidal
