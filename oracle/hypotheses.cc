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

double SmallestNormal(Format format) { return ExactPowerOfTwo(1 - Traits(format).max_exponent); }

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
      turn.D[i] += angle.angle * 0x1p-51;
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
  if (change.store == StoreAs::kCapped && std::isinf(v)) {
    p.kind = Prediction::kReal;
    p.value = std::copysign(LargestFinite(format), v);
    p.low.fill(p.value);
    p.high.fill(p.value);
  }
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

namespace {

SharedHypothesis Formula(const std::string& id, const std::string& text,
                         std::function<void(Change*)> make, bool convention = false,
                         Concerns concerns = Concerns::kAngles) {
  return {{id, text, false, convention},
          [make](const Number*, Change* change) {
            make(change);
            return true;
          },
          concerns};
}

SharedHypothesis Storage(const std::string& id, const std::string& text,
                         std::function<void(Change*)> make) {
  return Formula(id, text, make, false, Concerns::kStorage);
}

SharedHypothesis Position(const std::string& id, const std::string& text, bool state,
                          std::function<std::optional<int64_t>(int64_t)> position) {
  return {{id, text, state, false},
          [position](const Number*, Change* change) {
            change->position = position;
            return true;
          },
          Concerns::kPositions};
}

SharedHypothesis Base(double value) {
  const std::string name = ToText(Number(value));
  return {{"base/" + name, "frequencies of base " + name + ", whatever the case says", false, true},
          [value](const Number* base, Change* change) {
            if (base == nullptr || *base == Number(value)) return false;
            change->base = Number(value);
            return true;
          },
          Concerns::kAngles};
}

std::function<std::optional<int64_t>(int64_t)> RoundedPosition(Format format, bool saturates) {
  return [=](int64_t p) -> std::optional<int64_t> {
    double v = RoundToFormat(format, static_cast<double>(p));
    if (saturates) v = std::clamp(v, -LargestFinite(format), LargestFinite(format));
    if (std::isinf(v)) return std::nullopt;
    return static_cast<int64_t>(v);
  };
}

std::vector<SharedHypothesis> MakeShared() {
  std::vector<SharedHypothesis> all = {
      Formula("exponent-integer-division", "exponent 2i/r in integers, so 0",
              [](Change* c) { c->integer_exponent = true; }),
      Formula("exponent-inverse", "position divided by the frequency",
              [](Change* c) { c->inverse = true; }),
      Formula(
          "exponent-doubled", "twice the exponent", [](Change* c) { c->doubled = true; }, true),
      Formula("exponent-odd-cosine", "cosine with exponent (2i+1)/r",
              [](Change* c) { c->odd_cosine = true; }),
      {{"base/truncated", "the base as an integer", false, false},
       [](const Number* base, Change* change) {
         if (base == nullptr) return false;
         const double floor = std::max(1.0, std::floor(base->value));
         if (base->decimal.empty() && floor == base->value) return false;
         change->base = Number(floor);
         return true;
       },
       Concerns::kAngles},
      {{"base/frequencies-ignored", "base 10000 where frequencies are given", false, false},
       [](const Number* base, Change* change) {
         if (base != nullptr) return false;
         change->ignores_given = true;
         change->base = Number(10000);
         return true;
       },
       Concerns::kAngles},
      Formula("frequencies-bf16", "frequencies rounded to bf16",
              [](Change* c) { c->frequencies_in = Format::kBf16; }),
      Formula("frequencies-f16", "frequencies rounded to f16",
              [](Change* c) { c->frequencies_in = Format::kF16; }),
      Formula("frequencies-bf16/module",
              "frequencies, positions and angles in bf16, as by a module cast to it",
              [](Change* c) {
                c->frequencies_in = c->angles_in = Format::kBf16;
                c->position = RoundedPosition(Format::kBf16, false);
              }),
      Formula("frequencies-f16/module",
              "frequencies, positions and angles in f16, as by a module cast to it",
              [](Change* c) {
                c->frequencies_in = c->angles_in = Format::kF16;
                c->position = RoundedPosition(Format::kF16, false);
              }),
      Formula("negative-position/frequency", "|frequency|",
              [](Change* c) { c->absolute_frequency = true; }),
      Formula("frequency-zero/as-one", "a frequency 0 counts as 1",
              [](Change* c) { c->zero_frequency = 1; }),
      Formula("frequency-zero/period", "a frequency 0 by way of its period, so NaN",
              [](Change* c) { c->zero_frequency = std::nan(""); }),
      Formula("unreduced/float-two-pi", "the angle reduced by a float32 2 pi",
              [](Change* c) { c->float_two_pi = true; }),
      Formula("table-ulp/two", "table entries two ulps up", [](Change* c) { c->ulps = 2; }),
      Formula("table-ulp/one", "table entries one ulp up", [](Change* c) { c->ulps = 1; }),
      Formula("table-ulp/16-bit-tables", "cosines and sines rounded to bf16 on the way",
              [](Change* c) { c->tables_in = Format::kBf16; }),
      Formula("table-ulp/f16-tables", "cosines and sines rounded to f16 on the way",
              [](Change* c) { c->tables_in = Format::kF16; }),
      Storage("subnormals-flushed/result", "subnormal results become 0",
              [](Change* c) { c->store = StoreAs::kFlushed; }),
      Storage("subnormals-flushed/input", "subnormal inputs count as 0",
              [](Change* c) { c->flush_inputs = true; }),
      Formula("subnormals-flushed/table", "subnormal table entries count as 0",
              [](Change* c) { c->flush_tables = true; }),
      Storage("nan-lost/as-zero", "NaN inputs count as 0",
              [](Change* c) { c->nan_as_zero = true; }),
      Storage("nan-lost/infinity", "infinite results become the largest number",
              [](Change* c) { c->store = StoreAs::kCapped; }),
      Storage("f16-saturated", "overflow gives the largest number",
              [](Change* c) { c->store = StoreAs::kSaturated; }),
      Storage("bf16-truncated", "bf16 by dropping bits",
              [](Change* c) { c->store = StoreAs::kTruncated; }),
      Storage("bf16-double-rounding", "rounded to f32, then to 16 bits",
              [](Change* c) { c->store = StoreAs::kTwice; }),
      Position("offset", "position + 1", false, [](int64_t p) { return p + 1; }),
      Position("offset/minus-one", "position - 1", false, [](int64_t p) { return p - 1; }),
      Position("offset/padding", "position + 2, as if padded", false,
               [](int64_t p) { return p + 2; }),
      Position("position-factor/none", "position 0 everywhere: nothing turned", false,
               [](int64_t) { return int64_t{0}; }),
      Position("position-factor/twice", "twice the position, as if turned twice", false,
               [](int64_t p) { return 2 * p; }),
      Position("negative-position", "|position|", false, [](int64_t p) { return std::abs(p); }),
      Position("negative-position/unsigned", "positions as unsigned 32-bit numbers", false,
               [](int64_t p) { return static_cast<int64_t>(static_cast<uint32_t>(p)); }),
      Position("positions-bf16", "positions rounded to bf16", false,
               RoundedPosition(Format::kBf16, false)),
      Position("positions-f16", "positions rounded to f16", false,
               RoundedPosition(Format::kF16, false)),
      Position("positions-f16/saturated", "positions rounded to f16, at most 65504", false,
               RoundedPosition(Format::kF16, true)),
      Formula(
          "positions-bf16/f32-exact-promised", "positions rounded to f32",
          [](Change* c) {
            c->position = RoundedPosition(Format::kF32, false);
            c->working_positions = true;
          },
          false, Concerns::kPositions),
  };
  for (const int degree : {3, 5, 7, 9})
    all.push_back(Formula(
        "unreduced/polynomial",
        "sine by a polynomial of degree " + std::to_string(degree) + ", with no range reduction",
        [degree](Change* c) { c->taylor_degree = degree; }));
  for (const double base : {1e4, 5e5, 1e6, 1e5, 2.5e4, 5e4, 1.5e5, 1.6e5, 2e6, 5e6, 8e6, 1e7, 1e8})
    all.push_back(Base(base));
  for (const int factor : {2, 4, 8})
    all.push_back(Formula("base/linear-" + std::to_string(factor),
                          "positions divided by " + std::to_string(factor) + " (linear scaling)",
                          [factor](Change* c) { c->position_factor = Number(1.0 / factor); }));
  for (int64_t rows = 512; rows <= 131072; rows *= 2) {
    const std::string name = std::to_string(rows);
    all.push_back(Position("table-clamp/" + name,
                           "positions past a table of " + name + " rows use its last row", true,
                           [rows](int64_t p) { return std::min(p, rows - 1); }));
    all.push_back(Position("table-wrap/" + name,
                           "positions past a table of " + name + " rows start again", true,
                           [rows](int64_t p) { return p % rows; }));
  }
  for (const int lanes : {4, 8, 16, 32})
    for (const Fill fill : {Fill::kInput, Fill::kZero, Fill::kOnes}) {
      const char* const left = fill == Fill::kInput  ? "left as the input has them"
                               : fill == Fill::kZero ? "left 0"
                                                     : "not written";
      all.push_back(
          {{"tail-vector/" + std::to_string(lanes),
            "what is left of a row after full vectors of " + std::to_string(lanes) + " is " + left,
            true, false},
           [lanes, fill](const Number*, Change* change) {
             change->tail_lanes = lanes;
             change->tail = fill;
             return true;
           },
           Concerns::kStorage});
    }
  // Where the output holds NaN before the call, as it does in the suite, it does so after it.
  all.push_back({{"in-place/adds-to-output", "adds to what the output holds", true, false},
                 [](const Number*, Change* change) {
                   change->tail_lanes = 1 << 30;  // no row is as long: all of it
                   change->tail = Fill::kOnes;
                   return true;
                 },
                 Concerns::kStorage});
  return all;
}

}  // namespace

const std::vector<SharedHypothesis>& SharedHypotheses() {
  static const std::vector<SharedHypothesis> all = MakeShared();
  return all;
}

}  // namespace gnomon::oracle
