// Frequencies in turns: what the table kernels multiply positions with.
//
// A position is an integer, so m w / 2 pi modulo 1 depends on the fraction of w / 2 pi alone, and
// in 128-bit wrapping integers that product is its own range reduction, exact at every position
// (ROUND-1). Three tiers decide a value: the vector kernels (tables.h), 128-bit fixed point here,
// and the exact frequency (exact.h). Each leaves what its error bound cannot decide to the next.
#ifndef GNOMON_OPTIMIZED_TURNS_H_
#define GNOMON_OPTIMIZED_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/exact.h"

namespace gnomon::optimized {

// A step table turns an anchor through 0 to 31 tokens.
inline constexpr size_t kStepRows = 32;
// Beyond this many pairs the step table would not fit the caches, and none is made.
inline constexpr size_t kMaxStepPairs = 4096;

// The first tier that may decide a value. Bits must not depend on it: the tests say so.
enum class Tier { kVector, kFixedPoint, kExact };

// cos and sin of m w in fixed point: magnitudes in units of 2^-127, each within `error` of the
// truth unless error is 0, which says exact (ROUND-5).
struct FixedCosSin {
  uint128_t cos, sin;
  bool cos_negative, sin_negative;
  uint128_t error;
};

// The frequencies of all pairs, at least one. Immutable once made, but for the step table, which is
// made when it is first asked for.
class Turns {
 public:
  explicit Turns(std::vector<ExactFrequency> frequencies, Tier first_tier = Tier::kVector);

  size_t size() const { return exact_.size(); }
  // Padding repeats the last frequency, whose values are as easy to decide as those beside it.
  size_t padded() const { return PaddedPairs(size()); }
  Tier first_tier() const { return first_tier_; }
  const ExactFrequency& exact(size_t pair) const { return exact_[pair]; }

  // w / 2 pi modulo 1 in units of 2^-128, to nearest: within 2^-129 + 2^-190 of a turn. The upper
  // and the lower 64 bits, padded() of each.
  const uint64_t* fractions_high() const { return high_.data(); }
  const uint64_t* fractions_low() const { return low_.data(); }
  uint128_t fraction(size_t pair) const {
    return static_cast<uint128_t>(high_[pair]) << 64 | low_[pair];
  }

  // Correctly rounded bits of cos and sin of position times frequency, for f32, bf16, f16.
  PairBits Resolve(size_t pair, int64_t position, Format format) const;
  FixedCosSin Fixed(size_t pair, int64_t position) const;

  // cos and sin of j w, row j < kStepRows, padded() columns, each double within 2^-54 + 2^-105 of
  // the truth (ROUND-5). Null beyond kMaxStepPairs.
  struct Steps {
    AlignedArray<double> cos, sin;
  };
  const Steps* steps() const;

 private:
  // |w| = between significand and significand + 4, times 2^exponent; 96 bits.
  struct Scaled {
    uint128_t significand = 0;
    int64_t exponent = 0;
  };

  std::vector<ExactFrequency> exact_;
  Tier first_tier_;
  AlignedArray<uint64_t> high_, low_;
  std::vector<Scaled> scaled_;
  mutable std::once_flag steps_made_;
  mutable Steps steps_;
};

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_TURNS_H_
