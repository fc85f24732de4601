// The sinusoidal truths: every operation in every format, values from outside, and what must fail.
#include "gnomon/reference/sinusoidal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::reference {
namespace {

Tensor Positions(const std::vector<int64_t>& values) {
  Tensor t(DType::kI64, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) t.SetInteger(static_cast<int64_t>(i), values[i]);
  return t;
}

Case Make(const std::string& operation, Format format, double width,
          const std::vector<int64_t>& positions = {0, 1, 77, -3, 65537}) {
  Case c;
  c.operation = operation;
  c.format = format;
  c.parameters["width"] = width;
  if (operation == "sinusoidal.similarity" || operation == "sinusoidal.distance") {
    c.inputs.emplace("m", Positions(positions));
    c.inputs.emplace("n", Positions({0, 5, -70000}));
  } else if (operation == "sinusoidal.shift_matrix" || operation == "sinusoidal.relative_head") {
    c.parameters["offset"] = 7.0;
  } else {
    c.inputs.emplace("positions", Positions(positions));
  }
  if (operation == "sinusoidal.add") {
    Tensor x(DTypeOf(format), {2, static_cast<int64_t>(positions.size()), int64_t(width)});
    for (int64_t i = 0; i < x.count(); ++i) x.Set(i, std::cos(double(i)) * 3);
    c.inputs.emplace("x", x);
    c.parameters["token_scale"] = std::string("sqrt_width");
  }
  return c;
}

class EveryOperation : public testing::TestWithParam<std::tuple<const OperationSpec*, Format>> {};
std::vector<const OperationSpec*> SinusoidalOperations() {
  std::vector<const OperationSpec*> all;
  for (const OperationSpec& o : gnomon::sinusoidal::Operations())
    if (!gnomon::sinusoidal::IsReal(o.name)) all.push_back(&o);  // sinusoidal_real_test.cc
  return all;
}
INSTANTIATE_TEST_SUITE_P(Operations, EveryOperation,
                         testing::Combine(testing::ValuesIn(SinusoidalOperations()),
                                          testing::Values(Format::kF64, Format::kF32, Format::kBf16,
                                                          Format::kF16)),
                         [](const auto& info) {
                           return std::get<0>(info.param)->name.substr(11) + "_" +
                                  std::string(Traits(std::get<1>(info.param)).name);
                         });

TEST_P(EveryOperation, RoundedTruthMeetsRoundedAndANudgeDoesNot) {
  const auto [operation, format] = GetParam();
  const Case c = Make(operation->name, format, 6);
  Outputs y = RoundedTruth(c);
  EXPECT_EQ(Judge(c, y).strictest(), 0u);
  Tensor& out = y.at(operation->outputs[0].role);
  const int64_t last = out.count() - 1;
  out.SetBits(last, BitsAt(std::as_const(out).view(), last) ^ 1);
  EXPECT_EQ(Judge(c, y).profiles[0].outside, 1);
  out.Set(last, 77);
  EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
}

double At(const Case& c, int64_t element) {
  const Outputs y = RoundedTruth(c);
  return y.begin()->second.Value(element);
}

// catalogue: d = 4, t = 2; the longest wavelengths; neighbours at d = 512; similarity at d = 64.
TEST(Sinusoidal, ValuesPrintedElsewhere) {
  const Case table = Make("sinusoidal.table", Format::kF64, 4, {0, 1, 2});
  const double printed[] = {0, 1, 0, 1, 0.841, 0.540, 0.010, 1.000, 0.909, -0.416, 0.020, 1.000};
  for (int64_t i = 0; i < 12; ++i) EXPECT_NEAR(At(table, i), printed[i], 0.0005) << i;
  Case similarity = Make("sinusoidal.similarity", Format::kF64, 64, {64, 1000});
  EXPECT_NEAR(At(similarity, 0) / 32, 0.4345653, 5e-8);
  EXPECT_NEAR(At(similarity, 3) / 32, 0.2789365, 5e-8);
  similarity.parameters["base"] = 100.0;
  EXPECT_NEAR(At(similarity, 0) / 32, -0.0211556, 5e-8);
  const Case distance = Make("sinusoidal.distance", Format::kF64, 512, {1});
  EXPECT_NEAR(std::pow(At(distance, 0), 2), 13.795804, 5e-7);
}

TEST(Sinusoidal, OddWidthsAndLayouts) {
  Case c = Make("sinusoidal.table", Format::kF32, 5, {2});
  c.parameters["layout"] = std::string("sin_cos");
  c.parameters["divisor"] = std::string("half_minus_one");
  c.parameters["odd_width"] = std::string("zero");
  // flaxformer's embedding_test.py: h = 2, frequencies 1 and 1e-4, last column 0.
  const double printed[] = {0.9092974, 2e-4, -0.4161468, 1, 0};
  for (int64_t i = 0; i < 5; ++i) EXPECT_NEAR(At(c, i), printed[i], 1e-5) << i;
  c.parameters["odd_width"] = std::string("sine");
  EXPECT_NEAR(At(c, 4), std::sin(2 * std::pow(10000.0, -2.0)), 1e-12);
}

// R_k of the interleaved layout, and minus the offset is the transpose.
TEST(Sinusoidal, ShiftMatrix) {
  const Case c = Make("sinusoidal.shift_matrix", Format::kF64, 4);
  EXPECT_NEAR(At(c, 0), std::cos(7), 1e-15);
  EXPECT_NEAR(At(c, 1), std::sin(7), 1e-15);
  EXPECT_NEAR(At(c, 4), -std::sin(7), 1e-15);
  EXPECT_EQ(At(c, 2), 0);
}

// SIN-6 and SIN-7 written out entry by entry are what the judge evaluates.
TEST(Sinusoidal, MatricesAreTheirFormula) {
  for (const char* operation : {"sinusoidal.shift_matrix", "sinusoidal.relative_head"}) {
    const Case c = Make(operation, Format::kF64, 6);
    const std::unique_ptr<Truth> truth = TruthOf(c);
    ScopedPrecision precision(256);
    for (int64_t i = 0; i < 36; ++i) {
      const Interval entry = MatrixEntry<Interval>(gnomon::sinusoidal::ReadMatrix(c), i / 6, i % 6);
      EXPECT_TRUE(LessOrEqual(abs(entry - truth->Value(0, i)), ldexp(Interval(1), -240))) << i;
    }
  }
}

// A plain float32 table with frequencies by exp meets f32-exp, and not f32-angle, at base 10000.
TEST(Sinusoidal, TheExpFormIsNamed) {
  const Case c = Make("sinusoidal.table", Format::kF32, 64, {131071, 99991, 77777, 120011});
  Outputs y = RoundedTruth(c);
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t i = 0; i < 32; ++i) {
      const float w =
          std::exp(static_cast<float>(2 * i) * static_cast<float>(-std::log(10000.0) / 64));
      const float a = static_cast<float>(c.inputs.at("positions").Integer(row)) * w;
      y.at("pe").Set(64 * row + 2 * i, std::sin(a));
      y.at("pe").Set(64 * row + 2 * i + 1, std::cos(a));
    }
  const Judgement j = Judge(c, y);
  ASSERT_TRUE(j.strictest());
  EXPECT_EQ(kProfiles[*j.strictest()].name, "f32-exp");
}

TEST(Sinusoidal, RefusesByName) {
  Case c = Make("sinusoidal.table", Format::kF32, 4);
  c.parameters["bass"] = 1.0;
  try {
    Validate(c);
    FAIL();
  } catch (const Rejected& e) {
    EXPECT_STREQ(e.what(), "bass = 1: is not a parameter of this operation (CASE-2)");
  }
  EXPECT_THROW(Validate(Make("sinusoidal.similarity", Format::kF32, 5)), Rejected);
  EXPECT_THROW(Validate(Make("sinusoidal.table", Format::kF32, 4, {int64_t{1} << 31})), Rejected);
  c = Make("sinusoidal.table", Format::kF32, 4);
  c.parameters["base"] = -1.0;
  EXPECT_THROW(Validate(c), Rejected);
}

}  // namespace
}  // namespace gnomon::reference
