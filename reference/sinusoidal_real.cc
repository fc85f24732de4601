// The truths of timesteps, Fourier features and NeRF.
#include "gnomon/reference/sinusoidal_real.h"

#include <gmp.h>

#include <cmath>
#include <map>

#include "gnomon/reference/angle_terms.h"
#include "gnomon/reference/certify.h"

namespace gnomon::reference {
namespace {

using gnomon::sinusoidal::FourierError;
using gnomon::sinusoidal::FourierLayout;
using gnomon::sinusoidal::Nerf;
using gnomon::sinusoidal::NerfColumn;
using gnomon::sinusoidal::NerfError;
using gnomon::sinusoidal::Timestep;
using gnomon::sinusoidal::TimestepError;

// A number that is a sum of products of binary64 numbers, without any rounding: such products are
// multiples of 2^-2148 below 2^2048, and no tensor has 2^100 of them.
class Exact {
 public:
  Exact() {
    mpfr_init2(value_, kBits);
    mpfr_set_zero(value_, 1);
  }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  void AddProduct(double a, double b) {
    mpfr_t product;
    mpfr_init2(product, 106);
    mpfr_set_d(product, a, MPFR_RNDN);
    mpfr_mul_d(product, product, b, MPFR_RNDN);
    mpfr_add(value_, value_, product, MPFR_RNDN);
    mpfr_clear(product);
  }
  void Multiply(uint64_t factor) { mpfr_mul_ui(value_, value_, factor, MPFR_RNDN); }

  // The cosine and sine of so many quarter turns, divided by `denominator`, at the precision in
  // force.
  CosSin<Interval> AsQuarters(uint64_t denominator) const {
    mpfr_t whole, rest;
    mpfr_inits2(kBits, whole, rest, static_cast<mpfr_ptr>(nullptr));
    mpfr_div_ui(whole, value_, denominator, MPFR_RNDN);
    mpfr_rint(whole, whole, MPFR_RNDN);
    mpfr_mul_ui(rest, whole, denominator, MPFR_RNDN);
    mpfr_sub(rest, value_, rest, MPFR_RNDN);
    mpz_t count;
    mpz_init(count);
    mpfr_get_z(count, whole, MPFR_RNDN);
    const int quarter = static_cast<int>(mpz_fdiv_ui(count, 4));
    Interval numerator(0), pi(0);
    mpfi_set_fr(numerator.backend().data(), rest);
    mpfi_const_pi(pi.backend().data());
    mpz_clear(count);
    mpfr_clears(whole, rest, static_cast<mpfr_ptr>(nullptr));
    return OfQuarters<Interval>(quarter, numerator / Interval(denominator), pi);
  }
  Interval Enclosed() const {
    Interval x(0);
    mpfi_set_fr(x.backend().data(), value_);
    return x;
  }

 private:
  static constexpr mpfr_prec_t kBits = 4400;
  mpfr_t value_;
};

// SIN-23, SIN-24. One entry: a sine or cosine of an angle that a row and a pair name, or a number
// as given.
class RealTruth : public Truth {
 public:
  struct Cell {
    enum Kind { kZero, kSine, kCosine, kInput } kind = kZero;
    int64_t row = 0;
    int64_t pair = 0;  // kInput: the element of x
  };
  struct Circle {
    Interval angle;  // where it does not come in quarters; then the number of them
    CosSin<Interval> at;
  };

  RealTruth(const Case& c, const std::string& role)
      : format_(c.format), input_(c.inputs.at(role).view()) {}

  virtual Cell At(int64_t element) const = 0;
  virtual Circle CircleAt(int64_t row, int64_t pair) const = 0;
  virtual Interval ErrorAt(const Profile& profile, int64_t row, int64_t pair) const = 0;

  // SIN-22. x itself is copied where it has the format of the output, else rounded once.
  Expectation Expect(int, int64_t element) const override {
    const Cell cell = At(element);
    if (cell.kind != Cell::kInput || input_.dtype != DTypeOf(format_)) return {};
    return {Expectation::kCopy, BitsAt(input_, cell.pair)};
  }
  Interval Value(int, int64_t element) const override {
    const Cell cell = At(element);
    if (cell.kind == Cell::kZero) return Interval(0);
    if (cell.kind == Cell::kInput) return Interval(ValueAt(input_, cell.pair));
    const CosSin<Interval>& at = Known(cell).at;
    return cell.kind == Cell::kSine ? at.sin : at.cos;
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const Cell cell = At(element);
    if (cell.kind == Cell::kZero) return Interval(0);
    if (cell.kind == Cell::kInput)
      return UnitRoundoff(format_) * abs(Interval(ValueAt(input_, cell.pair))) +
             Underflow<Interval>(format_, profile.flushes);
    const CosSin<Interval> at = Known(cell).at;
    const bool sine = cell.kind == Cell::kSine;
    return TableBound(format_, sine ? at.sin : at.cos, sine ? at.cos : at.sin,
                      ErrorAt(profile, cell.row, cell.pair), 0, 1, profile.flushes);
  }
  Interval Size(int, int64_t element) const override {
    const Cell cell = At(element);
    return cell.kind == Cell::kInput ? Interval(abs(Value(0, element))) : Interval(1);
  }
  Interval Scale(int, int64_t element) const override { return abs(Value(0, element)); }
  Place Where(int, int64_t element) const override {
    const Cell cell = At(element);
    Place place;
    if (cell.kind == Cell::kSine || cell.kind == Cell::kCosine) place.pair = cell.pair;
    return place;
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Cell cell = At(element);
    if (cell.kind == Cell::kZero) return {{"zero", Interval(0)}};
    if (cell.kind == Cell::kInput) return {{"x", Value(0, element)}};
    const Circle circle = Known(cell);
    return {{StepName(), circle.angle}, {"cos", circle.at.cos}, {"sin", circle.at.sin}};
  }

 protected:
  virtual std::string StepName() const { return "angle"; }
  double Input(int64_t number) const { return ValueAt(input_, number); }

  Format format_;
  ConstTensorView input_;

 private:
  const Circle& Known(const Cell& cell) const {
    const unsigned precision = Interval::default_precision();
    if (precision != precision_ || known_.size() >= kMostKnown) known_.clear();
    precision_ = precision;
    const std::pair<int64_t, int64_t> key(cell.row, cell.pair);
    const auto found = known_.find(key);
    return found != known_.end() ? found->second
                                 : known_.emplace(key, CircleAt(cell.row, cell.pair)).first->second;
  }
  static constexpr size_t kMostKnown = 4096;
  mutable unsigned precision_ = 0;
  mutable std::map<std::pair<int64_t, int64_t>, Circle> known_;
};

// SIN-20.
class TimestepTruth : public RealTruth {
 public:
  explicit TimestepTruth(const Case& c)
      : RealTruth(c, "timesteps"),
        p_(gnomon::sinusoidal::ReadTimestep(c)),
        log_max_period_(LogBaseUpperBound(p_.max_period)) {}

  Cell At(int64_t element) const override {
    const SinusoidalColumn column = p_.Column(element % p_.width);
    const Cell::Kind kind = column.kind == SinusoidalColumn::kZero   ? Cell::kZero
                            : column.kind == SinusoidalColumn::kSine ? Cell::kSine
                                                                     : Cell::kCosine;
    return {kind, element / p_.width, column.pair};
  }
  Circle CircleAt(int64_t row, int64_t pair) const override {
    const Interval angle = Angle<Interval>(p_, Input(row), pair);
    return {angle, {cos(angle), sin(angle)}};
  }
  Interval ErrorAt(const Profile& profile, int64_t row, int64_t pair) const override {
    return TimestepError(profile, format_, p_,
                         gnomon::sinusoidal::OriginOf(p_, pair, log_max_period_), Input(row),
                         Exactly<Interval>(p_.scale), Frequency<Interval>(p_, pair));
  }
  Place Where(int output, int64_t element) const override {
    Place place = RealTruth::Where(output, element);
    const double t = Input(element / p_.width);
    if (t == std::floor(t) && std::abs(t) <= 0x1p53) place.position = static_cast<int64_t>(t);
    return place;
  }

 private:
  std::string StepName() const override { return "scale t w"; }
  Timestep p_;
  double log_max_period_;
};

// SIN-21.
class FourierTruth : public RealTruth {
 public:
  explicit FourierTruth(const Case& c)
      : RealTruth(c, "x"),
        sines_first_(gnomon::sinusoidal::ReadFourier(c) == FourierLayout::kSinCos),
        rows_(c.inputs.at("B").view()) {}

  Cell At(int64_t element) const override {
    const int64_t h = rows_.shape[0], column = element % (2 * h);
    return {(column < h) == sines_first_ ? Cell::kSine : Cell::kCosine, element / (2 * h),
            column % h};
  }
  Circle CircleAt(int64_t row, int64_t pair) const override {
    Exact turns;
    for (int64_t i = 0; i < coordinates(); ++i) turns.AddProduct(B(pair, i), X(row, i));
    const Interval enclosed = turns.Enclosed();
    turns.Multiply(4);
    return {enclosed, turns.AsQuarters(1)};
  }
  Interval ErrorAt(const Profile& profile, int64_t row, int64_t pair) const override {
    Interval products(0), rows(0), points(0);
    bool rounded_row = false, rounded_point = false;
    for (int64_t i = 0; i < coordinates(); ++i) {
      const double b = B(pair, i), x = X(row, i);
      products += abs(Interval(b) * Interval(x));
      rows += abs(Interval(b));
      points += abs(Interval(x));
      rounded_row |= gnomon::sinusoidal::IsRounded(b, format_);
      rounded_point |= gnomon::sinusoidal::IsRounded(x, format_);
    }
    return FourierError(profile, format_, coordinates(), products, rows, points, rounded_row,
                        rounded_point);
  }

 private:
  std::string StepName() const override { return "B x, turns"; }
  int64_t coordinates() const { return rows_.shape[1]; }
  double B(int64_t feature, int64_t i) const { return ValueAt(rows_, feature * coordinates() + i); }
  double X(int64_t point, int64_t i) const { return Input(point * coordinates() + i); }
  bool sines_first_;
  ConstTensorView rows_;
};

// SIN-22. A row is one number x, a pair an octave.
class NerfTruth : public RealTruth {
 public:
  explicit NerfTruth(const Case& c) : RealTruth(c, "x"), p_(gnomon::sinusoidal::ReadNerf(c)) {}

  Cell At(int64_t element) const override {
    const int64_t coordinates = input_.shape[1];
    const int64_t columns = coordinates * (2 * p_.octaves + (p_.include_input ? 1 : 0));
    const NerfColumn column = gnomon::sinusoidal::ColumnOf(p_, coordinates, element % columns);
    const int64_t number = element / columns * coordinates + column.coordinate;
    if (column.kind == NerfColumn::kInput) return {Cell::kInput, number, number};
    return {column.kind == NerfColumn::kSine ? Cell::kSine : Cell::kCosine, number, column.octave};
  }
  Circle CircleAt(int64_t row, int64_t pair) const override {
    const double x = Input(row);
    const Interval angle = Angle<Interval>(p_, x, pair);
    if (p_.unit == Nerf::Unit::kOne) return {angle, {cos(angle), sin(angle)}};
    Exact quarters;
    quarters.AddProduct(2, x);
    quarters.Multiply(p_.Numerator(pair));
    return {angle, quarters.AsQuarters(p_.Denominator())};
  }
  Interval ErrorAt(const Profile& profile, int64_t row, int64_t pair) const override {
    return NerfError<Interval>(profile, format_, p_, pair, Input(row));
  }

 private:
  std::string StepName() const override { return p_.unit == Nerf::Unit::kPi ? "x w / pi" : "x w"; }
  Nerf p_;
};

}  // namespace

namespace sinusoidal {

std::unique_ptr<Truth> MakeRealTruth(const Case& c) {
  if (c.operation == "sinusoidal.timestep") return std::make_unique<TimestepTruth>(c);
  if (c.operation == "sinusoidal.fourier") return std::make_unique<FourierTruth>(c);
  return std::make_unique<NerfTruth>(c);
}

}  // namespace sinusoidal
}  // namespace gnomon::reference
