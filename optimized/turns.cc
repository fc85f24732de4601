#include "gnomon/optimized/turns.h"

#include <array>
#include <cmath>

namespace gnomon::optimized {
namespace {

uint128_t MultiplyHigh(uint128_t a, uint128_t b) {
  const uint64_t a1 = static_cast<uint64_t>(a >> 64), a0 = static_cast<uint64_t>(a);
  const uint64_t b1 = static_cast<uint64_t>(b >> 64), b0 = static_cast<uint64_t>(b);
  const uint128_t low = static_cast<uint128_t>(a0) * b0;
  const uint128_t middle = static_cast<uint128_t>(a1) * b0 + static_cast<uint64_t>(low >> 64);
  const uint128_t other = static_cast<uint128_t>(a0) * b1 + static_cast<uint64_t>(middle);
  return static_cast<uint128_t>(a1) * b1 + static_cast<uint64_t>(middle >> 64) +
         static_cast<uint64_t>(other >> 64);
}
// In units of 2^-127; rounded down, 2 units at most.
uint128_t MultiplyUnits(uint128_t a, uint128_t b) { return MultiplyHigh(a, b) << 1; }

constexpr uint128_t kOne = static_cast<uint128_t>(1) << 127;
constexpr size_t kTerms = 14;

// 1 / (2k + first)!
constexpr std::array<uint128_t, kTerms> InverseFactorials(int first) {
  std::array<uint128_t, kTerms> all{};
  uint128_t v = kOne;
  for (size_t k = 0; k < kTerms; ++k) {
    if (k > 0) {
      const uint128_t n = 2 * k + static_cast<size_t>(first);
      v /= n * (n - 1);
    }
    all[k] = v;
  }
  return all;
}
constexpr std::array<uint128_t, kTerms> kCosine = InverseFactorials(0);
constexpr std::array<uint128_t, kTerms> kSine = InverseFactorials(1);
constexpr uint128_t kQuarterPi =  // floor(2^128 pi / 4)
    static_cast<uint128_t>(0xc90fdaa22168c234) << 64 | 0xc4c6628b80dc1cd1;

// c0 - z (c1 - z (c2 - ...)): every bracket is positive, for z < 0.62.
uint128_t Alternating(const std::array<uint128_t, kTerms>& c, uint128_t z) {
  uint128_t v = c[kTerms - 1];
  for (size_t k = kTerms - 1; k-- > 0;) v = c[k] - MultiplyUnits(z, v);
  return v;
}

// Bits of v known within error, in units of 2^-127; false where the two ends differ.
bool Decide(uint128_t v, uint128_t error, Format format, uint64_t* bits) {
  if (v <= error) return false;
  *bits = RoundMagnitude(uint128_t(v - error), -127, false, format);
  return *bits == RoundMagnitude(uint128_t(v + error), -127, false, format);
}

// w / 2 pi modulo 1 in units of 2^-128.
uint128_t FractionOfTurn(const ExactFrequency& w) {
  if (w.sign() == 0) return 0;
  constexpr int64_t kBits = 200;
  const Enclosure magnitude = w.Magnitude(std::max<int64_t>(kBits + w.log2(), 8));
  const cpp_int scaled = ShiftLeft(magnitude.low, magnitude.exponent + kBits);
  const int64_t pi_bits = kBits + std::max<int64_t>(w.log2(), 0) + 16;
  const cpp_int turns = (scaled << static_cast<unsigned>(pi_bits)) / (2 * PiInUnits(pi_bits));
  const cpp_int rounded = (turns + (cpp_int(1) << (kBits - 129))) >> (kBits - 128);
  const cpp_int mask = (cpp_int(1) << 64) - 1;
  const uint128_t fraction =
      static_cast<uint128_t>(static_cast<uint64_t>(cpp_int((rounded >> 64) & mask))) << 64 |
      static_cast<uint64_t>(cpp_int(rounded & mask));
  return w.sign() < 0 ? -fraction : fraction;
}

}  // namespace

Turns::Turns(std::vector<ExactFrequency> frequencies, Tier first_tier)
    : exact_(std::move(frequencies)),
      first_tier_(first_tier),
      high_(padded()),
      low_(padded()),
      scaled_(exact_.size()) {
  for (size_t i = 0; i < exact_.size(); ++i) {
    const uint128_t fraction = FractionOfTurn(exact_[i]);
    high_[i] = static_cast<uint64_t>(fraction >> 64);
    low_[i] = static_cast<uint64_t>(fraction);
    if (exact_[i].sign() == 0) continue;
    const Enclosure w = exact_[i].Magnitude(128);
    const int64_t drop = BitLength(w.low) - 96;
    const cpp_int top = w.low >> static_cast<unsigned>(drop);
    scaled_[i].significand = static_cast<uint128_t>(static_cast<uint64_t>(cpp_int(top >> 64)))
                                 << 64 |
                             static_cast<uint64_t>(cpp_int(top & ((cpp_int(1) << 64) - 1)));
    scaled_[i].exponent = w.exponent + drop;
  }
  for (size_t i = size(); i < padded(); ++i) {
    high_[i] = high_[size() - 1];
    low_[i] = low_[size() - 1];
  }
}

FixedCosSin Turns::Fixed(size_t pair, int64_t position) const {
  const uint128_t phase = fraction(pair) * static_cast<uint128_t>(position);
  constexpr uint128_t kEighth = static_cast<uint128_t>(1) << 125;
  const uint128_t shifted = phase + kEighth;
  const int quadrant = static_cast<int>(shifted >> 126);
  const uint128_t within = shifted & ((static_cast<uint128_t>(1) << 126) - 1);
  const bool below = within < kEighth;
  // |r| in units of 2^-128 of a turn, at most an eighth; the angle |r| 2 pi 2^-128 in units of
  // 2^-127.
  const uint128_t r = below ? kEighth - within : within - kEighth;
  const uint128_t angle = MultiplyHigh(r << 2, kQuarterPi);
  const uint128_t square = MultiplyUnits(angle, angle);
  FixedCosSin v;
  v.cos = Alternating(kCosine, square);
  v.sin = MultiplyUnits(angle, Alternating(kSine, square));
  if (quadrant & 1) std::swap(v.cos, v.sin);
  // sin(-r) = -sin r before the quadrants turn it.
  v.cos_negative = quadrant == 2 || (quadrant == 1 && !below) || (quadrant == 3 && below);
  v.sin_negative = quadrant == 3 || (quadrant == 2 && !below) || (quadrant == 0 && below);
  const uint128_t m = static_cast<uint128_t>(position < 0 ? -position : position);
  // ROUND-5: the fraction's error times m, then 2^-106 for series and truncations.
  v.error = exact_[pair].sign() == 0 || m == 0 ? 0 : 2 * m + (static_cast<uint128_t>(1) << 21);
  return v;
}

PairBits Turns::Resolve(size_t pair, int64_t position, Format format) const {
  const ExactFrequency& w = exact_[pair];
  const uint64_t one = EncodeBits(format, 1.0);
  if (position == 0 || w.sign() == 0) return {one, 0};
  if (first_tier_ == Tier::kExact) return RoundCosSin(w, position, format);
  PairBits bits;
  // ROUND-6. Below 2^-27: cos in (1 - 2^-55, 1), and a (1 - 2^-56) < sin a < a.
  const uint128_t m = static_cast<uint128_t>(position < 0 ? -position : position);
  const Scaled& scaled = scaled_[pair];
  const uint128_t high = m * (scaled.significand + 4);
  if (BitLength(high) + scaled.exponent <= -27) {
    uint128_t low = m * scaled.significand;
    low -= (low >> 56) + 1;
    bits.second = RoundMagnitude(low, scaled.exponent, false, format);
    if (bits.second != RoundMagnitude(high, scaled.exponent, false, format))
      return RoundCosSin(w, position, format);
    if ((position < 0) != (w.sign() < 0)) bits.second |= SignBit(format);
    return {one, bits.second};
  }
  const FixedCosSin v = Fixed(pair, position);
  if (!Decide(v.cos, v.error, format, &bits.first) || !Decide(v.sin, v.error, format, &bits.second))
    return RoundCosSin(w, position, format);
  if (v.cos_negative) bits.first |= SignBit(format);
  if (v.sin_negative) bits.second |= SignBit(format);
  return bits;
}

const Turns::Steps* Turns::steps() const {
  if (padded() > kMaxStepPairs) return nullptr;
  std::call_once(steps_made_, [this] {
    steps_.cos = AlignedArray<double>(kStepRows * padded());
    steps_.sin = AlignedArray<double>(kStepRows * padded());
    for (size_t j = 0; j < kStepRows; ++j) {
      for (size_t i = 0; i < padded(); ++i) {
        const FixedCosSin v = Fixed(std::min(i, size() - 1), static_cast<int64_t>(j));
        steps_.cos[j * padded() + i] =
            static_cast<double>(v.cos) * (v.cos_negative ? -0x1p-127 : 0x1p-127);
        steps_.sin[j * padded() + i] =
            static_cast<double>(v.sin) * (v.sin_negative ? -0x1p-127 : 0x1p-127);
      }
    }
  });
  return &steps_;
}

}  // namespace gnomon::optimized
