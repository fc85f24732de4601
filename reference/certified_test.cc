// The reference against the numbers that Coq computed from the definitions.
#include <gtest/gtest.h>

#include "gnomon/reference/certified_numbers.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

using testing::CertifiedNumber;
using testing::CertifiedNumbers;
using testing::Enclosure;

bool Intersect(const Interval& a, const Interval& b) {
  return mpfr_lessequal_p(Lower(a), Upper(b)) != 0 && mpfr_lessequal_p(Lower(b), Upper(a)) != 0;
}

class Certified : public ::testing::TestWithParam<std::string> {};

// ROPE-1, ROPE-4, SIN-1, SIN-3, SIN-4, SCALE-1 to SCALE-15. Two enclosures of one real number
// intersect, at every precision.
TEST_P(Certified, EnclosuresIntersect) {
  int compared = 0;
  for (const CertifiedNumber& number : CertifiedNumbers(GetParam())) {
    const std::unique_ptr<Truth> truth = TruthOf(number.question);
    for (const unsigned bits : {64u, 128u, 256u, 1024u}) {
      ScopedPrecision precision(bits);
      const Interval ours = truth->Value(testing::OutputOf(number), number.element);
      EXPECT_TRUE(Intersect(ours, Enclosure(number)))
          << number.question.operation << " " << number.role << " " << number.low << " at " << bits;
      ++compared;
    }
  }
  EXPECT_GE(compared, 4 * 200);
}

// A number that is off by 2^-80 of its size, far below any format, is noticed.
TEST_P(Certified, AnotherNumberIsNoticed) {
  ScopedPrecision precision(256);
  int noticed = 0, tried = 0;
  for (const CertifiedNumber& number : CertifiedNumbers(GetParam())) {
    const Interval moved = Enclosure(number) * (1 + ldexp(Interval(1), -80));
    if (mpfi_is_zero(moved.backend().data())) continue;
    const std::unique_ptr<Truth> truth = TruthOf(number.question);
    noticed += !Intersect(truth->Value(testing::OutputOf(number), number.element), moved);
    ++tried;
  }
  EXPECT_EQ(noticed, tried);
  EXPECT_GE(tried, 200);
}

// FORMAT-3. Both ends round alike, and as the reference's rounded truth does.
TEST_P(Certified, RoundedTruthIsTheRoundedEnclosure) {
  int compared = 0;
  for (CertifiedNumber number : CertifiedNumbers(GetParam())) {
    for (const Format format : {Format::kF64, Format::kF32, Format::kBf16, Format::kF16}) {
      number.question.format = format;
      ScopedPrecision precision(256);
      const double expected = Round(format, Enclosure(number));
      const std::unique_ptr<Truth> truth = TruthOf(number.question);
      const uint64_t bits = RoundedBits(*truth, testing::OutputOf(number), number.element, format);
      EXPECT_EQ(DecodeBits(format, bits), expected) << number.low;
      ++compared;
    }
  }
  EXPECT_GE(compared, 4 * 200);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Certified,
                         ::testing::Values("rope", "sinusoidal", "rope_scaling"),
                         [](const auto& stem) { return stem.param; });

}  // namespace
}  // namespace gnomon::reference
