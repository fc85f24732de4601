#include "gnomon/oracle/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace gnomon::oracle {
namespace {

using reference::Interval;
using reference::ScopedPrecision;

TEST(TextTest, NumbersReadBackInTheirFormat) {
  EXPECT_EQ(Decimal(0.1f, Format::kF32), "0.100000001");
  EXPECT_EQ(Decimal(0.1, Format::kF64), "0.10000000000000001");
  EXPECT_EQ(Hex(-1.5), "-0x1.8p+0");
  EXPECT_EQ(Hex(std::numeric_limits<double>::infinity()), "inf");
}

TEST(TextTest, ExactNumbersHaveNoRadius) {
  const ScopedPrecision precision(128);
  EXPECT_EQ(Enclosure(Interval(0)), "0");
  EXPECT_EQ(Enclosure(Interval(-0.375)), "-0.375");
}

// The printed decimal and radius enclose the interval, digits that were dropped included.
TEST(TextTest, TheRadiusCoversTheDecimalsLeftOut) {
  const ScopedPrecision precision(128);
  EXPECT_EQ(Enclosure(Interval(0.1), 10), "0.1 +- 6e-18");
  EXPECT_EQ(Enclosure(Interval(1) / 3, 5), "0.33333 +- 4e-06");
  const std::string third = Enclosure(Interval(1) / 3);
  EXPECT_EQ(third, "0.333333333333333333333333333333 +- 4e-31");
}

TEST(TextTest, HexHasOneBitBeforeThePoint) {
  const ScopedPrecision precision(128);
  EXPECT_EQ(HexMiddle(Interval(-0.375)), "-0x1.800000000000000000000000p-2");
  EXPECT_EQ(HexMiddle(Interval(1) / 3), "0x1.555555555555555555555555p-2");
  EXPECT_EQ(HexMiddle(Interval(0)), "0x0p+0");
}

TEST(TextTest, ElementsAreNamedByAxis) {
  const TensorSpec cos = {"cos", {"batch", "seq", "pair"}, ""};
  EXPECT_EQ(ElementName(cos, {1, 2, 3}), "cos[batch 1, seq 2, pair 3]");
  EXPECT_EQ(ElementName(cos, {2, 3}), "cos[seq 2, pair 3]");  // the batch is optional
  for (int64_t element = 0; element < 24; ++element)
    EXPECT_EQ(ElementAt({2, 3, 4}, IndexOf({2, 3, 4}, element)), element);
}

TEST(TextTest, ProfilesSayWhatTheyDeclare) {
  const auto text = [](const std::string& name, Format format) {
    return Describe(kProfiles[*ProfileFromName(name)], format);
  };
  EXPECT_EQ(text("standard", Format::kBf16), "exact angles, tables and arithmetic in f32");
  EXPECT_EQ(text("f32-angle", Format::kF64), "angles formed in f64, tables and arithmetic in f64");
  EXPECT_EQ(text("f32-angle-16", Format::kF16),
            "angles formed in f32, tables and arithmetic in f16");
}

}  // namespace
}  // namespace gnomon::oracle
