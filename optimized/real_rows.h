// Cosines and sines of sums of products with real numbers, by Highway kernels: angles that are no
// multiple of a frequency by an integer (SIN-20 to SIN-22, AXES-20). Correctly rounded float32, or
// left open (ROUND-9).
#ifndef GNOMON_OPTIMIZED_REAL_ROWS_H_
#define GNOMON_OPTIMIZED_REAL_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/real_angle.h"
#include "gnomon/spec/format.h"

namespace gnomon::optimized {

// Factors in quarter turns a unit of the argument, padded with zeros to whole vectors. One outside
// [2^-300, 2^300] is a NaN, which leaves its angles open.
class QuarterFactors {
 public:
  explicit QuarterFactors(size_t size);
  // Within 2^-102 of the truth, relatively; exact without a low part.
  void Set(size_t i, Two quarters);
  size_t padded() const { return PaddedPairs(size_); }
  const double* high() const { return high_.data(); }
  const double* low() const { return low_.data(); }
  bool exact() const { return exact_; }

 private:
  size_t size_;
  AlignedArray<double> high_, low_;
  bool exact_ = true;
};

// 2 / pi times w: radians become quarter turns.
Two QuartersOf(Two w);

// One product of an angle's sum: x times a factor. A step is 1 where each angle has its own, 0
// where all share one.
struct RealTerm {
  const double* x;
  size_t x_step;
  const double *high, *low;  // low: null where it is 0
  size_t step;
};
inline constexpr size_t kMaxRealTerms = 64;  // more leave every angle open

// Float32 rows of `padded` cosines and sines; `open` holds what is not 0 where one of the two is
// not decided. At cache-line addresses.
struct RealRow {
  explicit RealRow(size_t padded);
  // Whether any angle was left open.
  bool Fill(const std::vector<RealTerm>& terms);

  // Bits of angle i in a format, from `exact()` where the row does not decide them.
  template <class Exact>
  PairBits Bits(size_t i, Format format, const Exact& exact) const {
    PairBits bits;
    if (open[i] == 0 && RoundOnce(format, cos[i], &bits.first) &&
        RoundOnce(format, sin[i], &bits.second))
      return bits;
    return exact();
  }

  size_t padded;
  AlignedArray<float> cos, sin;
  AlignedArray<uint32_t> open;
};

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_REAL_ROWS_H_
