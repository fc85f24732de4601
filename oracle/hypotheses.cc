#include "gnomon/oracle/hypotheses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "gnomon/reference/angles.h"
#include "gnomon/reference/certify.h"

namespace gnomon::oracle {
namespace {

using reference::AngleTerms;
using reference::Interval;
using reference::Midpoint;
using reference::QuickAngle;
using reference::ScopedPrecision;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kAngle = *ProfileFromName("f32-angle");
constexpr unsigned kManyBits = 512;  // an angle of 2^300 still has a cosine

// Remembered beyond the case, as every hypothesis asks for the same ones again.
template <class Key, class Answer, class Ask>
const Answer& Remembered(std::map<Key, Answer>* known, const Key& key, Ask ask) {
  constexpr size_t kMost = 4096;
  const auto found = known->find(key);
  if (found != known->end()) return found->second;
  if (known->size() >= kMost) known->clear();
  return known->emplace(key, ask()).first->second;
}
Interval PowerOf(const Number& base, int64_t numerator, int64_t denominator) {
  using Key = std::tuple<double, std::string, int64_t, int64_t, unsigned>;
  thread_local std::map<Key, Interval> known;
  return Remembered(
      &known, Key(base.value, base.decimal, numerator, denominator, Interval::default_precision()),
      [&] { return reference::InversePower<Interval>(base, numerator, denominator); });
}
double LogOf(const Number& base) {
  using Key = std::pair<double, std::string>;
  thread_local std::map<Key, double> known;
  return Remembered(&known, Key(base.value, base.decimal),
                    [&] { return reference::LogBaseUpperBound(base); });
}

Interval FrequencyBy(const FrequencyRecipe& r, const Change& change, bool odd) {
  Interval w;
  if (r.given != nullptr && !change.ignores_given) {
    w = reference::Exactly<Interval>(*r.given);
  } else {
    int64_t numerator = r.numerator;
    const int64_t denominator = change.divisor != 0 ? change.divisor : r.denominator;
    if (change.integer_exponent) numerator = numerator / denominator * denominator;
    if (change.doubled) numerator *= 2;
    if (odd) ++numerator;
    w = PowerOf(change.base.value_or(r.base), numerator, denominator);
  }
  if (change.frequencies_in) w = Interval(RoundToFormat(*change.frequencies_in, Midpoint(w)));
  const bool zero = reference::IsPoint(w) && mpfr_zero_p(reference::Lower(w));
  if (zero && change.zero_frequency) w = Interval(*change.zero_frequency);
  if (change.inverse && !zero) w = 1 / w;
  if (change.absolute_frequency) w = abs(w);
  if (!(change.position_factor == Number(1)))
    w *= reference::Exactly<Interval>(change.position_factor);
  return w;
}

bool Replaces(const Change& c) {
  return c.frequencies_in || c.inverse || !(c.position_factor == Number(1));
}

AngleTerms TermsBy(const std::function<FrequencyRecipe(int64_t)>& recipe, const Change& change,
                   bool odd) {
  return AngleTerms(
      [recipe, change, odd](int64_t pair) { return FrequencyBy(recipe(pair), change, odd); },
      [recipe, change, odd](int64_t pair) {
        const FrequencyRecipe r = recipe(pair);
        if (r.given != nullptr && !change.ignores_given) return GivenOrigin(*r.given, pair);
        const Number base = change.base.value_or(r.base);
        return AngleOrigin{r.numerator * (change.doubled ? 2 : 1) + odd,
                           change.divisor != 0 ? change.divisor : r.denominator,
                           LogOf(base),
                           false,
                           pair,
                           IsInexact(base)};
      });
}

// Towards zero: dropping the lower bits.
double Truncate(Format format, double v) {
  if (v == 0 || !std::isfinite(v)) return v;
  const FormatTraits& t = Traits(format);
  const int quantum = std::max(std::ilogb(v) - t.precision + 1, t.min_quantum_exponent);
  return std::ldexp(std::trunc(std::ldexp(v, -quantum)), quantum);
}

// The next value of the format, away from zero.
double NextUp(Format format, double v) {
  const FormatTraits& t = Traits(format);
  const int exponent = v == 0 ? t.min_quantum_exponent : std::ilogb(v) - t.precision + 1;
  return v + std::copysign(ExactPowerOfTwo(std::max(exponent, t.min_quantum_exponent)), v);
}

double StoreOne(const Change& change, Format format, double v) {
  switch (change.store) {
    case StoreAs::kTruncated:
      if (format == Format::kBf16) return Truncate(format, RoundToFormat(Format::kF32, v));
      break;
    case StoreAs::kTwice:
      return RoundToFormat(format, RoundToFormat(WorkingFormat(format), v));
    case StoreAs::kCapped:  // an infinity of the arithmetic, not one of the last rounding
      if (std::isfinite(RoundToFormat(WorkingFormat(format), v))) break;
      [[fallthrough]];
    case StoreAs::kSaturated:
    case StoreAs::kClamped:
      return std::clamp(RoundToFormat(format, v), -LargestFinite(format), LargestFinite(format));
    case StoreAs::kFlushed:
      if (std::abs(v) < SmallestNormal(format)) return 0;
      break;
    case StoreAs::kNearest:
      break;
  }
  return RoundToFormat(format, v);
}

}  // namespace

Turns::Turns(Format format, std::function<FrequencyRecipe(int64_t)> recipe, const Change& change)
    : format_(format),
      recipe_(recipe),
      change_(change),
      terms_(TermsBy(recipe, change, false)),
      odd_terms_(TermsBy(recipe, change, true)) {}

QuickAngle Turns::AngleAt(const AngleTerms& terms, int64_t position, int64_t pair) const {
  const QuickAngle& quick = terms.QuickAt(position, pair);
  if (quick.usable) return quick;
  ScopedPrecision precision(kManyBits);
  const reference::AngleTerm& term = terms.At(position, pair);
  return {std::abs(Midpoint(term.angle)), Midpoint(term.cos), Midpoint(term.sin), true, true};
}

bool Turns::NotANumber(int64_t pair) const {
  if (change_.frequencies_in && std::isinf(Frequency(pair))) return true;
  if (!change_.zero_frequency || !std::isnan(*change_.zero_frequency)) return false;
  const FrequencyRecipe r = recipe_(pair);
  return r.given != nullptr && r.given->value == 0;
}

double Turns::Frequency(int64_t pair) const {
  ScopedPrecision precision(reference::kFirstPrecision);
  return Midpoint(terms_.At(1, pair).frequency);
}

std::optional<double> Turns::Exponent(int64_t pair) const {
  const FrequencyRecipe r = recipe_(pair);
  if ((r.given != nullptr && !change_.ignores_given) || Replaces(change_)) return std::nullopt;
  return static_cast<double>(r.numerator * (change_.doubled ? 2 : 1)) /
         static_cast<double>(change_.divisor != 0 ? change_.divisor : r.denominator);
}

double Turns::RelativeError(int64_t pair) const {
  if (change_.exponent_error == 0) return change_.frequency_error;
  return change_.frequency_error + std::abs(Exponent(pair).value_or(0)) * change_.exponent_error;
}

void ReduceShort(double angle, Turn* turn) {
  // a - k fl32(2 pi) is a + k (2 pi - fl32(2 pi)) but for whole turns.
  constexpr double kShort = 0x1.921fb54442d18p+2 - 0x1.921fb6p+2;
  const double by = std::rint(angle / 0x1.921fb6p+2) * kShort;
  const double c = turn->cos * std::cos(by) - turn->sin * std::sin(by);
  turn->sin = turn->sin * std::cos(by) + turn->cos * std::sin(by);
  turn->cos = c;
  turn->cos_error = turn->sin_error = 0x1p-51 * std::max(1.0, std::abs(by));
}

void TabulateTurn(const Change& change, Format format, Turn* turn) {
  const Format working = WorkingFormat(format);
  if (change.flush_tables) {
    if (std::abs(turn->cos) < SmallestNormal(working)) turn->cos = 0;
    if (std::abs(turn->sin) < SmallestNormal(working)) turn->sin = 0;
  }
  if (change.ulps == 0 && !change.tables_in) return;
  turn->cos = TableEntry(change, working, turn->cos, &turn->cos_error);
  turn->sin = TableEntry(change, working, turn->sin, &turn->sin_error);
  turn->known_tables = true;
}

Turn Turns::At(int64_t given, int64_t pair) const {
  Turn turn;
  std::optional<int64_t> moved = change_.position ? change_.position(given) : given;
  if (!moved || NotANumber(pair)) {
    turn.cos = turn.sin = std::nan("");
    return turn;
  }
  const int64_t position = *moved;
  const QuickAngle angle = AngleAt(terms_, position, pair);
  turn.cos = angle.cos;
  turn.sin = angle.sin;
  turn.angle = angle.angle;
  turn.D = terms_.QuickErrors(kProfiles, format_, position, pair, angle.angle);
  if (change_.any)
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      // A kernel that is mistaken is granted angles of binary64 where the profile wants exact ones,
      // and the rounding of what it puts in the place of a frequency.
      turn.D[i] += angle.angle * (0x1p-51 + RelativeError(pair));
      if (change_.working_positions && kProfiles[i].angle != AngleForm::kExact)
        turn.D[i] = kInfinity;
      if (Replaces(change_) && kProfiles[i].angle != AngleForm::kExact)
        turn.D[i] += angle.angle * Gamma(2, UnitRoundoff(WorkingFormat(format_)));
    }
  if (change_.angles_in) {
    const double angle =
        RoundToFormat(*change_.angles_in, static_cast<double>(position) * Frequency(pair));
    turn.cos = std::cos(angle);
    turn.sin = std::sin(angle);
    turn.D.fill(0);
  }
  const FrequencyRecipe r = recipe_(pair);
  if (change_.odd_cosine && (r.given == nullptr || change_.ignores_given))
    turn.cos = AngleAt(odd_terms_, position, pair).cos;
  if (change_.float_two_pi) ReduceShort(static_cast<double>(position) * Frequency(pair), &turn);
  if (change_.taylor_degree > 0 && turn.angle > 40) {
    const double a = std::copysign(turn.angle, static_cast<double>(position) * Frequency(pair));
    double term = a, sum = a, size = turn.angle;
    for (int n = 3; n <= change_.taylor_degree; n += 2) {
      term *= -a * a / (n * (n - 1));
      sum += term;
      size += std::abs(term);
    }
    turn.sin = RoundToFormat(WorkingFormat(format_), sum);
    if (std::isinf(turn.sin)) return turn;
    turn.sin = sum;
    const double roundings = 3 * change_.taylor_degree;
    turn.sin_error = size * Gamma(roundings, UnitRoundoff(WorkingFormat(format_))) +
                     size / turn.angle * change_.taylor_degree * turn.D[kAngle];
  }
  TabulateTurn(change_, format_, &turn);
  return turn;
}

double FactorRounding(Format format, double value) {
  return 2 * UnitRoundoff(WorkingFormat(format)) * std::abs(value) +
         ExactPowerOfTwo(EtaExponent(format));
}

Prediction Stored(const Change& change, Format format, double value, double radius,
                  const PerProfile& bound, const PerProfile& narrow) {
  if (change.factor != 1) {
    Change stored = change;
    stored.factor = 1;
    PerProfile b, n;
    const double more = std::abs(value) * change.factor_error + FactorRounding(format, value);
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      b[i] = std::abs(change.factor) * bound[i] + more;
      n[i] = std::abs(change.factor) * narrow[i] + more;
    }
    radius = std::abs(change.factor) * radius + std::abs(value) * change.factor_error;
    return Stored(stored, format, change.factor * value, radius, b, n);
  }
  Prediction p;
  p.kind = Prediction::kReal;
  p.value = value;
  const bool special = change.store != StoreAs::kNearest && change.store != StoreAs::kTwice;
  // Where a result rounds to infinity; f64: its largest number, as nothing larger can be said here.
  const double largest = LargestFinite(format);
  const double half_step = ExactPowerOfTwo(Traits(format).max_exponent - Traits(format).precision);
  const double threshold = format == Format::kF64 ? largest : largest + half_step;
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    const bool exact = kProfiles[i].correctly_rounded;
    double reach = radius + (exact ? 0 : special ? narrow[i] : bound[i]);
    if (format == Format::kF64) reach += 4 * ExactPowerOfTwo(Traits(format).min_quantum_exponent);
    if (!std::isfinite(reach)) {  // the bound itself overflows
      p.low[i] = -kInfinity;
      p.high[i] = kInfinity;
      continue;
    }
    if (exact || special) {
      p.low[i] = StoreOne(change, format, value - reach);
      p.high[i] = StoreOne(change, format, value + reach);
      continue;
    }
    p.low[i] = value - reach;
    p.high[i] = value + reach;
    if (p.high[i] >= threshold) p.high[i] = kInfinity;
    if (p.low[i] <= -threshold) p.low[i] = -kInfinity;
  }
  return p;
}

Prediction NonFinite(const Change& change, Format format, double v) {
  Prediction p;
  p.kind = Prediction::kNonFinite;
  p.value = v;
  const double largest = LargestFinite(format);
  const auto becomes = [&](double number) {
    p.kind = Prediction::kReal;
    p.value = number;
    p.low.fill(number);
    p.high.fill(number);
  };
  const bool caps = change.store == StoreAs::kCapped || change.store == StoreAs::kClamped;
  if (std::isinf(v) && caps) becomes(std::copysign(largest, v));
  if (!std::isnan(v)) return p;
  if (change.nan == NanAs::kZero) becomes(0);
  if (change.nan == NanAs::kLowest) becomes(-largest);
  if (change.nan == NanAs::kLargest) becomes(largest);
  if (change.nan == NanAs::kAnyNumber) p.kind = Prediction::kFinite;
  return p;
}

bool InTail(const Change& change, int64_t column, int64_t width, bool has_input) {
  const int lanes = change.tail_lanes;
  if (change.tail == Fill::kInput && !has_input) return false;
  return lanes > 0 && column >= width / lanes * lanes;
}

Prediction Unwritten(Fill fill, DType dtype, std::optional<uint64_t> input) {
  Prediction p;
  p.kind = Prediction::kBits;
  const int bits = static_cast<int>(8 * SizeOf(dtype));
  switch (fill) {
    case Fill::kInput:
      if (input) {
        p.bits = *input;
        return p;
      }
      break;
    case Fill::kZero:
      return p;
    case Fill::kOnes:
      p.bits = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
      return p;
    case Fill::kDefaultNan:
    case Fill::kWritten:
      break;
  }
  p.kind = Prediction::kAny;
  return p;
}

double TableEntry(const Change& change, Format format, double entry, double* uncertain) {
  const Format stored = change.tables_in.value_or(format);
  entry = RoundToFormat(stored, entry);
  // Which way a zero moves is anyone's guess.
  if (entry == 0) *uncertain += change.ulps * ExactPowerOfTwo(Traits(stored).min_quantum_exponent);
  for (int step = 0; step < change.ulps && entry != 0; ++step) entry = NextUp(stored, entry);
  return entry;
}

double Read(const Change& change, Format format, uint64_t bits) {
  const double v = DecodeBits(format, bits);
  if (change.nan_as_zero && std::isnan(v)) return 0;
  if (change.flush_inputs && std::abs(v) < SmallestNormal(format)) return 0;
  return v;
}

}  // namespace gnomon::oracle
