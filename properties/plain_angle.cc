#include "gnomon/properties/plain_angle.h"

#include <mpfr.h>

#include <bit>
#include <cmath>

namespace gnomon::properties {
namespace {

// Beyond this angle 64 bits of a frequency are too few for `standard`.
constexpr long double kLongDoubleReach = 65536;

long double ExactFrequency(const PlainFrequency& f) {
  if (f.given != nullptr) return f.given->value;
  return std::pow(static_cast<long double>(f.base.value),
                  -static_cast<long double>(f.numerator) / static_cast<long double>(f.denominator));
}

bool IsDecimal(const PlainFrequency& f) {
  return !(f.given != nullptr ? *f.given : f.base).decimal.empty();
}

PlainTurn WithManyBits(const PlainFrequency& f, int64_t position) {
  constexpr mpfr_prec_t kBits = 320;
  mpfr_t w, e, s;
  mpfr_inits2(kBits, w, e, s, static_cast<mpfr_ptr>(nullptr));
  const Number& number = f.given != nullptr ? *f.given : f.base;
  if (number.decimal.empty()) {
    mpfr_set_d(w, number.value, MPFR_RNDN);
  } else {
    mpfr_set_str(w, number.decimal.c_str(), 10, MPFR_RNDN);
  }
  if (f.given == nullptr) {
    mpfr_set_si(e, -f.numerator, MPFR_RNDN);
    mpfr_div_si(e, e, f.denominator, MPFR_RNDN);
    mpfr_pow(w, w, e, MPFR_RNDN);
  }
  mpfr_mul_si(w, w, position, MPFR_RNDN);
  mpfr_sin_cos(s, e, w, MPFR_RNDN);
  const PlainTurn turn{mpfr_get_d(e, MPFR_RNDN), mpfr_get_d(s, MPFR_RNDN)};
  mpfr_clears(w, e, s, static_cast<mpfr_ptr>(nullptr));
  return turn;
}

PlainTurn ExactTurn(const PlainFrequency& f, int64_t position) {
  const long double angle = static_cast<long double>(position) * ExactFrequency(f);
  if (IsDecimal(f) || !(std::fabs(angle) < kLongDoubleReach)) return WithManyBits(f, position);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

// The sine and the cosine of a pair are asked for one after the other, and by every row again.
PlainTurn KnownTurn(const PlainFrequency& f, int64_t position) {
  struct Known {
    Number number;
    bool given = false;
    int64_t numerator = 0, denominator = 0, position = 0;  // no denominator: nothing is known
    PlainTurn turn;
  };
  constexpr size_t kKnown = 4096;
  thread_local std::vector<Known> all(kKnown);
  const Number& number = f.given != nullptr ? *f.given : f.base;
  const bool given = f.given != nullptr;
  const auto mix = [](uint64_t hash, int64_t v) {
    return (hash ^ static_cast<uint64_t>(v)) * 0x9e3779b97f4a7c15u;
  };
  const uint64_t hash = mix(mix(mix(mix(0, position), f.numerator), f.denominator),
                            std::bit_cast<int64_t>(number.value));
  Known& known = all[hash >> 52];
  const bool same = std::bit_cast<uint64_t>(known.number.value) ==
                        std::bit_cast<uint64_t>(number.value) &&  // -0 is another frequency
                    known.number.decimal == number.decimal &&
                    known.given == given && known.numerator == f.numerator &&
                    known.denominator == f.denominator && known.position == position;
  if (!same) known = {number, given, f.numerator, f.denominator, position, ExactTurn(f, position)};
  return known.turn;
}

float FlushedIf(bool flushes, float v) {
  return flushes ? static_cast<float>(Flushed(Format::kF32, v)) : v;
}

float WorkingFrequency(AngleForm form, const PlainFrequency& f) {
  if (f.given != nullptr) return FlushedIf(f.flushes, static_cast<float>(f.given->value));
  const float base = static_cast<float>(f.base.value);
  if (form == AngleForm::kExp) {
    const float step =
        static_cast<float>(std::log(f.base.value) / static_cast<double>(f.denominator));
    return std::exp(-static_cast<float>(f.numerator) * step);
  }
  const float e = static_cast<float>(f.numerator) / static_cast<float>(f.denominator);
  return f.negative_exponent ? std::pow(base, -e) : 1.0f / std::pow(base, e);
}

}  // namespace

double ReadPast(const Tensor& tensor, const std::byte* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(tensor.storage().data());
  const size_t size = static_cast<size_t>(SizeOf(tensor.dtype()));
  if (at < first || at + size > first + tensor.storage().size()) return 0;
  return ValueOf(tensor.dtype(), LoadBits(tensor.dtype(), address));
}

double Flushed(Format format, double v) {
  return std::abs(v) < std::ldexp(1.0, 1 - Traits(format).max_exponent) ? std::copysign(0.0, v) : v;
}

double FrequencyAs(AngleForm form, const PlainFrequency& f) {
  if (form == AngleForm::kExact) return static_cast<double>(ExactFrequency(f));
  return WorkingFrequency(form, f);
}

PlainTurn TurnAs(AngleForm form, const PlainFrequency& f, int64_t position) {
  if (form == AngleForm::kExact) return KnownTurn(f, position);
  float angle;
  if (form == AngleForm::kChained && f.given == nullptr && f.pair > 0) {
    const float step = static_cast<float>(f.numerator / f.pair) / static_cast<float>(f.denominator);
    const float scale = std::pow(static_cast<float>(f.base.value), -step);
    angle = static_cast<float>(position);
    for (int64_t i = 0; i < f.pair; ++i) angle *= scale;
  } else {
    angle = static_cast<float>(position) * WorkingFrequency(form, f);
  }
  angle = FlushedIf(f.flushes, angle);
  return {std::cos(static_cast<double>(angle)), std::sin(static_cast<double>(angle))};
}

PlainTurn TurnOfSum(const std::vector<std::pair<int64_t, double>>& terms) {
  constexpr mpfr_prec_t kBits = 512;  // numbers of float32 lie 2^277 apart at most
  mpfr_t sum, term, s;
  mpfr_inits2(kBits, sum, term, s, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_zero(sum, 1);
  for (const auto& [position, frequency] : terms) {
    mpfr_set_d(term, frequency, MPFR_RNDN);
    mpfr_mul_si(term, term, position, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  mpfr_sin_cos(s, term, sum, MPFR_RNDN);
  const PlainTurn turn{mpfr_get_d(term, MPFR_RNDN), mpfr_get_d(s, MPFR_RNDN)};
  mpfr_clears(sum, term, s, static_cast<mpfr_ptr>(nullptr));
  return turn;
}

uint64_t StoredBits(Format format, double value, StoreMistake mistake) {
  switch (mistake) {
    case StoreMistake::kNone:
      break;
    case StoreMistake::kTruncates:
      if (format == Format::kBf16)
        return EncodeBits(Format::kF32, RoundToFormat(Format::kF32, value)) >> 16;
      break;
    case StoreMistake::kRoundsTwice:
      value = static_cast<float>(value);
      break;
    case StoreMistake::kSaturates:
      if (std::abs(value) > LargestFinite(format) && std::isfinite(value))
        value = std::copysign(LargestFinite(format), value);
      break;
    case StoreMistake::kFlushes:
      value = Flushed(format, value);
      break;
    case StoreMistake::kCapsInfinity:
      if (std::isinf(value)) value = std::copysign(LargestFinite(format), value);
      break;
    case StoreMistake::kClamps:
      value = std::fmin(std::fmax(value, -LargestFinite(format)), LargestFinite(format));
      break;
    case StoreMistake::kZeroesNan:
      if (std::isnan(value)) value = 0;
      break;
  }
  return EncodeBits(format, RoundToFormat(format, value));
}

}  // namespace gnomon::properties
