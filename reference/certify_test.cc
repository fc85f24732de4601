// Certification: decided answers, ties, what is exact, and the rounding of interval ends.
#include "gnomon/reference/certify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gnomon/reference/angles.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

constexpr Format kAll[] = {Format::kF64, Format::kF32, Format::kBf16, Format::kF16};

TEST(Round, AgreesWithTheIntegerConversion) {
  std::mt19937_64 random(3);
  ScopedPrecision precision(128);
  for (int i = 0; i < 200000; ++i) {
    const double v = std::ldexp(static_cast<double>(random() >> (11 + random() % 50)),
                                static_cast<int>(random() % 340) - 250) *
                     (random() % 2 ? 1 : -1);
    if (v == 0) continue;  // a real number has no signed zero
    for (const Format format : kAll) {
      const double want = RoundToFormat(format, v);
      ASSERT_EQ(std::bit_cast<uint64_t>(Round(format, Interval(v))), std::bit_cast<uint64_t>(want))
          << v << " " << Traits(format).name;
    }
  }
}

TEST(Round, OfAPointIsHalfToEvenAndOfAWideIntervalUndecided) {
  ScopedPrecision precision(128);
  const Interval midpoint = Interval(1) + ldexp(Interval(1), -24);
  EXPECT_EQ(Round(Format::kF32, midpoint), 1.0);
  EXPECT_EQ(Round(Format::kF32, Interval(midpoint + ldexp(Interval(1), -90))), 1.0 + 0x1p-23);
  EXPECT_THROW(Round(Format::kF32, Interval(midpoint * (Interval(1) / 3) * 3)), Undecided);
}

TEST(Certify, DoublesUntilDecidedAndGivesUpAtTheCap) {
  // 1 + 2^-24 + 2^-1000: a midpoint but for its last bit.
  int asked = 0;
  const auto close = Certify([&] {
    ++asked;
    const Interval third = Interval(1) / 3;
    return Round(Format::kF32,
                 Interval(third * 3 + ldexp(Interval(1), -24) + ldexp(Interval(1), -1000)));
  });
  EXPECT_EQ(close, 1.0 + 0x1p-23);
  EXPECT_EQ(asked, 4);  // 128, 256, 512, 1024
  EXPECT_EQ(Certify([] {
              return Round(Format::kF32, Interval(Interval(1) / 3 * 3 + ldexp(Interval(1), -24)));
            }),
            std::nullopt);
}

TEST(Less, DecidesOrThrows) {
  ScopedPrecision precision(64);
  const Interval third = Interval(1) / 3;
  EXPECT_TRUE(Less(Interval(0), third));
  EXPECT_FALSE(Less(third, Interval(0)));
  EXPECT_FALSE(Less(Interval(2), Interval(2)));
  EXPECT_TRUE(LessOrEqual(Interval(2), Interval(2)));
  EXPECT_THROW(Less(Interval(third * 3), Interval(1)), Undecided);
}

TEST(Exact, WhatIsExactStaysExact) {
  ScopedPrecision precision(128);
  EXPECT_TRUE(IsPoint(InversePower<Interval>(Number(4), 2, 4)));  // 4^(-1/2)
  EXPECT_EQ(Midpoint(InversePower<Interval>(Number(4), 2, 4)), 0.5);
  EXPECT_TRUE(IsPoint(InversePower<Interval>(Number(10000), 0, 8)));
  EXPECT_TRUE(IsPoint(cos(Interval(Interval(0) * InversePower<Interval>(Number(10000), 2, 8)))));
  EXPECT_FALSE(IsPoint(Exactly<Interval>(Number("0.1"))));  // the decimal, not the binary64
  EXPECT_TRUE(IsPoint(Exactly<Interval>(Number(0.1))));
  EXPECT_TRUE(IsPoint(Exactly<Interval>(Number("0.5"))));
}

// rope_theta = 2^300: w_1 = 2^-150 lies exactly between 0 and the smallest f32 subnormal.
TEST(Exact, AMidpointOfTheLastBinadeRoundsToEven) {
  Case c;
  c.operation = "rope.frequencies";
  c.parameters = {{"head_dim", 4.0}, {"rope_theta", 0x1p300}};
  int64_t ties = 0;
  EXPECT_EQ(RoundedTruth(c, &ties).at("w").Value(1), 0.0);
  EXPECT_EQ(ties, 0);
}

// The same base spelled as a decimal is not known to be a power of two: a tie, and said so.
TEST(Exact, AnUndecidedTieIsCounted) {
  Case c;
  c.operation = "rope.frequencies";
  c.parameters = {{"head_dim", 4.0}, {"rope_theta", std::string("9")}};
  int64_t ties = 0;
  EXPECT_EQ(RoundedTruth(c, &ties).at("w").Value(1), static_cast<double>(1.0f / 3));
  EXPECT_EQ(ties, 0);
  const std::string power =
      "2037035976334486086268445688409378161051468393665936250636140449354381"
      "299763336706183397376";  // 2^300
  c.parameters["rope_theta"] = power;
  RoundedTruth(c, &ties);
  EXPECT_EQ(ties, 1);
}

}  // namespace
}  // namespace gnomon::reference
