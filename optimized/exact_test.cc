#include "gnomon/optimized/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gnomon/optimized/mpfr_truth.h"

namespace gnomon::optimized {
namespace {

using testing::CosSin;
using testing::Mpfr;

constexpr Format kAll[] = {Format::kF64, Format::kF32, Format::kBf16, Format::kF16};

TEST(Rounding, AgreesWithTheContract) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const double v =
        std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 340) - 240);
    int exponent;
    const double fraction = std::frexp(v, &exponent);
    const uint128_t n = static_cast<uint128_t>(std::ldexp(fraction, 53));
    for (Format format : {Format::kF32, Format::kBf16, Format::kF16})
      ASSERT_EQ(RoundMagnitude(n, exponent - 53, false, format),
                EncodeBits(format, RoundToFormat(format, v)))
          << v;
  }
  EXPECT_EQ(RoundMagnitude(uint128_t(1) << 90, 1000, false, Format::kF16),
            InfinityBits(Format::kF16));
  // Half the smallest subnormal ties to zero, and anything above does not.
  EXPECT_EQ(RoundMagnitude(uint128_t(1), -25, false, Format::kF16), 0u);
  EXPECT_EQ(RoundMagnitude(uint128_t(1) << 30, -55, true, Format::kF16), 1u);
}

// ROPE-1: the frequencies of configurations, of extreme bases, and numbers as given.
TEST(ExactFrequency, IsCorrectlyRounded) {
  for (const Number& base :
       {Number(1e4), Number(5e5), Number(1e6), Number(150000), Number("10000.1"), Number(1e-300),
        Number(1e300), Number(2), Number(1), Number(0.3)}) {
    for (int64_t denominator : {64, 127, 1 << 20}) {
      std::vector<int64_t> numerators;
      for (int64_t i = 0; i < 40; ++i) numerators.push_back(i * denominator / 40);
      const auto all = ExactFrequency::Powers(base, numerators, denominator);
      for (size_t i = 0; i < all.size(); ++i)
        for (Format format : kAll)
          ASSERT_EQ(all[i].Round(format),
                    Mpfr::Power(base, numerators[i], denominator).Bits(format))
              << ToText(base) << "^-" << numerators[i] << "/" << denominator;
    }
  }
  for (const Number& number : {Number("0.1"), Number("-3.25e-5"), Number(1e-38), Number("1e-42"),
                               Number("1e-5000"), Number(0), Number(-6.28), Number(1e300),
                               Number("0.000000059604644775390625")})  // the last: 2^-24
    for (Format format : kAll) {
      const uint64_t expected = Mpfr::Of(number, 20000).Bits(format);
      ASSERT_EQ(ExactFrequency::Given(number).Round(format), expected) << ToText(number);
    }
}

// A power that is exactly a boundary: no precision would separate it.
TEST(ExactFrequency, TieOfAPowerEndsAndGoesToEven) {
  // (1.024e-7)^(-1/2) = 3125, halfway between the f16 values 3124 and 3126.
  const auto tie = ExactFrequency::Powers(Number("0.0000001024"), {2}, 4)[0];
  EXPECT_EQ(DecodeBits(Format::kF16, tie.Round(Format::kF16)), 3124);
  EXPECT_EQ(DecodeBits(Format::kF32, tie.Round(Format::kF32)), 3125);
  // (2^-50)^(-1/2) = 2^25, a value.
  const auto value = ExactFrequency::Powers(Number(0x1p-50), {1}, 2)[0];
  EXPECT_EQ(DecodeBits(Format::kF32, value.Round(Format::kF32)), 0x1p25);
}

struct Angle {
  Number frequency;
  int64_t position;
};

// Extremes of size: 1e308 at 2^31, subnormal sines, sines of sines' own boundaries.
TEST(RoundCosSin, ExtremesAreCorrectlyRounded) {
  const Angle angles[] = {{Number(1e308), -(int64_t{1} << 31)},
                          {Number(1e-38), 1},
                          {Number(1e-38), 1 << 30},
                          {Number("1e-45"), 3},
                          {Number(0x1p-150), 1},
                          {Number("7.1e-46"), 1},
                          {Number(0x1.000001p-20), 1},
                          {Number(0x1.000001p-60), 1},
                          {Number(-0x1.000003p-140), 1},
                          {Number("1e-5000"), 1 << 30},
                          {Number(6.283185307179586), 1},
                          {Number("3.14159265358979323846264338328"), 1},
                          {Number(1.5707963267948966), 1},
                          {Number(0x1p-25), -1}};
  for (const Angle& a : angles) {
    const ExactFrequency w = ExactFrequency::Given(a.frequency);
    // Enough bits for 2^31 1e308 before the point, or for 1e-5000's sine to differ from itself.
    const testing::MpfrCosSin truth = CosSin(Mpfr::Of(a.frequency, 36000), a.position, 36000);
    for (Format format : kAll) {
      const PairBits bits = RoundCosSin(w, a.position, format);
      EXPECT_EQ(bits.first, truth.cos.Bits(format)) << ToText(a.frequency);
      EXPECT_EQ(bits.second, truth.sin.Bits(format)) << ToText(a.frequency);
    }
  }
  const PairBits still = RoundCosSin(ExactFrequency::Given(Number(0)), 5, Format::kF32);
  EXPECT_EQ(DecodeBits(Format::kF32, still.first), 1);
  EXPECT_EQ(still.second, 0u);
}

// ROPE-3 under cancellation: design of x so that x0 cos a and x1 sin a agree to many bits.
TEST(RoundRotation, CancellationIsCorrectlyRounded) {
  std::mt19937_64 random(2);
  std::vector<std::pair<double, double>> inputs = {
      {7312951, 7813160}, {0, 1}, {1, 0}, {0x1p-149, 0x1p127}};
  for (int i = 0; i < 60; ++i) {
    const double angle = static_cast<double>(random() % 100000);
    const float x0 = static_cast<float>(std::sin(angle) * 0x1p20);
    inputs.push_back({x0, static_cast<float>(std::cos(angle) * 0x1p20)});
  }
  for (const auto& [x0, x1] : inputs) {
    for (int64_t position : {int64_t{1515}, int64_t{-77}, int64_t{2147483647}}) {
      const ExactFrequency w = ExactFrequency::Given(Number(1));
      const testing::MpfrCosSin t = CosSin(Mpfr::Of(Number(1)), position, 400);
      Mpfr p(800), q(800), y0(800), y1(800);
      mpfr_mul_d(p.get(), t.cos.get(), x0, MPFR_RNDN);
      mpfr_mul_d(q.get(), t.sin.get(), x1, MPFR_RNDN);
      mpfr_sub(y0.get(), p.get(), q.get(), MPFR_RNDN);
      mpfr_mul_d(p.get(), t.sin.get(), x0, MPFR_RNDN);
      mpfr_mul_d(q.get(), t.cos.get(), x1, MPFR_RNDN);
      mpfr_add(y1.get(), p.get(), q.get(), MPFR_RNDN);
      for (Format format : kAll) {
        const PairBits bits = RoundRotation(w, position, x0, x1, format);
        EXPECT_EQ(bits.first, y0.Bits(format)) << x0 << " " << x1 << " at " << position;
        EXPECT_EQ(bits.second, y1.Bits(format)) << x0 << " " << x1 << " at " << position;
      }
    }
  }
}

// ROPE-4: given tables are exact dyadics, ties included; ROPE-7: what is not finite.
TEST(RoundRotation, GivenTables) {
  const auto first = [](double c, double s, double x0, double x1) {
    return DecodeBits(Format::kF32, RoundRotation(c, s, x0, x1, Format::kF32).first);
  };
  EXPECT_EQ(first(1, 0x1p-24, 1, -1), 1);  // 1 + 2^-24 ties to even
  EXPECT_EQ(first(1, 0x1p-24, 1 + 0x1p-23, -1), 1 + 0x1p-22);
  EXPECT_EQ(first(1e300, 1e300, 0x1p-149, 0x1p-149), 0);
  EXPECT_EQ(first(0x1p200, 0x1p200, 0x1p-149, 0), 0x1p51);  // no overflow on the way
  EXPECT_EQ(first(0x1p-1070, 0, 0x1p127, 0), 0);
  EXPECT_EQ(first(2, 0, 0x1p127, 0), INFINITY);
  EXPECT_TRUE(std::isnan(first(0, 1, INFINITY, 1)));
  EXPECT_TRUE(std::isnan(first(1, 1, INFINITY, INFINITY)));
  EXPECT_EQ(first(-0x1p-1070, 1, INFINITY, 1), -INFINITY);
  const PairBits nan = RoundRotation(1, 0, NAN, 1, Format::kF32);
  EXPECT_TRUE(std::isnan(DecodeBits(Format::kF32, nan.second)));
  // The sign of a sine too small for any format still decides.
  const PairBits sign =
      RoundRotation(ExactFrequency::Given(Number("1e-5000")), -1, 0, INFINITY, Format::kF32);
  EXPECT_EQ(DecodeBits(Format::kF32, sign.first), INFINITY);
}

}  // namespace
}  // namespace gnomon::optimized
