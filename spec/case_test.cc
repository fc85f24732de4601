// CASE-3, CASE-4 and BOUND-3, as the contract's own code decides them.
#include "gnomon/spec/case.h"

#include <gtest/gtest.h>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/schemes.h"

namespace gnomon {
namespace {

TEST(Numbers, ADecimalIsBinary64OnlyIfExactly) {
  for (const char* text : {"10000", "1e4", "1E+4", "10000.000", "0.5", "-0.5", "+.5", "0", "-0",
                           "500000", "0.00048828125", "9007199254740993e0", "1.5e-1"}) {
    const bool exact = std::string(text) != "9007199254740993e0" && std::string(text) != "1.5e-1";
    EXPECT_EQ(IsBinary64(Number(std::string(text))), exact) << text;
  }
  EXPECT_TRUE(IsBinary64(Number(0.1)));
  EXPECT_FALSE(IsBinary64(Number(std::string("0.1"))));
  // All 55 digits of the binary64 next to 0.1.
  EXPECT_TRUE(
      IsBinary64(Number(std::string("0.1000000000000000055511151231257827021181583404541015625"))));
  EXPECT_FALSE(
      IsBinary64(Number(std::string("0.1000000000000000055511151231257827021181583404541015624"))));
  EXPECT_FALSE(IsBinary64(Number(std::string("1e-400"))));  // its nearest binary64 is 0
}

// BOUND-3. What is a value of f32 costs no rounding, however it is spelled.
TEST(Inexact, ByValueNotBySpelling) {
  EXPECT_FALSE(IsInexact(Number(std::string("10000"))));
  EXPECT_FALSE(IsInexact(Number(10000)));
  EXPECT_TRUE(IsInexact(Number(16777217)));
  EXPECT_TRUE(IsInexact(Number(std::string("16777217"))));
  EXPECT_TRUE(IsInexact(Number(std::string("1.1"))));
}

// n of BOUND-3 = C + P + (|m| > 2^24), of given frequencies.
TEST(GivenFrequency, CostsWhatItsRoundingAndProductCost) {
  const auto n = [](const Number& w, int64_t position) {
    const double u = UnitRoundoff(Format::kF32);
    const double D = AngleError(AngleForm::kWorking, GivenOrigin(w, 3), position, Format::kF32);
    return std::lround(D / u);
  };
  EXPECT_EQ(n(0.1, 7), 2);                       // rounded, and so is the product
  EXPECT_EQ(n(0.1f, 7), 1);                      // the product
  EXPECT_EQ(n(Number(std::string("3")), 7), 1);  // the same
  EXPECT_EQ(n(0.25, 7), 0);                      // exact
  EXPECT_EQ(n(-2.0, 7), 0);
  EXPECT_EQ(n(0.0, 7), 0);
  EXPECT_EQ(n(0x1p-149, 7), 0);
  EXPECT_EQ(n(0x1p-150, 7), 2);  // no value of f32
  EXPECT_EQ(n(0.25, (1 << 24) + 1), 1);
}
// By trial: no f32 product with a power of two is rounded, and one with another number is.
TEST(GivenFrequency, AProductWithAPowerOfTwoIsExact) {
  int rounded = 0;
  for (int m = 1; m < 1 << 24; m += 997) {
    EXPECT_EQ(static_cast<double>(static_cast<float>(m) * 0x1p-7f), m * 0x1p-7);
    rounded += static_cast<double>(static_cast<float>(m) * 0.1f) != m * static_cast<double>(0.1f);
  }
  EXPECT_GT(rounded, 1000);
}

std::string Refusal(const Case& c) {
  try {
    Validate(c);
    return "";
  } catch (const Rejected& error) {
    return error.what();
  }
}
Case Apply(const Tensor& x) {
  Case c;
  c.operation = "rope.apply";
  c.parameters = {{"head_dim", 4.0}, {"layout", std::string("half_split")}};
  c.inputs.emplace("x", x);
  c.inputs.emplace("positions", Tensor(DType::kI64, {x.shape()[1]}));
  c.in_place = "x";
  return c;
}

TEST(InPlace, NamesAnInputThatTheOutputMayTake) {
  const Tensor x(DType::kF32, {1, 2, 3, 4});
  Case c = Apply(x);
  EXPECT_EQ(Refusal(c), "");
  for (const char* role : {"positions", "y", "nonsense"}) {
    c.in_place = role;
    EXPECT_EQ(Refusal(c),
              "in_place = " + std::string(role) + ": only x can be overwritten (CASE-4)");
  }
  Case frequencies;
  frequencies.operation = "rope.frequencies";
  frequencies.parameters = {{"head_dim", 4.0}};
  EXPECT_EQ(Refusal(frequencies), "");
  frequencies.in_place = "x";
  EXPECT_EQ(Refusal(frequencies),
            "in_place = x: no input of rope.frequencies can be overwritten (CASE-4)");
}

TEST(InPlace, ElementsThatShareMemoryAreRefused) {
  const Shape shape = {1, 2, 3, 4};
  const std::string shares = "in_place = x: its elements share memory (CASE-4)";
  EXPECT_EQ(Refusal(Apply(Tensor(DType::kF32, shape, {0, 0, 4, 1}, 0, 64))), shares);
  EXPECT_EQ(Refusal(Apply(Tensor(DType::kF32, shape, {0, 12, 4, 2}, 0, 64))), shares);
  EXPECT_EQ(Refusal(Apply(Tensor(DType::kF32, shape, {9, 12, -4, 1}, 8, 64))), "");
  EXPECT_EQ(Refusal(Apply(Tensor(DType::kF32, shape, {0, 1, 2, 6}, 0, 64))), "");
  EXPECT_EQ(Refusal(Apply(Tensor(DType::kF32, shape, {0, 2, 3, 10}, 0, 64))), "");  // not nested
  EXPECT_EQ(Refusal(Apply(Tensor(DType::kF32, shape, {0, 2, 1, 10}, 0, 64))), shares);
}

TEST(Size, OutputsBeyondTheLimitAreRefused) {
  Case c;
  c.operation = "sinusoidal.shift_matrix";
  c.parameters = {{"offset", 1.0}, {"width", 32768.0}};
  EXPECT_EQ(Refusal(c), "");  // 2^30
  c.parameters["width"] = 32770.0;
  EXPECT_EQ(Refusal(c), "matrix = [32770, 32770]: outputs must not exceed 2^30 elements (CASE-4)");
  c.parameters["width"] = 0x1p20;
  EXPECT_NE(Refusal(c).find("(CASE-4)"), std::string::npos);
  // cos and sin together.
  c = Case();
  c.operation = "rope.table";
  c.parameters = {{"head_dim", 0x1p20}};
  c.inputs.emplace("positions", Tensor(DType::kI64, {1024}));
  EXPECT_EQ(Refusal(c), "");
  c.inputs.at("positions") = Tensor(DType::kI64, {1025});
  EXPECT_NE(Refusal(c).find("2^30 elements (CASE-4)"), std::string::npos);
  c.inputs.at("positions") = Tensor(DType::kI64, {0});
  EXPECT_EQ(Refusal(c), "");
}

}  // namespace
}  // namespace gnomon
