// 16-bit conversions, scalar and in the kernels of every target, against the contract (FORMAT-3,
// FORMAT-5).
#include "gnomon/optimized/formats.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/rotate.h"
#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized {
namespace {

constexpr Format k16[] = {Format::kBf16, Format::kF16};
constexpr RopeLayout kLayouts[] = {RopeLayout::kInterleaved, RopeLayout::kHalfSplit};

uint64_t Rounded(Format format, float v) { return EncodeBits(format, RoundToFormat(format, v)); }
bool IsNan(Format format, uint64_t bits) { return std::isnan(DecodeBits(format, bits)); }

// Every boundary between neighbours of a 16-bit format, and the floats around it; random bits;
// NaNs.
std::vector<float> InterestingFloats(Format format) {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double low = DecodeBits(format, bits), high = DecodeBits(format, (bits + 1) & 0xffff);
    if (!std::isfinite(low)) continue;
    const float middle = static_cast<float>(
        std::isfinite(high)
            ? (low + high) / 2
            : std::copysign(LargestFinite(format) + std::ldexp(1.0, Traits(format).max_exponent -
                                                                        Traits(format).precision),
                            low));
    for (float v : {static_cast<float>(low), middle, std::nextafterf(middle, INFINITY),
                    std::nextafterf(middle, -INFINITY)})
      all.push_back(v);
  }
  uint64_t state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    all.push_back(std::bit_cast<float>(static_cast<uint32_t>(state >> 32)));
  }
  for (float v : {INFINITY, -INFINITY, std::numeric_limits<float>::max(),
                  std::numeric_limits<float>::denorm_min()})
    all.push_back(v);
  return all;
}

TEST(Formats, ScalarConversionsAgreeWithTheContract) {
  for (Format format : k16) {
    for (float v : InterestingFloats(format)) {
      const uint64_t got = EncodeF32(format, v);
      if (std::isnan(v)) {
        ASSERT_TRUE(IsNan(format, got));
      } else {
        ASSERT_EQ(got, Rounded(format, v)) << v;
      }
    }
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      std::array<std::byte, 8> stored{};
      std::memcpy(stored.data(), &bits, sizeof bits);
      const float v = DecodeToF32(format, stored.data());
      if (IsNan(format, bits)) {
        ASSERT_TRUE(std::isnan(v));
      } else {
        ASSERT_EQ(std::bit_cast<uint64_t>(static_cast<double>(v)),
                  std::bit_cast<uint64_t>(DecodeBits(format, bits)));
      }
    }
    // The NaNs whose payload a rounding would carry out of.
    for (uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xffffffffu, 0xff800001u})
      ASSERT_TRUE(IsNan(format, EncodeF32(format, std::bit_cast<float>(bits))));
  }
}

class FormatsTest : public ::testing::Test {
 protected:
  ~FormatsTest() override { UseTarget(""); }

  // One head of `pairs` pairs (x, other) with the same cosine and sine a pair; returns y.
  static std::vector<uint16_t> Turn(Format format, RopeLayout layout,
                                    const std::vector<uint16_t>& x, const std::vector<float>& cos,
                                    const std::vector<float>& sin) {
    const size_t pairs = cos.size(), padded = PaddedPairs(pairs);
    AlignedArray<float> c(padded), s(padded);
    for (size_t i = 0; i < padded; ++i) {
      c[i] = cos[std::min(i, pairs - 1)];
      s[i] = sin[std::min(i, pairs - 1)];
    }
    std::vector<uint16_t> y(2 * pairs);
    TokensToRotate one;
    one.x = x.data();
    one.y = y.data();
    one.heads = 1;
    one.pairs = pairs;
    one.cos = c.data();
    one.sin = s.data();
    RotateTokens(format, layout, one);
    return y;
  }
};

// Cosine 1 and sine 0 hand every 16-bit value through: both conversions, exactly. The NaN of one
// member of a pair reaches both.
TEST_F(FormatsTest, KernelsPromoteEveryValue) {
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (Format format : k16) {
      for (RopeLayout layout : kLayouts) {
        const size_t pairs = 0x8000, step = layout == RopeLayout::kInterleaved ? 2 : 1;
        std::vector<uint16_t> x(2 * pairs);
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint16_t>(i);
        const std::vector<uint16_t> y =
            Turn(format, layout, x, std::vector<float>(pairs, 1), std::vector<float>(pairs, 0));
        for (size_t i = 0; i < pairs; ++i) {
          const size_t a = i * step, b = layout == RopeLayout::kInterleaved ? a + 1 : i + pairs;
          for (const auto& [own, other] : {std::pair{a, b}, std::pair{b, a}}) {
            const double v = DecodeBits(format, x[own]), w = DecodeBits(format, x[other]);
            if (std::isnan(v) || !std::isfinite(w)) {  // infinity times 0
              ASSERT_TRUE(IsNan(format, y[own])) << target << " " << own;
            } else {
              ASSERT_EQ(DecodeBits(format, y[own]), v) << target << " " << own;
            }
          }
        }
      }
    }
  }
}

// x = (1, 0) brings the cosine out: every float that matters is rounded by every kernel.
TEST_F(FormatsTest, KernelsRoundToNearestEven) {
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (Format format : k16) {
      std::vector<float> values;
      for (float v : InterestingFloats(format))
        if (std::isfinite(v)) values.push_back(v);
      // A NaN of a table has an empty payload (rotate.h).
      values.push_back(std::numeric_limits<float>::quiet_NaN());
      for (RopeLayout layout : kLayouts) {
        const size_t pairs = values.size();
        std::vector<uint16_t> x(2 * pairs, 0);
        for (size_t i = 0; i < pairs; ++i)
          x[layout == RopeLayout::kInterleaved ? 2 * i : i] =
              static_cast<uint16_t>(EncodeBits(format, 1));
        const std::vector<uint16_t> y =
            Turn(format, layout, x, values, std::vector<float>(pairs, 0));
        for (size_t i = 0; i < pairs; ++i) {
          const uint16_t got = y[layout == RopeLayout::kInterleaved ? 2 * i : i];
          if (std::isnan(values[i])) {
            ASSERT_TRUE(IsNan(format, got)) << target;
          } else if (Rounded(format, values[i]) % 0x8000 != 0) {
            ASSERT_EQ(got, Rounded(format, values[i])) << target << " " << values[i];
          } else {
            ASSERT_EQ(DecodeBits(format, got), 0) << target << " " << values[i];  // -0 + 0 = 0
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gnomon::optimized
