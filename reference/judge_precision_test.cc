// What the first precision does not tell: the judge asks again with more bits, for verdicts, for
// the signs of infinities and for the numbers of a report.
#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/reference/judge.h"

namespace gnomon::reference {
namespace {

constexpr size_t kRounded = 0, kStandard = 1;

Tensor Integers(const std::vector<int64_t>& values) {
  Tensor tensor(DType::kI64, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) tensor.SetInteger(static_cast<int64_t>(i), values[i]);
  return tensor;
}

// Frequencies of 10^150 and more: their angles need 500 bits before anything is known.
Case FastTurning(const std::string& operation) {
  Case c;
  c.operation = operation;
  c.format = Format::kF32;
  c.parameters = {{"head_dim", 4.0}, {"rope_theta", 1e-300}};
  c.inputs.emplace("positions", Integers({1000, 7}));
  return c;
}

TEST(Precision, ErrorsAreThoseOfTheTruth) {
  const Case c = FastTurning("rope.table");
  const Judgement j = Judge(c, RoundedTruth(c));
  EXPECT_EQ(j.strictest(), kRounded);
  EXPECT_LE(j.histogram.largest, 0.5);
  EXPECT_LT(j.profiles[kStandard].worst->error / j.profiles[kStandard].worst->bound, 1);
}

TEST(Precision, AnInfinityHasItsSign) {
  Case c = FastTurning("rope.apply");
  c.parameters["layout"] = std::string("interleaved");
  Tensor x(DType::kF32, {1, 2, 1, 4});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, i == 2 ? HUGE_VAL : 1);
  c.inputs.emplace("x", std::move(x));
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(Judge(c, y).strictest(), kRounded);
  y.at("y").Set(2, -y.at("y").Value(2));
  EXPECT_EQ(Judge(c, y).profiles[kStandard].outside, 1);
}

// SCALE-15: a floor that 128 bits do not decide.
TEST(Precision, AFloorBesideAnInteger) {
  Case c;
  c.operation = "rope_scaling.temperature";
  c.format = Format::kF32;
  c.parameters = {{"floor_scale", "0." + std::string(60, '9')}};
  c.inputs.emplace("positions", Integers({0, 1, 5}));
  EXPECT_EQ(Judge(c, RoundedTruth(c)).strictest(), kRounded);
}

// What no precision decides proves nothing, under any profile.
TEST(Precision, NothingIsKnown) {
  class Unknown final : public Truth {
    Interval Value(int, int64_t) const override { throw Undecided(); }
    Interval Bound(int, int64_t, const Profile&) const override { return Interval(1); }
    Interval Size(int, int64_t) const override { return Interval(2); }
    Interval Scale(int, int64_t) const override { return Interval(1); }
    Place Where(int, int64_t) const override { return {}; }
    std::vector<Step> Steps(int, int64_t) const override { return {}; }
  };
  const Case c = FastTurning("rope.table");
  for (const double answer : {0.5, HUGE_VAL})
    for (const ElementVerdict verdict :
         JudgeElement(Unknown(), c, 0, 0, DType::kF32, EncodeBits(Format::kF32, answer)))
      EXPECT_EQ(verdict, ElementVerdict::kVacuous);
}

// ROPE-7 and ROPE-9 of given tables.
class GivenTables : public testing::Test {
 protected:
  // One pair, the values of x and of both tables; what the judge makes of two answers.
  ProfileResult Of(double a, double b, double cos, double sin, double first, double second,
                   bool flushes = false, Format format = Format::kF32) {
    Case c;
    c.operation = "rope.apply";
    c.format = format;
    c.parameters = {{"head_dim", 2.0}, {"layout", std::string("interleaved")}};
    const auto tensor = [&](const Shape& shape, std::initializer_list<double> values) {
      Tensor t(DTypeOf(format), shape);
      int64_t i = 0;
      for (const double v : values) t.Set(i++, v);
      return t;
    };
    c.inputs.emplace("x", tensor({1, 1, 1, 2}, {a, b}));
    c.inputs.emplace("cos", tensor({1, 1}, {cos}));
    c.inputs.emplace("sin", tensor({1, 1}, {sin}));
    const Outputs y{{"y", tensor({1, 1, 1, 2}, {first, second})}};
    return Judge(c, y, {{}, flushes}).profiles[kStandard];
  }
  static constexpr double kInf = HUGE_VAL;
};

TEST_F(GivenTables, AnInfinityIsDue) {
  EXPECT_EQ(Of(kInf, 1, 0.5, 0.5, kInf, kInf).within, 2);
  EXPECT_EQ(Of(kInf, 1, 0.5, 0.5, -kInf, std::nan("")).outside, 2);
  EXPECT_EQ(Of(2, 1, kInf, 0.5, kInf, kInf).within, 2);
  EXPECT_EQ(Of(2, 1, kInf, 0.5, -kInf, 3).outside, 2);
}

TEST_F(GivenTables, UnlessAProductOverflowsBesideIt) {
  EXPECT_EQ(Of(kInf, 2e38, 0.5, 3, std::nan(""), kInf).vacuous, 1);
  EXPECT_EQ(Of(kInf, 2e38, 0.5, 1, std::nan(""), kInf).outside, 1);
  EXPECT_EQ(Of(kInf, 2e38, 3, 0.5, -kInf, kInf).outside, 1);  // the other member's product
}

// BOUND-8.
TEST_F(GivenTables, OrWhatItMeetsIsFlushed) {
  EXPECT_EQ(Of(kInf, 1, 1e-40, 0.5, std::nan(""), kInf).outside, 1);
  EXPECT_EQ(Of(kInf, 1, 1e-40, 0.5, std::nan(""), kInf, true).vacuous, 1);
}

}  // namespace
}  // namespace gnomon::reference
