// BOUND-8: the judge beside a declaration of flushing, on its fast path (f32) and by intervals
// (f64, and where a given table is f64).
#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/reference/judge.h"

namespace gnomon::reference {
namespace {

constexpr size_t kRounded = 0, kStandard = 1;

// One pair at position 1, beside a pair of ordinary numbers so that something is proved.
Case Pairs(Format format, double xa, double xb) {
  Case c;
  c.operation = "rope.apply";
  c.format = format;
  c.parameters = {{"head_dim", 4.0}, {"layout", std::string("interleaved")}};
  Tensor x(DTypeOf(format), {1, 1, 1, 4}), positions(DType::kI64, {1});
  x.Set(0, xa);
  x.Set(1, xb);
  x.Set(2, 1);
  x.Set(3, 0.5);
  positions.SetInteger(0, 1);
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  return c;
}

double Nu(Format format) { return Underflow<double>(format, true); }

class EveryFormat : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         testing::Values(Format::kF64, Format::kF32, Format::kBf16, Format::kF16),
                         [](const auto& info) { return std::string(Traits(info.param).name); });

TEST_P(EveryFormat, AFlushedResultIsWithinWhereDeclaredAlone) {
  const double nu = Nu(GetParam());
  const Case c = Pairs(GetParam(), nu / 2, nu / 4);
  Outputs y = RoundedTruth(c);
  y.at("y").Set(0, 0);
  y.at("y").Set(1, 0);
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
  const Judgement declared = Judge(c, y, {{}, true});
  EXPECT_EQ(declared.strictest(), kStandard);
  EXPECT_EQ(declared.flushed, 2);
  // BOUND-6: what may be lost whole proves nothing. The other pair does.
  EXPECT_EQ(declared.profiles[kStandard].vacuous, 2);
  EXPECT_EQ(declared.profiles[kStandard].within, 2);
  EXPECT_EQ(declared.profiles[kRounded].outside, 2);
}

TEST_P(EveryFormat, AFlushedInputCostsTheOtherMemberToo) {
  const double nu = Nu(GetParam()), large = 64 * nu;
  const Case c = Pairs(GetParam(), large, nu / 2);
  // The rotation of (large, 0).
  const Case flushed = Pairs(GetParam(), large, 0);
  const Outputs y = RoundedTruth(flushed);
  const Judgement undeclared = Judge(c, y), declared = Judge(c, y, {{}, true});
  EXPECT_EQ(declared.strictest(), kStandard);
  EXPECT_EQ(declared.profiles[kStandard].vacuous, 0);
  // The three roundings in bf16 of f32-angle-16 are as much.
  EXPECT_GT(undeclared.profiles[kStandard].outside, 0);
}

// A declaration covers what flushing can cost, and no more.
TEST_P(EveryFormat, MoreThanItCanCostIsOutside) {
  const double nu = Nu(GetParam());
  const Case c = Pairs(GetParam(), 1024 * nu, 512 * nu);
  Outputs y = RoundedTruth(c);
  for (int i : {0, 1}) y.at("y").Set(i, y.at("y").Value(i) * 0.875);
  EXPECT_EQ(Judge(c, y, {{}, true}).strictest(), std::nullopt);
  Outputs other = RoundedTruth(c);
  other.at("y").Set(2, 0.25);
  EXPECT_EQ(Judge(c, other, {{}, true}).strictest(), std::nullopt);
}

// ROPE-5: a copy is no arithmetic.
TEST_P(EveryFormat, CopiedDimsKeepTheirBits) {
  Case c = Pairs(GetParam(), Nu(GetParam()) / 2, 1);
  c.parameters["rotary_dim"] = 2.0;
  c.parameters["rotary_offset"] = 2.0;
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(Judge(c, y, {{}, true}).strictest(), kRounded);
  y.at("y").Set(0, 0);
  EXPECT_EQ(Judge(c, y, {{}, true}).strictest(), std::nullopt);
}

Case WithTables(Format format, DType tables, double x, double cos, double sin) {
  Case c = Pairs(format, x, 0);
  c.inputs.erase("positions");
  Tensor first(tables, {1, 2}), second(tables, {1, 2});
  first.Set(0, cos);
  second.Set(0, sin);
  first.Set(1, 0.5);
  second.Set(1, 0.5);
  c.inputs.emplace("cos", std::move(first));
  c.inputs.emplace("sin", std::move(second));
  return c;
}

// The smallest normal number of f16 tables is far above that of an f32 case.
TEST(Flushing, GivenTablesFlushInTheirOwnFormat) {
  const Case c = WithTables(Format::kF32, DType::kF16, 8, 0x1p-15, 1);
  Outputs y = RoundedTruth(c);
  y.at("y").Set(0, 0);
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
  EXPECT_EQ(Judge(c, y, {{}, true}).strictest(), kStandard);
  // An f64 table flushes where the arithmetic of f32 does.
  const Case wide = WithTables(Format::kF32, DType::kF64, 0x1p20, 0x1p-130, 1);
  Outputs z = RoundedTruth(wide);
  z.at("y").Set(0, 0);
  EXPECT_EQ(Judge(wide, z).strictest(), std::nullopt);
  EXPECT_EQ(Judge(wide, z, {{}, true}).strictest(), kStandard);
}

}  // namespace
}  // namespace gnomon::reference
