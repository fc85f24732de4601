// The truths of the sinusoidal operations.
#include "gnomon/reference/sinusoidal.h"

#include <cmath>

#include "gnomon/reference/angle_terms.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/remembered.h"
#include "gnomon/reference/sinusoidal_real.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

AngleTerms TermsOf(const SinusoidalTable& t) {
  return AngleTerms(
      [t](int64_t pair) { return Frequency<Interval>(t, pair); },
      [t, log_base = LogBaseUpperBound(t.base), inexact = IsInexact(t.base)](int64_t pair) {
        if (!t.frequencies.empty())
          return GivenOrigin(t.frequencies[static_cast<size_t>(pair)], pair);
        return AngleOrigin{
            t.ExponentNumerator(pair), t.ExponentDenominator(), log_base, false, pair, inexact};
      });
}

// One sine or cosine times a factor: an entry of a table or of a matrix, with its bound (SIN-11).
class EntryTruth : public Truth {
 public:
  EntryTruth(Format format, const SinusoidalTable& table, const Number& factor)
      : format_(format), table_(table), terms_(TermsOf(table)), factor_(factor) {}

  struct Cell {
    SinusoidalColumn::Kind kind = SinusoidalColumn::kZero;
    int64_t pair = 0;
    int64_t position = 0;
    bool negative = false;
  };
  virtual Cell At(int64_t element) const = 0;

  Interval Value(int, int64_t element) const override { return EntryOf(At(element)); }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    return BoundIn(format_, element, profile);
  }
  // The same for an entry stored in another format.
  Interval BoundIn(Format stored, int64_t element, const Profile& profile) const {
    const Cell cell = At(element);
    if (cell.kind == SinusoidalColumn::kZero) return Interval(0);
    const AngleTerm& term = terms_.At(cell.position, cell.pair);
    const bool sine = cell.kind == SinusoidalColumn::kSine;
    return TableBound(stored, Interval(Factor() * (sine ? term.sin : term.cos)),
                      Interval(Factor() * (sine ? term.cos : term.sin)),
                      terms_.Error(profile, format_, cell.position, cell.pair), Scalings(),
                      factor_.value, profile.flushes);
  }
  Interval Size(int, int64_t) const override { return abs(Factor()); }
  Interval Scale(int, int64_t element) const override { return abs(Value(0, element)); }
  Place Where(int, int64_t element) const override {
    const Cell cell = At(element);
    Place place;
    place.position = cell.position;
    if (cell.kind != SinusoidalColumn::kZero) place.pair = cell.pair;
    return place;
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Cell cell = At(element);
    if (cell.kind == SinusoidalColumn::kZero) return {{"zero", Interval(0)}};
    const AngleTerm& term = terms_.At(cell.position, cell.pair);
    return {{"w", term.frequency},
            {"t w", term.angle},
            {"cos", term.cos},
            {"sin", term.sin},
            {"factor", Factor()}};
  }

  bool Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const override {
    const Cell cell = At(element);
    if (format_ == Format::kF64 || cell.kind == SinusoidalColumn::kZero || !factor_.decimal.empty())
      return false;
    const QuickAngle& angle = terms_.QuickAt(cell.position, cell.pair);
    if (!angle.usable || !(std::abs(factor_.value) < 0x1p100)) return false;
    const bool sine = cell.kind == SinusoidalColumn::kSine;
    const double f = cell.negative ? -factor_.value : factor_.value;
    q->value = f * (sine ? angle.sin : angle.cos);
    q->radius = std::abs(q->value) * 0x1p-51 + (f == 0 ? 0 : 0x1p-1000);
    q->unit = std::abs(q->value);
    q->size = std::abs(f);
    q->place = {cell.position, cell.pair};
    for (size_t i = 0; i < profiles.size(); ++i)
      q->bound[i] = QuickBoundIn(format_, profiles, i, cell, *q);
    return true;
  }

  // BoundIn in binary64; `q` holds the value of the same cell.
  double QuickBoundIn(Format stored, const Profiles& profiles, size_t i, const Cell& cell,
                      const QuickElement& q) const {
    const QuickAngle& angle = terms_.QuickAt(cell.position, cell.pair);
    const double slope = cell.kind == SinusoidalColumn::kSine ? angle.cos : angle.sin;
    const auto D = terms_.QuickErrors(profiles, format_, cell.position, cell.pair, angle.angle);
    return TableBound<double>(stored, q.value, factor_.value * slope, D[i], Scalings(),
                              factor_.value, profiles[i].flushes);
  }

 protected:
  Interval Factor() const { return Exactly<Interval>(factor_); }
  // A factor that is not 1 is rounded once, and the product once more (BOUND-4).
  int Scalings() const { return factor_ == Number(1) ? 0 : 2; }

  Interval EntryOf(const Cell& cell) const {
    if (cell.kind == SinusoidalColumn::kZero) return Interval(0);
    const AngleTerm& term = terms_.At(cell.position, cell.pair);
    const Interval v = Factor() * (cell.kind == SinusoidalColumn::kSine ? term.sin : term.cos);
    return cell.negative ? Interval(-v) : v;
  }
  Format format_;
  SinusoidalTable table_;
  AngleTerms terms_;
  Number factor_;
};

class TableTruth : public EntryTruth {
 public:
  explicit TableTruth(const Case& c) : TableTruth(c, gnomon::sinusoidal::ReadTable(c)) {}
  TableTruth(const Case& c, const SinusoidalTable& t)
      : EntryTruth(c.format, t, t.scale), positions_(c.inputs.at("positions").view()) {}
  Cell At(int64_t element) const override {
    const SinusoidalColumn column = table_.Column(element % table_.width);
    return {column.kind, column.pair, IntegerAt(positions_, element / table_.width), false};
  }

 private:
  ConstTensorView positions_;
};

// sinusoidal.shift_matrix, sinusoidal.relative_head: [row, column].
class MatrixTruth : public EntryTruth {
 public:
  explicit MatrixTruth(const Case& c) : MatrixTruth(c, gnomon::sinusoidal::ReadMatrix(c)) {}
  MatrixTruth(const Case& c, const gnomon::sinusoidal::MatrixParameters& p)
      : EntryTruth(c.format, p.table, p.gain), offset_(p.offset) {}
  Cell At(int64_t element) const override {
    const SinusoidalColumn r = table_.Column(element / table_.width);
    const SinusoidalColumn c = table_.Column(element % table_.width);
    if (r.pair != c.pair) return {SinusoidalColumn::kZero, 0, offset_, false};
    if (r.kind == c.kind) return {SinusoidalColumn::kCosine, r.pair, offset_, false};
    return {SinusoidalColumn::kSine, r.pair, offset_, r.kind == SinusoidalColumn::kCosine};
  }

 private:
  int64_t offset_;
};

// y = token_scale x + pe, [batch, seq, width].
class AddTruth : public Truth {
 public:
  explicit AddTruth(const Case& c)
      : format_(c.format),
        p_(gnomon::sinusoidal::ReadAdd(c)),
        x_(c.inputs.at("x").view()),
        table_(c, p_.table) {}

  Expectation Expect(int, int64_t element) const override {
    const double x = X(element);
    if (std::isfinite(x)) return {};
    // SIN-10: an infinity keeps the sign that token_scale gives it; times 0 it is NaN.
    ScopedPrecision precision(kFirstPrecision);
    const Interval factor = p_.sqrt_width ? Interval(1) : Exactly<Interval>(p_.token_scale);
    return {Expectation::kNonFinite, 0,
            x * (IsPoint(factor) && mpfr_zero_p(Lower(factor)) ? 0.0
                 : Less(factor, Interval(0))                   ? -1.0
                                                               : 1.0)};
  }
  Interval Value(int, int64_t element) const override {
    return Add<Interval>(p_, Interval(X(element)), table_.Value(0, RowElement(element)));
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const int64_t row = RowElement(element);
    const Format stored = FormatAt(profile.tables, format_);
    return gnomon::sinusoidal::AddBound(
        profile, format_, Value(0, element), Interval(abs(Scaled(element))), table_.Value(0, row),
        table_.BoundIn(stored, row, profile), Scaled(), Interval(abs(TokenScale())));
  }
  Interval Size(int, int64_t element) const override {
    return abs(Scaled(element)) + table_.Size(0, RowElement(element));
  }
  Interval Scale(int, int64_t element) const override {
    return abs(Scaled(element)) + abs(table_.Value(0, RowElement(element)));
  }
  bool Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const override {
    const double x = X(element);
    const int64_t row = RowElement(element);
    QuickElement pe;
    if (!std::isfinite(x) || !p_.token_scale.decimal.empty() ||
        !table_.Quick(0, row, profiles, &pe))
      return false;
    const double factor =
        p_.sqrt_width ? std::sqrt(static_cast<double>(p_.table.width)) : p_.token_scale.value;
    if (!(std::abs(factor) < 0x1p100)) return false;
    const double scaled = factor * x;
    q->value = scaled + pe.value;
    q->unit = std::abs(scaled) + pe.unit;
    // The factor, the product and the sum round once each; pe brings its own radius.
    q->radius = q->unit * 0x1p-51 + pe.radius + 0x1p-1000;
    q->size = std::abs(scaled) + pe.size;
    q->place = pe.place;
    for (size_t i = 0; i < profiles.size(); ++i) {
      const Format stored = FormatAt(profiles[i].tables, format_);
      q->bound[i] = gnomon::sinusoidal::AddBound<double>(
          profiles[i], format_, q->value, std::abs(scaled), pe.value,
          table_.QuickBoundIn(stored, profiles, i, table_.At(row), pe), Scaled(), std::abs(factor));
    }
    return true;
  }
  Place Where(int, int64_t element) const override { return table_.Where(0, RowElement(element)); }
  std::vector<Step> Steps(int, int64_t element) const override {
    std::vector<Step> steps = table_.Steps(0, RowElement(element));
    steps.push_back({"pe", table_.Value(0, RowElement(element))});
    steps.push_back({"token_scale x", Scaled(element)});
    return steps;
  }

 private:
  double X(int64_t element) const { return ValueAt(x_, element); }
  int64_t RowElement(int64_t element) const { return element % (x_.shape[1] * p_.table.width); }
  bool Scaled() const { return p_.sqrt_width || !(p_.token_scale == Number(1)); }
  Interval TokenScale() const {
    return p_.sqrt_width ? Interval(sqrt(Interval(p_.table.width)))
                         : Exactly<Interval>(p_.token_scale);
  }
  Interval Scaled(int64_t element) const { return TokenScale() * Interval(X(element)); }

  Format format_;
  gnomon::sinusoidal::AddParameters p_;
  ConstTensorView x_;
  TableTruth table_;
};

// sinusoidal.similarity, sinusoidal.distance: [m, n] (SIN-12).
class PairwiseTruth : public Truth {
 public:
  explicit PairwiseTruth(const Case& c)
      : format_(c.format),
        distance_(c.operation == "sinusoidal.distance"),
        t_(gnomon::sinusoidal::ReadTable(c)),
        m_(c.inputs.at("m").view()),
        n_(c.inputs.at("n").view()),
        terms_(TermsOf(t_)) {}

  Interval Value(int, int64_t element) const override {
    const auto [m, n] = At(element);
    return values_.At(m - n, [&, m = m, n = n] {
      const auto frequency = [&](int64_t i) { return terms_.At(1, i).frequency; };
      return distance_ ? Distance<Interval>(t_, m, n, frequency)
                       : Similarity<Interval>(t_, m, n, frequency);
    });
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const auto [m, n] = At(element);
    const Interval scale = abs(Exactly<Interval>(t_.scale));
    gnomon::sinusoidal::PairwiseBound<Interval> bound(profile, format_, t_.width,
                                                      !(t_.scale == Number(1)));
    for (int64_t i = 0; i < t_.pairs(); ++i) {
      const AngleTerm delta = terms_.At(m - n, i);  // a copy: the next two may move it
      const Interval dm = terms_.Error(profile, format_, m, i),
                     dn = terms_.Error(profile, format_, n, i);
      bound.AddPair(delta.cos, delta.sin, dm, dn);
    }
    return distance_ ? bound.OfDistance(Value(0, element), scale)
                     : bound.OfSimilarity(Value(0, element), scale);
  }
  Interval Size(int, int64_t) const override {
    const Interval scale = abs(Exactly<Interval>(t_.scale));
    const Interval h(t_.pairs());
    return distance_ ? Interval(2 * scale * sqrt(h)) : Interval(h * scale * scale);
  }
  Interval Scale(int, int64_t element) const override { return Size(0, element); }
  Place Where(int, int64_t element) const override {
    const auto [m, n] = At(element);
    return {m - n, std::nullopt};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const auto [m, n] = At(element);
    return {{"m", Interval(m)}, {"n", Interval(n)}, {"value", Value(0, element)}};
  }

 private:
  std::pair<int64_t, int64_t> At(int64_t element) const {
    return {IntegerAt(m_, element / n_.shape[0]), IntegerAt(n_, element % n_.shape[0])};
  }
  Format format_;
  bool distance_;
  SinusoidalTable t_;
  ConstTensorView m_, n_;
  AngleTerms terms_;
  Remembered<int64_t> values_;  // by m - n, on which alone they depend (SIN-8, SIN-9)
};

}  // namespace

namespace sinusoidal {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (gnomon::sinusoidal::IsReal(c.operation)) return MakeRealTruth(c);
  if (c.operation == "sinusoidal.table") return std::make_unique<TableTruth>(c);
  if (c.operation == "sinusoidal.add") return std::make_unique<AddTruth>(c);
  if (c.operation == "sinusoidal.similarity" || c.operation == "sinusoidal.distance")
    return std::make_unique<PairwiseTruth>(c);
  return std::make_unique<MatrixTruth>(c);
}

}  // namespace sinusoidal
}  // namespace gnomon::reference
