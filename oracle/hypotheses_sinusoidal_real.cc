#include "gnomon/oracle/hypotheses_sinusoidal_real.h"

#include <cmath>

#include "gnomon/reference/angles.h"
#include "gnomon/reference/remembered.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::oracle::sinusoidal {
namespace {

using gnomon::sinusoidal::FourierLayout;
using gnomon::sinusoidal::Nerf;
using gnomon::sinusoidal::NerfColumn;
using gnomon::sinusoidal::Timestep;
using reference::Interval;
using reference::Midpoint;

constexpr unsigned kBits = 512;  // an angle of 2^300 still has a cosine

enum class TurnAs { kWhole, kHalf, kRadian };  // of a unit of B x

struct RealChange {
  Change shared;
  Timestep t;
  Nerf n;
  bool sines_first = false, transposed = false;
  TurnAs turn = TurnAs::kWhole;
  bool odd_half = false, scales_entry = false, input_last = false, octave_plus_one = false;
  bool absolute = false, whole = false, counts_rows = false, contiguous = false;
  std::optional<Format> arguments_in;
};

bool Asks(const Case& c, const char* verb) {
  return c.operation == std::string("sinusoidal.") + verb;
}

class RealPredictor : public Predictor {
 public:
  RealPredictor(const Answered& answered, const RealChange& change)
      : c_(*answered.c), format_(c_.format), change_(change) {}

  Prediction At(int, int64_t element) override {
    reference::ScopedPrecision precision(kBits);
    const int64_t width = Width();
    if (InTail(change_.shared, element % width, width, false))
      return Unwritten(change_.shared.tail, DTypeOf(format_), std::nullopt);
    if (Asks(c_, "timestep")) return Time(element / width, element % width);
    if (Asks(c_, "fourier")) return Feature(element / width, element % width);
    return Octave(element / width, element % width);
  }

 private:
  int64_t Width() const {
    if (Asks(c_, "timestep")) return change_.t.width;
    if (Asks(c_, "fourier")) return 2 * c_.inputs.at("B").shape()[0];
    return c_.inputs.at("x").shape()[1] *
           (2 * change_.n.octaves + (change_.n.include_input ? 1 : 0));
  }

  // Element `number` of the argument, as the mistaken kernel reads it; nothing where it reads
  // beyond.
  std::optional<double> Argument(const std::string& role, int64_t number) const {
    const Tensor& x = c_.inputs.at(role);
    const ConstTensorView view = x.view();
    double v = ValueAt(view, number);
    if (change_.contiguous) {
      const int64_t extent = static_cast<int64_t>(x.storage().size()) / SizeOf(x.dtype());
      if (x.origin() + number >= extent) return std::nullopt;
      v = ValueOf(view.dtype, LoadBits(view.dtype, view.data + number * SizeOf(view.dtype)));
      if (!std::isfinite(v)) return std::nullopt;
    }
    if (role == "B") return v;
    if (change_.counts_rows) v = static_cast<double>(number / (x.count() / x.shape()[0]));
    if (change_.absolute) v = std::abs(v);
    if (change_.whole) v = std::trunc(v);
    if (change_.arguments_in)
      v = std::clamp(RoundToFormat(*change_.arguments_in, v), -LargestFinite(*change_.arguments_in),
                     LargestFinite(*change_.arguments_in));
    return v;
  }

  // factor times the sine or cosine; D by profile.
  Prediction Entry(Interval angle, bool sine, const PerProfile& D, double factor = 1) const {
    if (change_.shared.float_two_pi) {
      const double two_pi = 6.2831853f, a = Midpoint(angle);
      angle = Interval(a - std::rint(a / two_pi) * two_pi);
    }
    const Interval sines = sin(angle), cosines = cos(angle), &asked = sine ? sines : cosines;
    const double s = Midpoint(sines), c = Midpoint(cosines);
    // An exact 0 is enclosed, not met.
    const double width = mpfr_get_d(reference::Upper(asked), MPFR_RNDU) -
                         mpfr_get_d(reference::Lower(asked), MPFR_RNDD);
    double value = factor * (sine ? s : c), uncertain = 0;
    double radius = std::max(std::abs(value) * 0x1p-50, std::abs(factor) * width);
    const double slope = factor * (sine ? c : s);
    const bool stored = change_.shared.ulps != 0 || change_.shared.tables_in;
    if (stored) {
      value = TableEntry(change_.shared, WorkingFormat(format_), value, &uncertain);
      radius = 0;
    }
    PerProfile bound{}, narrow{};
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const int scalings = factor == 1 ? 0 : 2;
      bound[i] = TableBound<double>(format_, value, slope, D[i], scalings, factor) + uncertain;
      narrow[i] = TableBound<double>(WorkingFormat(format_), value, slope, D[i], scalings, factor) +
                  uncertain;
      if (!stored) continue;
      narrow[i] = uncertain;
      bound[i] = format_ == WorkingFormat(format_)
                     ? uncertain
                     : UnitRoundoff(format_) * std::abs(value) +
                           ExactPowerOfTwo(EtaExponent(format_)) + uncertain;
    }
    return Stored(change_.shared, format_, value, radius, bound, narrow);
  }
  Prediction Zero() const {
    return change_.shared.unwritten == Fill::kWritten
               ? Stored(change_.shared, format_, 0, 0, {}, {})
               : Unwritten(change_.shared.unwritten, DTypeOf(format_), std::nullopt);
  }

  Prediction Time(int64_t row, int64_t column) const {
    const Timestep& p = change_.t;
    const SinusoidalColumn at = p.Column(column);
    if (at.kind == SinusoidalColumn::kZero) return Zero();
    const std::optional<double> t = Argument("timesteps", row);
    if (!t) return {};
    const int64_t h = change_.odd_half ? (p.width + 1) / 2 : p.pairs();
    const Interval w = frequencies_.At(at.pair, [&] {
      return reference::InversePower<Interval>(p.max_period, at.pair, h - p.shift);
    });
    if (!log_base_) log_base_ = reference::LogBaseUpperBound(p.max_period);
    const Interval scale =
        change_.scales_entry ? Interval(1) : reference::Exactly<Interval>(p.scale);
    const AngleOrigin origin = gnomon::sinusoidal::OriginOf(p, at.pair, *log_base_);
    PerProfile D{};
    for (size_t i = 0; i < kProfiles.size(); ++i)
      D[i] = gnomon::sinusoidal::TimestepError<double>(kProfiles[i], format_, p, origin, *t,
                                                       std::abs(Midpoint(scale)), Midpoint(w));
    return Entry(scale * Interval(*t) * w, at.kind == SinusoidalColumn::kSine, D,
                 change_.scales_entry ? p.scale.value : 1);
  }

  Prediction Feature(int64_t row, int64_t column) const {
    const Shape& shape = c_.inputs.at("B").shape();
    const int64_t h = shape[0], n = shape[1], feature = column % h;
    Interval sum(0);
    double products = 0, rows = 0, points = 0;
    bool rounded_row = false, rounded_point = false;
    for (int64_t i = 0; i < n; ++i) {
      const std::optional<double> b = Argument(
                                      "B", change_.transposed ? i * h + feature : feature * n + i),
                                  x = Argument("x", row * n + i);
      if (!b || !x) return {};
      sum += Interval(*b) * Interval(*x);
      products += std::abs(*b * *x);
      rows += std::abs(*b);
      points += std::abs(*x);
      rounded_row |= gnomon::sinusoidal::IsRounded(*b, format_);
      rounded_point |= gnomon::sinusoidal::IsRounded(*x, format_);
    }
    Interval pi(0);
    mpfi_const_pi(pi.backend().data());
    if (change_.turn != TurnAs::kRadian) sum *= pi;
    if (change_.turn == TurnAs::kWhole) sum *= 2;
    PerProfile D{};
    for (size_t i = 0; i < kProfiles.size(); ++i)
      D[i] = gnomon::sinusoidal::FourierError<double>(kProfiles[i], format_, n, products, rows,
                                                      points, rounded_row, rounded_point);
    return Entry(sum, (column < h) == change_.sines_first, D);
  }

  Prediction Octave(int64_t row, int64_t column) const {
    const Nerf& p = change_.n;
    const int64_t n = c_.inputs.at("x").shape()[1], width = Width();
    const NerfColumn at = gnomon::sinusoidal::ColumnOf(
        p, n, change_.input_last && p.include_input ? (column + n) % width : column);
    const std::optional<double> x = Argument("x", row * n + at.coordinate);
    if (!x) return {};
    if (at.kind == NerfColumn::kInput) {
      const bool copied = c_.inputs.at("x").dtype() == DTypeOf(format_);
      PerProfile bound{};
      if (!copied)
        bound.fill(UnitRoundoff(format_) * std::abs(*x) + ExactPowerOfTwo(EtaExponent(format_)));
      return Stored(change_.shared, format_, *x, 0, bound, bound);
    }
    Interval angle = Interval(*x) * Interval(p.Numerator(at.octave)) / Interval(p.Denominator());
    if (change_.octave_plus_one) angle *= 2;
    Interval pi(0);
    mpfi_const_pi(pi.backend().data());
    if (p.unit == Nerf::Unit::kPi) angle *= pi;
    PerProfile D{};
    for (size_t i = 0; i < kProfiles.size(); ++i)
      D[i] = gnomon::sinusoidal::NerfError<double>(kProfiles[i], format_, p, at.octave, *x) *
             (change_.octave_plus_one ? 2 : 1);
    return Entry(angle, at.kind == NerfColumn::kSine, D);
  }

  const Case& c_;
  Format format_;
  RealChange change_;
  reference::Remembered<int64_t> frequencies_;  // of a timestep, by pair
  mutable std::optional<double> log_base_;
};

using Mistake = oracle::Entry<RealChange>;
using C = RealChange;

Mistake::Make Sets(bool C::*flag, std::vector<std::string> verbs) {
  return [=](const Case& c, C* change) {
    change->*flag = !(change->*flag);
    return std::any_of(verbs.begin(), verbs.end(),
                       [&](const std::string& verb) { return Asks(c, verb.c_str()); });
  };
}
Mistake::Make Arguments(Format format) {
  return [=](const Case& c, C* change) {
    change->arguments_in = format;
    return Asks(c, "timestep");
  };
}
Mistake::Make Shifts(int64_t shift) {
  return [=](const Case& c, C* change) {
    const bool shows = Asks(c, "timestep") && change->t.shift != shift && shift < change->t.pairs();
    change->t.shift = shift;
    return shows;
  };
}
Mistake::Make Turns(TurnAs turn) {
  return [=](const Case& c, C* change) {
    change->turn = turn;
    return Asks(c, "fourier");
  };
}
template <class Value>
Mistake::Make Takes(Value Nerf::*member, Value value) {
  return [=](const Case& c, C* change) {
    const bool shows = Asks(c, "nerf") && change->n.*member != value;
    change->n.*member = value;
    return shows;
  };
}

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = {
      Mistake::Convention("timestep-order", "sines and cosines exchanged",
                          [](const Case& c, C* change) {
                            change->t.flip = !change->t.flip;
                            return Asks(c, "timestep");
                          }),
      Mistake::Formula("timestep-order/ignored", "sines first, flip_sin_to_cos or not",
                       [](const Case& c, C* change) {
                         const bool shows = Asks(c, "timestep") && change->t.flip;
                         change->t.flip = false;
                         return shows;
                       }),
      Mistake::Formula("timestep-shift/zero", "divisor h where a shift is asked", Shifts(0)),
      Mistake::Formula("timestep-shift/one", "divisor h - 1 where another is asked", Shifts(1)),
      Mistake::Formula("timestep-scale", "scale left out",
                       [](const Case& c, C* change) {
                         const bool shows = !(change->t.scale == Number(1));
                         change->t.scale = Number(1);
                         return Asks(c, "timestep") && shows;
                       }),
      Mistake::Formula("timestep-scale/entry", "scale on the entry, not on the time",
                       [](const Case& c, C* change) {
                         change->scales_entry = true;
                         return Asks(c, "timestep") && !(change->t.scale == Number(1));
                       }),
      Mistake::Formula("timestep-truncated", "times made integers", Sets(&C::whole, {"timestep"})),
      Mistake::Formula("positions-bf16/timestep", "times rounded to bf16",
                       Arguments(Format::kBf16)),
      Mistake::Formula("positions-f16/timestep", "times rounded to f16", Arguments(Format::kF16)),
      Mistake::Formula("timestep-period", "max_period 10000 whatever is asked",
                       [](const Case& c, C* change) {
                         const bool shows = !(change->t.max_period == Number(10000));
                         change->t.max_period = Number(10000);
                         return Asks(c, "timestep") && shows;
                       }),
      Mistake::Formula("timestep-odd", "odd widths divide by (width + 1) / 2",
                       [](const Case& c, C* change) {
                         change->odd_half = true;
                         return Asks(c, "timestep") && change->t.width % 2 != 0;
                       }),
      Mistake::Formula("negative-position/real", "the argument without its sign",
                       Sets(&C::absolute, {"timestep", "fourier", "nerf"})),
      Mistake::Formula("fourier-pi", "2 pi left out", Turns(TurnAs::kRadian)),
      Mistake::Formula("fourier-pi/half", "pi for 2 pi", Turns(TurnAs::kHalf)),
      Mistake::Convention("fourier-order", "the other layout", Sets(&C::sines_first, {"fourier"})),
      Mistake::Formula("fourier-transposed", "B read as [coordinate, feature]",
                       Sets(&C::transposed, {"fourier"})),
      Mistake::Formula("nerf-octave", "2^(k+1) for 2^k", Sets(&C::octave_plus_one, {"nerf"})),
      Mistake::Formula("nerf-octave/sampling", "doubling where even spacing is asked",
                       Takes(&Nerf::sampling, Nerf::Sampling::kLog)),
      Mistake::Formula("nerf-pi", "pi left out", Takes(&Nerf::unit, Nerf::Unit::kOne)),
      Mistake::Formula("nerf-pi/always", "pi where the unit is one",
                       Takes(&Nerf::unit, Nerf::Unit::kPi)),
      Mistake::Convention("nerf-order", "coordinate by coordinate where octaves are asked",
                          Takes(&Nerf::order, Nerf::Order::kCoordinate)),
      Mistake::Convention("nerf-order/octave", "octave by octave where coordinates are asked",
                          Takes(&Nerf::order, Nerf::Order::kOctave)),
      Mistake::Formula("nerf-input", "x last, not first",
                       [](const Case& c, C* change) {
                         change->input_last = true;
                         return Asks(c, "nerf") && change->n.include_input;
                       }),
      Mistake::Formula("arange-positions/real", "the row's number for its argument",
                       Sets(&C::counts_rows, {"timestep", "fourier", "nerf"})),
      Mistake::State("stride-ignored/real-input", "arguments taken as contiguous",
                     Sets(&C::contiguous, {"timestep", "fourier", "nerf"})),
      Mistake::State("window-not-copied/zero-column", "the zero column not written",
                     [](const Case& c, C* change) {
                       change->shared.unwritten = Fill::kOnes;
                       return Asks(c, "timestep") && change->t.width % 2 != 0;
                     }),
  };
  return all;
}

// Of what schemes share: stores, and entries that are off as they are stored.
bool Applies(const SharedHypothesis& shared) {
  const std::string& id = shared.about.id;
  return shared.concerns == Concerns::kStorage || id.rfind("table-ulp/", 0) == 0 ||
         id == "unreduced/float-two-pi";
}

}  // namespace

const std::vector<Hypothesis>& RealHypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> PredictReal(const Answered& answered, const RealMistakes& made) {
  const Case& c = *answered.c;
  RealChange change;
  if (Asks(c, "timestep")) change.t = gnomon::sinusoidal::ReadTimestep(c);
  if (Asks(c, "fourier"))
    change.sines_first = gnomon::sinusoidal::ReadFourier(c) == FourierLayout::kSinCos;
  if (Asks(c, "nerf")) change.n = gnomon::sinusoidal::ReadNerf(c);
  MakeMistakes(Entries(), c, made.real, 1, 0, &change);
  for (const size_t number : made.shared) {
    const SharedHypothesis& shared = SharedHypotheses()[number];
    Change next = change.shared;
    if (Applies(shared) && shared.make(nullptr, &next)) change.shared = next;
  }
  change.shared.factor = made.factor;
  change.shared.factor_error = made.factor_error;
  change.shared.any = made.any;
  return std::make_unique<RealPredictor>(answered, change);
}

}  // namespace gnomon::oracle::sinusoidal
