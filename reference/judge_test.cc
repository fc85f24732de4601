// The judge: what it accepts, what it refuses, and that every clause of BOUND-7 can fail.
#include "gnomon/reference/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

constexpr size_t kRounded = 0, kStandard = 1, kAngle = 2;

Case RopeCase(Format format, const std::vector<int64_t>& positions, int64_t head_dim = 8) {
  Case c;
  c.operation = "rope.apply";
  c.format = format;
  c.parameters = {{"head_dim", double(head_dim)}, {"layout", std::string("half_split")}};
  const int64_t seq = static_cast<int64_t>(positions.size());
  Tensor x(DTypeOf(format), {1, seq, 2, head_dim}), p(DType::kI64, {seq});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, std::sin(0.7 * double(i) + 0.1) * (1 + i % 5));
  for (int64_t i = 0; i < seq; ++i) p.SetInteger(i, positions[static_cast<size_t>(i)]);
  c.inputs.emplace("x", x);
  c.inputs.emplace("positions", p);
  return c;
}

// The neighbour of an element's value, `steps` away.
void Nudge(Tensor* y, int64_t element, int steps) {
  y->SetBits(element, BitsAt(std::as_const(*y).view(), element) + static_cast<uint64_t>(steps));
}

class EveryFormat : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         testing::Values(Format::kF64, Format::kF32, Format::kBf16, Format::kF16),
                         [](const auto& info) { return std::string(Traits(info.param).name); });

TEST_P(EveryFormat, RoundedTruthMeetsRounded) {
  const Case c = RopeCase(GetParam(), {0, 1, 257, 131071, -5, kMaxPosition, kMinPosition});
  const Judgement j = Judge(c, RoundedTruth(c));
  EXPECT_EQ(j.strictest(), kRounded);
  EXPECT_EQ(j.elements, 7 * 2 * 8);
  EXPECT_EQ(j.profiles[kRounded].within, j.elements);
  EXPECT_EQ(j.ties, 0);
}

TEST_P(EveryFormat, OneStepOffIsNoLongerRounded) {
  const Case c = RopeCase(GetParam(), {3});
  Outputs y = RoundedTruth(c);
  Nudge(&y.at("y"), 5, 1);
  const Judgement j = Judge(c, y);
  EXPECT_EQ(j.profiles[kRounded].outside, 1);
  EXPECT_EQ(j.profiles[kRounded].first_outside->index, (Shape{0, 0, 0, 5}));
  EXPECT_EQ(j.profiles[kRounded].first_outside->place.position, 3);
  EXPECT_EQ(j.profiles[kRounded].first_outside->place.pair, 1);
}

TEST_P(EveryFormat, FarOffMeetsNothing) {
  const Case c = RopeCase(GetParam(), {3});
  Outputs y = RoundedTruth(c);
  y.at("y").Set(2, y.at("y").Value(2) + 0.5);
  const Judgement j = Judge(c, y);
  EXPECT_EQ(j.strictest(), std::nullopt);
  for (const ProfileResult& p : j.profiles) EXPECT_EQ(p.outside, 1);
}

TEST(Judge, NaNWhereARealNumberIsDue) {
  const Case c = RopeCase(Format::kF32, {3});
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Outputs y = RoundedTruth(c);
    y.at("y").Set(2, bad);
    const Judgement j = Judge(c, y);
    EXPECT_EQ(j.strictest(), std::nullopt) << bad;
    EXPECT_EQ(j.histogram.not_finite, 1);
  }
}

TEST(Judge, NaNAndInfinityAreDue) {
  Case c = RopeCase(Format::kF32, {3, 0});
  c.inputs.at("x").Set(1, std::nan(""));  // position 3, pair 1
  c.inputs.at("x").Set(16, HUGE_VAL);     // position 0, pair 0
  Outputs y = RoundedTruth(c);
  EXPECT_TRUE(std::isnan(y.at("y").Value(1)) && std::isnan(y.at("y").Value(5)));
  EXPECT_EQ(y.at("y").Value(16), HUGE_VAL);
  EXPECT_EQ(Judge(c, y).strictest(), kRounded);
  y.at("y").Set(20, std::nan(""));  // 0 inf + x_b: NaN by IEEE rules, x_b by R_0 = 1
  EXPECT_EQ(Judge(c, y).strictest(), kRounded);
  y.at("y").Set(20, 0.25);
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
  y = RoundedTruth(c);
  y.at("y").Set(5, 1.0);  // a NaN swallowed
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
}

TEST(Judge, CopiedDimsAreBitEqual) {
  Case c = RopeCase(Format::kF32, {3});
  c.parameters["rotary_dim"] = 4.0;
  c.inputs.at("x").Set(7, -0.0);
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(Judge(c, y).strictest(), kRounded);
  y.at("y").Set(7, 0.0);
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
}

TEST(Judge, OverflowIsAnInfinityOfTheRightSign) {
  Case c = RopeCase(Format::kF32, {1}, 2);
  const double big = std::numeric_limits<float>::max();
  c.inputs.at("x").Set(0, -big);
  c.inputs.at("x").Set(1, big);  // -max cos 1 - max sin 1 overflows
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(y.at("y").Value(0), -HUGE_VAL);
  EXPECT_EQ(Judge(c, y).strictest(), kRounded);
  y.at("y").Set(0, -big);  // saturated
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
  y.at("y").Set(0, HUGE_VAL);
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
}

TEST(Judge, FloatAnglesAreNamed) {
  const Case c = RopeCase(Format::kF32, {100003});
  Outputs y = RoundedTruth(c);
  for (int64_t pair = 0; pair < 4; ++pair) {
    const float w = 1 / std::pow(10000.0f, static_cast<float>(2 * pair) / 8);
    const float a = 100003.0f * w, cos = std::cos(a), sin = std::sin(a);
    for (int64_t head = 0; head < 2; ++head) {
      const Tensor& x = c.inputs.at("x");
      const float xa = static_cast<float>(x.Value(8 * head + pair));
      const float xb = static_cast<float>(x.Value(8 * head + pair + 4));
      y.at("y").Set(8 * head + pair, xa * cos - xb * sin);
      y.at("y").Set(8 * head + pair + 4, xa * sin + xb * cos);
    }
  }
  const Judgement j = Judge(c, y);
  EXPECT_EQ(j.strictest(), kAngle);
  EXPECT_GT(j.profiles[kStandard].outside, 0);
  EXPECT_EQ(j.profiles[kAngle].vacuous, 0);
}

TEST(Judge, WhatProvesNothingIsCountedApartAndNeverGreen) {
  const Case c = RopeCase(Format::kF32, {1 << 30});  // angles of 1e9 with 2^-22 relative error
  Case far = c;
  far.parameters["head_dim"] = 2.0;
  far.inputs.at("x") = Tensor(DType::kF32, {1, 1, 1, 2});
  far.inputs.at("x").Set(0, 1);
  const Judgement j = Judge(far, RoundedTruth(far));
  EXPECT_EQ(j.profiles[kAngle].within, 0);
  EXPECT_EQ(j.profiles[kAngle].vacuous, 2);
  EXPECT_EQ(j.profiles[kAngle].vacuous_from, 1 << 30);
  EXPECT_FALSE(j.profiles[kAngle].met());
}

// ROPE-9: an infinity within a bound that reaches beyond the format, on whichever side, is no
// fault; and where that bound is vacuous it proves nothing.
TEST(Judge, AnInfinityIsNoWayRoundAVacuousBound) {
  Case c = RopeCase(Format::kF16, {kMaxPosition}, 2);
  c.inputs.at("x") = Tensor(DType::kF16, {1, 1, 1, 2});
  c.inputs.at("x").Set(0, 20);
  c.inputs.at("x").Set(1, 20);
  c.parameters["frequencies"] = std::vector<Number>{Number(1e10)};
  for (const double candidate : {HUGE_VAL, -HUGE_VAL}) {
    Outputs y = RoundedTruth(c);
    for (int64_t i = 0; i < 2; ++i) y.at("y").Set(i, candidate);
    const Judgement j = Judge(c, y);
    EXPECT_EQ(j.strictest(), std::nullopt);
    EXPECT_EQ(j.profiles[kAngle].vacuous, 2);
    EXPECT_EQ(j.profiles[*ProfileFromName("standard")].outside, 2);
  }
}

// BOUND-3: where float32 cannot hold the angle no inexact form of it is accepted.
TEST(Judge, AnAngleBeyondTheFormatMustBeExact) {
  Case c = RopeCase(Format::kF32, {0, 7}, 2);
  c.parameters["frequencies"] = std::vector<Number>{Number(1e300)};
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(Judge(c, y).strictest(), kRounded);
  y.at("y").Set(5, 0.125);
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
}

// BOUND-7: what is copied, or not a number by right, proves nothing.
TEST(Judge, OnlyRealNumbersProve) {
  Case c = RopeCase(Format::kF32, {3});
  for (int64_t i = 0; i < 16; ++i) c.inputs.at("x").Set(i, std::nan(""));
  const Judgement j = Judge(c, RoundedTruth(c));
  EXPECT_EQ(j.profiles[kRounded].outside, 0);
  EXPECT_FALSE(j.profiles[kRounded].met());
}

TEST(Judge, NothingJudgedMeetsNothing) {
  const Case c = RopeCase(Format::kF32, {});
  const Judgement j = Judge(c, RoundedTruth(c));
  EXPECT_EQ(j.elements, 0);
  EXPECT_EQ(j.strictest(), std::nullopt);
}

TEST(Judge, RefusesOtherShapesAndTypes) {
  const Case c = RopeCase(Format::kF32, {1});
  Outputs y = RoundedTruth(c);
  EXPECT_THROW(Judge(c, Outputs{}), Rejected);
  EXPECT_THROW(Judge(c, Outputs{{"y", Tensor(DType::kF32, {1, 1, 2, 7})}}), Rejected);
  EXPECT_THROW(Judge(c, Outputs{{"y", Tensor(DType::kF16, {1, 1, 2, 8})}}), Rejected);
}

// BOUND-2. f16 cannot hold the small numbers of a bf16 table: rounding it first (ROPE-4) is
// allowed.
TEST(Judge, ATableOfSmallerNumbersThanTheArithmeticHas) {
  Case c = RopeCase(Format::kF16, {1}, 2);
  c.inputs.erase("positions");
  c.inputs.emplace("cos", Tensor(DType::kBf16, {1, 1}));
  c.inputs.emplace("sin", Tensor(DType::kBf16, {1, 1}));
  c.inputs.at("sin").Set(0, 0x1p-25);
  for (int64_t i = 0; i < c.inputs.at("x").count(); ++i) c.inputs.at("x").Set(i, 60000);
  Outputs y = RoundedTruth(c);
  for (int64_t i = 0; i < y.at("y").count(); ++i) y.at("y").Set(i, 0);
  const Judgement j = Judge(c, y);
  EXPECT_EQ(j.profiles[*ProfileFromName("f32-angle-16")].outside, 0);
  EXPECT_GT(j.profiles[*ProfileFromName("f32-angle")].outside, 0);
}

// BOUND-7. The unit of a sum is never 0: an error is not finite only where an answer is not.
TEST(Judge, AnErrorBesideZeroIsFinite) {
  Case c = RopeCase(Format::kF32, {1}, 2);
  for (int64_t i = 0; i < c.inputs.at("x").count(); ++i) c.inputs.at("x").Set(i, 0);
  Outputs y = RoundedTruth(c);
  y.at("y").Set(0, 0x1p-149);
  const Judgement j = Judge(c, y);
  EXPECT_EQ(j.histogram.largest, 1);
  EXPECT_EQ(j.histogram.not_finite, 0);
}

// ROPE-8, where a product is too small for binary64: it is no zero, and has a sign.
TEST(Judge, AProductBelowBinary64HasASign) {
  Case c = RopeCase(Format::kF32, {1}, 2);
  c.parameters.erase("rope_theta");
  c.parameters["frequencies"] = std::vector<Number>{Number(1e-290)};
  for (int64_t i = 0; i < c.inputs.at("x").count(); ++i)
    c.inputs.at("x").Set(i, i % 2 ? 0 : 0x1p-149);
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(Judge(c, y).profiles[kRounded].outside, 0);
  EXPECT_FALSE(std::signbit(y.at("y").Value(1)));
  y.at("y").Set(1, -0.0);
  EXPECT_EQ(Judge(c, y).profiles[kRounded].outside, 1);
}

// An error that is the bound itself, to every digit: within, and vacuous where it proves nothing.
TEST(Judge, NoPrecisionTellsErrorFromBound) {
  class Equal final : public Truth {
   public:
    explicit Equal(double size) : size_(size) {}
    Interval Value(int, int64_t) const override { return sqrt(Interval(2)); }
    Interval Bound(int, int64_t, const Profile&) const override {
      return abs(Interval(1.5) - sqrt(Interval(2)));
    }
    Interval Size(int, int64_t) const override { return Interval(size_); }
    Interval Scale(int, int64_t) const override { return Interval(1); }
    Place Where(int, int64_t) const override { return {}; }
    std::vector<Step> Steps(int, int64_t) const override { return {}; }

   private:
    double size_;
  };
  const Case c = RopeCase(Format::kF32, {1}, 2);
  const auto verdict = [&](double size) {
    return JudgeElement(Equal(size), c, 0, 0, DType::kF32, EncodeBits(Format::kF32, 1.5))[1];
  };
  EXPECT_EQ(verdict(1), ElementVerdict::kWithin);
  EXPECT_EQ(verdict(0x1p-10), ElementVerdict::kVacuous);
}

TEST(Judge, SubnormalsFlushedAreCounted) {
  Case c = RopeCase(Format::kF32, {1}, 2);
  c.inputs.at("x").Set(0, 0x1p-140);
  c.inputs.at("x").Set(1, 0x1p-140);
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(Judge(c, y).flushed, 0);
  y.at("y").Set(1, 0);
  const Judgement j = Judge(c, y);
  EXPECT_EQ(j.flushed, 1);
  EXPECT_EQ(j.strictest(), std::nullopt);
}

}  // namespace
}  // namespace gnomon::reference
