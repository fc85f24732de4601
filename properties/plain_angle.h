// Cosines and sines of position times frequency as plain float code forms them, one way for each
// form of BOUND-3. The wrong subjects are built on these; nothing here calls the reference or a
// kernel.
#ifndef GNOMON_PROPERTIES_PLAIN_ANGLE_H_
#define GNOMON_PROPERTIES_PLAIN_ANGLE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/case.h"

namespace gnomon::properties {

// base^(-numerator / denominator), or `given`; radians a token.
struct PlainFrequency {
  Number base = 10000;
  int64_t numerator = 0, denominator = 1;
  int64_t pair = 0;
  const Number* given = nullptr;
  bool negative_exponent = false;  // pow(base, -e), not 1 / pow(base, e)
  bool flushes = false;            // subnormal frequencies and angles in f32 count as 0
};

struct PlainTurn {
  double cos = 1, sin = 0;  // not yet rounded to the tables' format
};

// In the working format f32, except for kExact, which is good to float64 and better.
double FrequencyAs(AngleForm form, const PlainFrequency& f);
PlainTurn TurnAs(AngleForm form, const PlainFrequency& f, int64_t position);

// Of the sum of position times frequency over the terms, good to float64 and better.
PlainTurn TurnOfSum(const std::vector<std::pair<int64_t, double>>& terms);

// v, or a zero of its sign where v is subnormal in the format.
double Flushed(Format format, double v);

// What lies at an address that a kernel has no business at: 0 beyond the storage of the tensor.
double ReadPast(const Tensor& tensor, const std::byte* address);

// The store at the end of a kernel: one rounding to the format, and what goes wrong there.
enum class StoreMistake {
  kNone,
  kTruncates,
  kRoundsTwice,
  kSaturates,
  kFlushes,
  kCapsInfinity,
  kClamps,    // fmin(fmax(v, lowest), largest): a NaN becomes the lowest
  kZeroesNan  // a NaN becomes 0
};
uint64_t StoredBits(Format format, double value, StoreMistake mistake);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_PLAIN_ANGLE_H_
