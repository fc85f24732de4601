// FORMAT-1 to FORMAT-5, exhaustively for the 16-bit formats.
#include "gnomon/spec/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gnomon {
namespace {

class SixteenBits : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Formats, SixteenBits, testing::Values(Format::kBf16, Format::kF16),
                         [](const auto& info) { return std::string(Traits(info.param).name); });

TEST_P(SixteenBits, EveryValueSurvivesDecodeAndEncode) {
  for (uint64_t bits = 0; bits < 0x10000; ++bits) {
    const double value = DecodeBits(GetParam(), bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(DecodeBits(GetParam(), EncodeBits(GetParam(), value))));
      EXPECT_EQ(EncodeBits(GetParam(), value) >> 15, bits >> 15) << bits;
    } else {
      ASSERT_EQ(EncodeBits(GetParam(), value), bits);
      ASSERT_EQ(EncodeBits(GetParam(), RoundToFormat(GetParam(), value)), bits);
    }
  }
}

// Between any two neighbours: the midpoint goes to the even one, anything beside it to the nearer.
TEST_P(SixteenBits, EveryMidpointRoundsToEven) {
  const Format format = GetParam();
  const uint64_t infinity = EncodeBits(format, std::numeric_limits<double>::infinity());
  for (uint64_t bits = 0; bits < infinity; ++bits) {
    const double low = DecodeBits(format, bits);
    // Past the largest value the next one would have been 2^(max_exponent + 1).
    const double high = bits + 1 == infinity ? std::ldexp(1.0, Traits(format).max_exponent + 1)
                                             : DecodeBits(format, bits + 1);
    const double middle = low + (high - low) / 2;
    for (const double sign : {1.0, -1.0}) {
      const uint64_t top = sign < 0 ? 0x8000 : 0;
      const auto rounded = [&](double v) {
        return EncodeBits(format, RoundToFormat(format, sign * v));
      };
      ASSERT_EQ(rounded(middle), (bits + (bits & 1)) | top) << low;
      ASSERT_EQ(rounded(std::nextafter(middle, 0.0)), bits | top) << low;
      ASSERT_EQ(rounded(std::nextafter(middle, 1e39)), (bits + 1) | top) << low;
    }
  }
}

TEST(Format, RoundingToFloatIsTheHardwares) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000000; ++i) {
    // Exponents around and beyond the range of f32.
    const double v = std::ldexp(static_cast<double>(random() >> 11) + 0.5,
                                static_cast<int>(random() % 300) - 230);
    const float want = static_cast<float>(v);
    ASSERT_EQ(std::bit_cast<uint32_t>(static_cast<float>(RoundByIntegers(Format::kF32, v))),
              std::bit_cast<uint32_t>(want))
        << v;
  }
}

TEST(Format, KeepsSignedZeroAndNaN) {
  for (const Format format : {Format::kF64, Format::kF32, Format::kBf16, Format::kF16}) {
    EXPECT_TRUE(std::signbit(RoundToFormat(format, -0.0)));
    EXPECT_EQ(DecodeBits(format, EncodeBits(format, -0.0)), 0.0);
    EXPECT_TRUE(std::isnan(DecodeBits(format, EncodeBits(format, std::nan("")))));
    const double tiny = std::ldexp(1.0, std::max(Traits(format).min_quantum_exponent - 5, -1074));
    if (format != Format::kF64) {
      EXPECT_TRUE(std::signbit(RoundToFormat(format, -tiny)));
    }
  }
}

TEST(Format, StatesItsConstants) {
  EXPECT_EQ(LargestFinite(Format::kF32), std::numeric_limits<float>::max());
  EXPECT_EQ(LargestFinite(Format::kF16), 65504.0);
  EXPECT_EQ(LargestFinite(Format::kF64), std::numeric_limits<double>::max());
  EXPECT_EQ(UnitRoundoff(Format::kF32), 0x1p-24);
  EXPECT_EQ(EtaExponent(Format::kF32), -150);
  EXPECT_EQ(FormatFromName("bf16"), Format::kBf16);
  EXPECT_EQ(FormatFromName("fp8"), std::nullopt);
}

}  // namespace
}  // namespace gnomon
