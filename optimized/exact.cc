#include "gnomon/optimized/exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "gnomon/optimized/exact_angle.h"

namespace gnomon::optimized {
namespace {

// Fixed point: an integer n stands for n 2^-bits. "Units" below are 2^-bits.

constexpr int64_t kMostBits = 8192;  // beyond, a number is taken for the boundary it is so near to

// floor(2^bits arctan(1 / k)) within 2 units a term, alternating series.
cpp_int ArctanOfInverse(int k, int64_t bits) {
  cpp_int power = (cpp_int(1) << static_cast<unsigned>(bits)) / k;
  cpp_int sum = power;
  for (int n = 3; !power.is_zero(); n += 2) {
    power /= k * k;
    const cpp_int term = power / n;
    n % 4 == 3 ? sum -= term : sum += term;
  }
  return sum;
}

}  // namespace

// Machin 1706. 32 guard bits: fewer than 2^20 terms, each off by at most 2 of the guard's units,
// times 20.
cpp_int PiInUnits(int64_t bits) {
  thread_local int64_t known_bits = 0;
  thread_local cpp_int known;
  if (bits > known_bits) {
    known_bits = 2 * bits;
    const int64_t guarded = known_bits + 32;
    known = (16 * ArctanOfInverse(5, guarded) - 4 * ArctanOfInverse(239, guarded)) >> 32;
  }
  return known >> static_cast<unsigned>(known_bits - bits);
}

namespace {

// 2 artanh(p / q) for |p / q| <= 1/3, within 8 bits units: the series loses 2 units a term at most.
cpp_int TwiceArtanh(const cpp_int& p, const cpp_int& q, int64_t bits) {
  cpp_int power = (abs(p) << static_cast<unsigned>(bits)) / q;
  const cpp_int square = (power * power) >> static_cast<unsigned>(bits);
  cpp_int sum = power;
  for (int n = 3; !power.is_zero(); n += 2) {
    power = (power * square) >> static_cast<unsigned>(bits);
    sum += power / n;
  }
  return p < 0 ? cpp_int(-2 * sum) : cpp_int(2 * sum);
}

}  // namespace

cpp_rational ToRational(const Number& number) {
  cpp_int numerator = 0, denominator = 1;
  int64_t exponent = 0;
  bool negative = number.value < 0;
  if (number.decimal.empty()) {
    int binary = 0;
    const double fraction = std::frexp(std::fabs(number.value), &binary);
    numerator = static_cast<uint64_t>(std::ldexp(fraction, 53));
    exponent = binary - 53;
    (exponent >= 0 ? numerator : denominator) <<= static_cast<unsigned>(std::abs(exponent));
  } else {
    const std::string& text = number.decimal;
    negative = text[0] == '-';
    bool point = false;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '.') point = true;
      if (text[i] >= '0' && text[i] <= '9') {
        numerator = numerator * 10 + (text[i] - '0');
        exponent -= point;
      }
      if (text[i] == 'e' || text[i] == 'E') {
        exponent += std::strtol(text.c_str() + i + 1, nullptr, 10);
        break;
      }
    }
    (exponent >= 0 ? numerator : denominator) *=
        boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(std::abs(exponent)));
  }
  return cpp_rational(negative ? cpp_int(-numerator) : numerator, denominator);
}

// ln base = exponent ln 2 + 2 artanh((g - 1) / (g + 1)), base = 2^exponent g, 1/2 < g < 2.
struct ExactFrequency::Base {
  static constexpr int64_t kReadyBits = 512;

  explicit Base(const cpp_rational& number)
      : numerator(boost::multiprecision::numerator(number)),
        denominator(boost::multiprecision::denominator(number)),
        exponent(BitLength(numerator) - BitLength(denominator)),
        ready_log(LogSeries(kReadyBits, ReadyLog2())) {}
  // One that was asked for lately is kept: plans, and what they are made of, share their bases.
  static std::shared_ptr<const Base> Of(const cpp_rational& number) {
    constexpr size_t kKept = 16;
    thread_local std::array<std::pair<cpp_rational, std::shared_ptr<const Base>>, kKept> kept;
    thread_local size_t next = 0;
    for (const auto& [known, base] : kept)
      if (base != nullptr && known == number) return base;
    kept[next] = {number, std::make_shared<const Base>(number)};
    const std::shared_ptr<const Base> made = kept[next].second;
    next = (next + 1) % kKept;
    return made;
  }
  static const cpp_int& ReadyLog2() {
    static const cpp_int log2 = Log2Series(kReadyBits);
    return log2;
  }
  static cpp_int Log2Series(int64_t bits) { return TwiceArtanh(1, 3, bits); }
  // Of at most kReadyBits: what is ready, cut off.
  cpp_int Log(int64_t bits) const {
    if (bits <= kReadyBits) return ready_log >> static_cast<unsigned>(kReadyBits - bits);
    return LogSeries(bits, Log2Series(bits));
  }
  cpp_int LogSeries(int64_t bits, const cpp_int& log2) const {
    const cpp_int n = ShiftLeft(numerator, std::max<int64_t>(-exponent, 0));
    const cpp_int d = ShiftLeft(denominator, std::max<int64_t>(exponent, 0));
    return exponent * log2 + TwiceArtanh(n - d, n + d, bits);
  }
  bool one() const { return numerator == denominator; }

  cpp_int numerator, denominator;
  int64_t exponent;
  cpp_int ready_log;
};

// 64 guard bits: |exponent| < 2^16, and the series are within 8 bits units each.
Between LogBetween(const cpp_rational& r, int64_t bits) {
  const int64_t guarded = bits + 64;
  const cpp_int log = ExactFrequency::Base::Of(r)->Log(guarded);
  const cpp_int error = cpp_int(1) << 62, scale = cpp_int(1) << static_cast<unsigned>(guarded);
  return {cpp_rational(log - error, scale), cpp_rational(log + error, scale)};
}

Between PiBetween(int64_t bits) {
  const cpp_int pi = PiInUnits(bits + 1), scale = cpp_int(1) << static_cast<unsigned>(bits + 1);
  return {cpp_rational(pi - 1, scale), cpp_rational(pi + 1, scale)};
}

void ExactFrequency::SetLog2() {
  const Enclosure rough = Magnitude(8);
  log2_ = BitLength(rough.low) + rough.exponent;
}

ExactFrequency ExactFrequency::Given(const Number& number) { return Rational(ToRational(number)); }

ExactFrequency ExactFrequency::Rational(const cpp_rational& value) {
  ExactFrequency w;
  w.value_ = abs(value);
  w.sign_ = value.sign();
  if (w.sign_ != 0)
    w.log2_ = BitLength(cpp_int(numerator(w.value_))) - BitLength(cpp_int(denominator(w.value_)));
  return w;
}

std::vector<ExactFrequency> ExactFrequency::Powers(const Number& base,
                                                   const std::vector<int64_t>& numerators,
                                                   int64_t denominator) {
  const auto shared = Base::Of(ToRational(base));
  std::vector<ExactFrequency> all;
  for (int64_t numerator : numerators) {
    ExactFrequency w;
    const int64_t common = std::gcd(numerator, denominator);
    w.sign_ = 1;
    w.powers_.push_back({shared, numerator / common, denominator / common});
    w.SetLog2();
    all.push_back(std::move(w));
  }
  return all;
}

ExactFrequency ExactFrequency::Computed(std::function<Between(int64_t bits)> enclose) {
  ExactFrequency w;
  w.sign_ = 1;
  w.enclose_ = std::move(enclose);
  w.SetLog2();
  return w;
}

ExactFrequency ExactFrequency::Times(const cpp_rational& factor) const {
  ExactFrequency w = *this;
  w.value_ *= factor;
  w.SetLog2();
  return w;
}
ExactFrequency ExactFrequency::TimesPower(const cpp_rational& base, int64_t numerator,
                                          int64_t denominator) const {
  ExactFrequency w = *this;
  const int64_t common = std::gcd(numerator, denominator);
  w.powers_.push_back({Base::Of(base), numerator / common, denominator / common});
  w.SetLog2();
  return w;
}

namespace {

// Of a rational number: at least `bits` bits.
Enclosure Divide(const cpp_int& numerator, const cpp_int& denominator, int64_t bits) {
  const int64_t shift = bits + 1 - BitLength(numerator) + BitLength(denominator);
  const cpp_int n = ShiftLeft(numerator, std::max<int64_t>(shift, 0));
  const cpp_int d = ShiftLeft(denominator, std::max<int64_t>(-shift, 0));
  cpp_int quotient, remainder;
  divide_qr(n, d, quotient, remainder);
  return {quotient, remainder.is_zero() ? quotient : cpp_int(quotient + 1), -shift};
}

}  // namespace

Enclosure ExactFrequency::Magnitude(int64_t bits) const {
  if (enclose_) {
    for (int64_t more = bits + 32;; more *= 2) {
      const Between v = enclose_(more);
      if (v.low <= 0) continue;
      const Enclosure low = Divide(cpp_int(numerator(v.low)), cpp_int(denominator(v.low)), bits);
      // Floor of the upper end in the same units, and one more.
      const cpp_int n = ShiftLeft(cpp_int(numerator(v.high)), std::max<int64_t>(-low.exponent, 0));
      const cpp_int d = ShiftLeft(cpp_int(denominator(v.high)), std::max<int64_t>(low.exponent, 0));
      const cpp_int high = n / d + 1;
      if (high - low.low <= 3) return {low.low, high, low.exponent};
    }
  }
  const cpp_int n = cpp_int(numerator(value_)), d = cpp_int(denominator(value_));
  if (powers_.empty()) return Divide(n, d, bits);
  if (n == d) return PowerMagnitude(bits);
  // Eight bits more, and both ends times the factor: at most 2^-6 of a unit apart, then cut.
  const Enclosure power = PowerMagnitude(bits + 8);
  const Enclosure low = Divide(cpp_int(power.low * n), d, bits);
  if (power.low == power.high) return {low.low, low.high, low.exponent + power.exponent};
  const cpp_int top = ShiftLeft(cpp_int(power.high * n), std::max<int64_t>(-low.exponent, 0));
  const cpp_int under = ShiftLeft(d, std::max<int64_t>(low.exponent, 0));
  return {low.low, cpp_int(top / under + 1), low.exponent + power.exponent};
}

Enclosure ExactFrequency::PowerMagnitude(int64_t bits) const {
  if (std::all_of(powers_.begin(), powers_.end(),
                  [](const Power& p) { return p.numerator == 0 || p.base->one(); }))
    return {cpp_int(1) << static_cast<unsigned>(bits), cpp_int(1) << static_cast<unsigned>(bits),
            -bits};
  // w = 2^k e^f with f = -(numerator / denominator) ln base - k ln 2 in [0, ln 2), a sum over at
  // most two bases. ln base and ln 2 are within 2^11 8 W units, |k| < 2^13, so f is within 2^30 W
  // units, and below W = 2^18 the 64 guard bits hold the error of e^f with 2^-14 to spare.
  const int64_t W = bits + 64;
  const bool ready = W <= Base::kReadyBits;
  const int64_t bits_at_hand = ready ? Base::kReadyBits : W;
  const cpp_int log2_at_hand = ready ? Base::ReadyLog2() : Base::Log2Series(W);
  cpp_int y = 0;
  for (const Power& p : powers_) {
    const cpp_int log_at_hand = ready ? p.base->ready_log : p.base->LogSeries(W, log2_at_hand);
    y -= (log_at_hand * p.numerator / p.denominator) >> static_cast<unsigned>(bits_at_hand - W);
  }
  const cpp_int log2 = log2_at_hand >> static_cast<unsigned>(bits_at_hand - W);
  int64_t k = static_cast<int64_t>(y / log2);
  if (y < k * log2) --k;
  const cpp_int f = y - k * log2;
  // e^f = (e^(f / 256))^256: the Taylor series loses 2 units a term, the squarings multiply that by
  // 512.
  const cpp_int one = cpp_int(1) << static_cast<unsigned>(W);
  const cpp_int small = f >> 8;
  cpp_int sum = one, term = one;
  for (int n = 1; !term.is_zero(); ++n) {
    term = ((term * small) >> static_cast<unsigned>(W)) / n;
    sum += term;
  }
  for (int i = 0; i < 8; ++i) sum = (sum * sum) >> static_cast<unsigned>(W);
  const cpp_int low = (sum >> 62) - 1;
  return {low, low + 3, k - W + 62};
}

namespace {

// Is the product of integers n >= 1 to rational powers 1? They are split until they are coprime;
// then it is where every exponent is 0.
bool IsOne(std::vector<std::pair<cpp_int, cpp_rational>> left) {
  std::vector<std::pair<cpp_int, cpp_rational>> coprime;
  while (!left.empty()) {
    auto [n, e] = left.back();
    left.pop_back();
    if (n == 1 || e == 0) continue;
    bool split = false;
    for (size_t k = 0; k < coprime.size() && !split; ++k) {
      const cpp_int common = gcd(n, coprime[k].first);
      if (common == 1) continue;
      const auto [m, f] = coprime[k];
      coprime.erase(coprime.begin() + static_cast<std::ptrdiff_t>(k));
      left.emplace_back(common, e + f);
      left.emplace_back(cpp_int(n / common), e);
      left.emplace_back(cpp_int(m / common), f);
      split = true;
    }
    if (!split) coprime.emplace_back(n, e);
  }
  return coprime.empty();
}

}  // namespace

// Is |w| exactly n 2^exponent?
bool ExactFrequency::IsExactly(const cpp_int& n, int64_t exponent) const {
  std::vector<std::pair<cpp_int, cpp_rational>> product = {
      {n, cpp_rational(1)},
      {cpp_int(2), cpp_rational(exponent)},
      {cpp_int(numerator(value_)), cpp_rational(-1)},
      {cpp_int(denominator(value_)), cpp_rational(1)}};
  for (const Power& p : powers_) {
    const cpp_rational e(p.numerator, p.denominator);
    product.emplace_back(p.base->numerator, e);
    product.emplace_back(p.base->denominator, -e);
  }
  return IsOne(std::move(product));
}

uint64_t ExactFrequency::Round(Format format) const {
  if (sign_ == 0) return 0;
  const uint64_t sign = sign_ < 0 ? SignBit(format) : 0;
  const FormatTraits& t = Traits(format);
  for (int64_t bits = 128;; bits *= 2) {
    const Enclosure w = Magnitude(bits);
    if (powers_.empty() && !enclose_)
      return sign | RoundMagnitude(w.low, w.exponent, w.low != w.high, format);
    const uint64_t low = RoundMagnitude(w.low, w.exponent, false, format);
    const uint64_t high = RoundMagnitude(w.high, w.exponent, false, format);
    if (low == high) return sign | low;
    // The boundary between the two neighbours: 2 low + 1 halves of their distance.
    const uint64_t fraction = low & ((uint64_t{1} << (t.precision - 1)) - 1);
    const int64_t field = static_cast<int64_t>(low >> (t.precision - 1));
    const cpp_int kept = fraction | (field ? uint64_t{1} << (t.precision - 1) : 0);
    const int64_t quantum = t.min_quantum_exponent + std::max<int64_t>(field - 1, 0);
    // A computed number is no such boundary, but for magnitudes that turn out rational (SCALE-9).
    if (enclose_ ? bits > kMostBits : IsExactly(2 * kept + 1, quantum - 1))
      return sign | (low & 1 ? high : low);
  }
}

namespace {

// Enclosures of |cos a| and |sin a| in units of 2^-bits, and the signs, for a = m w, m > 0.
struct Circle {
  cpp_int cos_low, cos_high, sin_low, sin_high;
  bool cos_negative = false, sin_negative = false;
};

// Of |a| from low to high units. Empty where the precision cannot tell the quadrant.
std::optional<Circle> EncloseCircle(cpp_int low, cpp_int high, bool negative, int64_t bits) {
  // a = k pi/2 + r. More bits of pi than k has, so k pi/2 is within 2 units.
  const int64_t extra = std::max<int64_t>(BitLength(high) - bits, 0) + 8;
  const cpp_int half_pi =
      PiInUnits(bits + extra - 1);  // pi 2^(bits + extra - 1): pi/2 in units of 2^-(bits + extra)
  const cpp_int k = (low << static_cast<unsigned>(extra)) / half_pi;
  if (!k.is_zero()) {
    const cpp_int turned = (k * half_pi) >> static_cast<unsigned>(extra);
    low -= turned + 2;
    high -= turned - 2;
    if (low < 0) return std::nullopt;
  }
  if (high + 2 >= (half_pi >> static_cast<unsigned>(extra))) return std::nullopt;
  // Taylor at low, in [0, pi/2). Each term is cut twice and inherits less than its predecessor's
  // error, so a sum of n terms is within 3 n units; the derivative is at most 1.
  const cpp_int square = (low * low) >> static_cast<unsigned>(bits);
  cpp_int term = cpp_int(1) << static_cast<unsigned>(bits), cosine = term, sine = low, odd = low;
  int terms = 4;
  for (int n = 2; !term.is_zero() || !odd.is_zero(); n += 2, ++terms) {
    term = ((term * square) >> static_cast<unsigned>(bits)) / (n * (n - 1));
    odd = ((odd * square) >> static_cast<unsigned>(bits)) / (n * (n + 1));
    n % 4 == 2 ? cosine -= term : cosine += term;
    n % 4 == 2 ? sine -= odd : sine += odd;
  }
  const cpp_int error = (high - low) + 3 * terms;
  const cpp_int one = cpp_int(1) << static_cast<unsigned>(bits);
  const auto clamp = [&one](const cpp_int& v) { return v < 0 ? cpp_int(0) : v > one ? one : v; };
  Circle c{clamp(cosine - error), clamp(cosine + error), clamp(sine - error), clamp(sine + error)};
  const int quadrant = static_cast<int>(k & 3);
  if (quadrant & 1) {
    std::swap(c.cos_low, c.sin_low);
    std::swap(c.cos_high, c.sin_high);
  }
  c.cos_negative = quadrant == 1 || quadrant == 2;
  c.sin_negative = (quadrant >= 2) != negative;
  return c;
}

std::optional<Circle> EncloseCircle(const ExactFrequency& w, int64_t position, int64_t bits) {
  const bool negative = (position < 0) != (w.sign() < 0);
  const int64_t m = std::abs(position);
  // |a| within 2 units: 2^-(bits + 33) of absolute precision before the product with m <= 2^31.
  const Enclosure magnitude = w.Magnitude(std::max<int64_t>(bits + 34 + w.log2(), 8));
  const int64_t shift = magnitude.exponent + bits;
  return EncloseCircle(ShiftLeft(cpp_int(magnitude.low * m), shift),
                       ShiftLeft(cpp_int(magnitude.high * m), shift) + 1, negative, bits);
}

// A real number as integer times 2^exponent.
struct Dyadic {
  cpp_int n;
  int64_t exponent;
};
Dyadic ToDyadic(double v) {
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);
  return {cpp_int(static_cast<int64_t>(std::ldexp(fraction, 53))), exponent - 53};
}

uint64_t RoundSigned(const cpp_int& n, int64_t exponent, Format format) {
  return RoundMagnitude(cpp_int(abs(n)), exponent, false, format) | (n < 0 ? SignBit(format) : 0);
}

PairBits RoundDoubles(double first, double second, Format format) {
  return {EncodeBits(format, RoundToFormat(format, first)),
          EncodeBits(format, RoundToFormat(format, second))};
}

// ROPE-7. Only the signs of c and s matter once an input is not finite.
PairBits RotateNonFinite(double c, double s, double x0, double x1, Format format) {
  const double nan = std::nan("");
  if (std::isnan(c) || std::isnan(s) || std::isnan(x0) || std::isnan(x1))
    return RoundDoubles(nan, nan, format);
  // A factor of size 1 keeps the sign, the zero and the infinity of every product, and cannot
  // overflow.
  const auto unit = [](double v) { return std::isinf(v) || v == 0 ? v : std::copysign(1.0, v); };
  const double a = unit(x0), b = unit(x1), C = unit(c), S = unit(s);
  return RoundDoubles(a * C - b * S, a * S + b * C, format);
}

template <class Enclose>
PairBits RoundCircle(const Enclose& enclose, Format format) {
  for (int64_t bits = 256;; bits *= 2) {
    const std::optional<Circle> c = enclose(bits);
    if (!c) continue;
    const uint64_t cosine = RoundMagnitude(c->cos_low, -bits, false, format);
    const uint64_t sine = RoundMagnitude(c->sin_low, -bits, false, format);
    if (cosine != RoundMagnitude(c->cos_high, -bits, false, format)) continue;
    if (sine != RoundMagnitude(c->sin_high, -bits, false, format)) continue;
    return {cosine | (c->cos_negative ? SignBit(format) : 0),
            sine | (c->sin_negative ? SignBit(format) : 0)};
  }
}

}  // namespace

PairBits RoundCosSin(const ExactFrequency& w, int64_t position, Format format) {
  const uint64_t one = EncodeBits(format, 1.0);
  if (position == 0 || w.sign() == 0) return {one, 0};
  const bool negative = (position < 0) != (w.sign() < 0);
  // |sin a| < |a| < 2^(log2 + 1) |m|: at most half the smallest subnormal rounds to zero.
  const int64_t size = w.log2() + 1 + BitLength(static_cast<uint128_t>(std::abs(position)));
  if (size <= Traits(format).min_quantum_exponent - 1) return {one, negative ? SignBit(format) : 0};
  return RoundCircle([&](int64_t bits) { return EncloseCircle(w, position, bits); }, format);
}

PairBits RoundCosSin(const AngleSize& size, bool negative, int64_t log2, Format format) {
  if (log2 <= Traits(format).min_quantum_exponent - 1)
    return {EncodeBits(format, 1.0), negative ? SignBit(format) : 0};
  return RoundCircle(
      [&](int64_t bits) {
        const auto [low, high] = size(bits);
        return EncloseCircle(low, high, negative, bits);
      },
      format);
}

namespace {

PairBits RotateTimes(const ExactFrequency& w, int64_t position, double x0, double x1, Format format,
                     const ExactFrequency* t) {
  if (!std::isfinite(x0) || !std::isfinite(x1)) {
    const PairBits signs = RoundCosSin(w, position, Format::kF32);
    const bool turned = position != 0 && w.sign() != 0;
    const double c = DecodeBits(Format::kF32, signs.first),
                 s = DecodeBits(Format::kF32, signs.second);
    return RotateNonFinite(std::copysign(1.0, c), turned ? std::copysign(1.0, s) : 0.0, x0, x1,
                           format);
  }
  const bool still = position == 0 || w.sign() == 0;
  if ((still && t == nullptr) || (x0 == 0 && x1 == 0)) return RoundDoubles(x0, x1, format);
  Dyadic a = ToDyadic(x0), b = ToDyadic(x1);
  if (x0 == 0) a.exponent = b.exponent;
  if (x1 == 0) b.exponent = a.exponent;
  const int64_t exponent = std::min(a.exponent, b.exponent);
  a.n = ShiftLeft(a.n, a.exponent - exponent);
  b.n = ShiftLeft(b.n, b.exponent - exponent);
  for (int64_t bits = 256;; bits *= 2) {
    const cpp_int one = cpp_int(1) << static_cast<unsigned>(bits);
    auto circle =
        still ? Circle{one, one, cpp_int(0), cpp_int(0)} : EncloseCircle(w, position, bits);
    if (!circle) continue;
    int64_t unit = exponent - bits;
    if (t != nullptr) {
      const Enclosure by = t->Magnitude(bits);
      circle->cos_low *= by.low, circle->cos_high *= by.high;
      circle->sin_low *= by.low, circle->sin_high *= by.high;
      unit += by.exponent;
    }
    // factor times [low, high], with the factor's sign and the function's.
    const auto product = [](const cpp_int& factor, const cpp_int& low, const cpp_int& high,
                            bool negative) {
      std::pair<cpp_int, cpp_int> p{factor * low, factor * high};
      if (factor < 0) std::swap(p.first, p.second);
      return negative ? std::pair<cpp_int, cpp_int>{-p.second, -p.first} : p;
    };
    const auto ac = product(a.n, circle->cos_low, circle->cos_high, circle->cos_negative);
    const auto as = product(a.n, circle->sin_low, circle->sin_high, circle->sin_negative);
    const auto bc = product(b.n, circle->cos_low, circle->cos_high, circle->cos_negative);
    const auto bs = product(-b.n, circle->sin_low, circle->sin_high, circle->sin_negative);
    PairBits result;
    // The value is not 0, so an enclosure that ends at 0 still has a sign.
    const auto decide = [&](const cpp_int& low, const cpp_int& high, uint64_t* into) {
      if (low < 0 && high > 0) return false;
      const uint64_t sign = low < 0 ? SignBit(format) : 0;
      *into = RoundMagnitude(cpp_int(abs(low)), unit, false, format) | sign;
      const uint64_t other = RoundMagnitude(cpp_int(abs(high)), unit, false, format) | sign;
      if (*into != other && bits > kMostBits) *into = *into & 1 ? other : *into;  // a tie
      return *into == other || bits > kMostBits;
    };
    if (decide(ac.first + bs.first, ac.second + bs.second, &result.first) &&
        decide(as.first + bc.first, as.second + bc.second, &result.second))
      return result;
  }
}

}  // namespace

PairBits RoundRotation(const ExactFrequency& w, int64_t position, double x0, double x1,
                       Format format) {
  return RotateTimes(w, position, x0, x1, format, nullptr);
}
PairBits RoundRotation(const ExactFrequency& w, int64_t position, double x0, double x1,
                       Format format, const ExactFrequency& t) {
  return RotateTimes(w, position, x0, x1, format, &t);
}

PairBits RoundRotation(double c, double s, double x0, double x1, Format format) {
  if (!std::isfinite(c) || !std::isfinite(s) || !std::isfinite(x0) || !std::isfinite(x1))
    return RotateNonFinite(c, s, x0, x1, format);
  const auto sum = [format](double p, double q, double r, double t, int sign) {  // p q + sign r t
    const Dyadic P = ToDyadic(p), Q = ToDyadic(q), R = ToDyadic(r), T = ToDyadic(t);
    const cpp_int left = P.n * Q.n, right = sign * R.n * T.n;
    const int64_t le = P.exponent + Q.exponent, re = R.exponent + T.exponent, e = std::min(le, re);
    return RoundSigned(ShiftLeft(left, le - e) + ShiftLeft(right, re - e), e, format);
  };
  return {sum(x0, c, x1, s, -1), sum(x0, s, x1, c, 1)};
}

}  // namespace gnomon::optimized
