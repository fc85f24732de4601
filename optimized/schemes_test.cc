#include "gnomon/optimized/schemes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/mpfr_truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::optimized {
namespace {

TEST(Targets, AreSelectableOneByOne) {
  const std::vector<std::string> targets = Targets();
  ASSERT_GE(targets.size(), 2u);
  // The one without vectors is always there, last.
  EXPECT_TRUE(targets.back() == "SCALAR" || targets.back() == "EMU128");
  for (const std::string& target : targets) {
    UseTarget(target);
    EXPECT_EQ(CurrentTarget(), target);
    EXPECT_EQ(Targets(), targets);  // the choice hides nothing
  }
  UseTarget("");
  EXPECT_EQ(CurrentTarget(), targets.front());
  EXPECT_THROW(UseTarget("MMX"), Rejected);
  EXPECT_EQ(CurrentTarget(), targets.front());
}

TEST(Supports, EveryOperationInItsFormats) {
  // What is computed once for a model, exactly, or is an integer.
  const std::set<std::string> in_f64 = {"rope.frequencies",         "rope_scaling.frequencies",
                                        "rope_scaling.magnitude",   "rope_scaling.layers",
                                        "rope_scaling.temperature", "t5_bias.bucket",
                                        "t5_bias.deberta_bucket"};
  for (const OperationSpec* operation : AllOperations()) {
    for (Format format : {Format::kF32, Format::kBf16, Format::kF16})
      EXPECT_TRUE(Supports(operation->name, format)) << operation->name;
    EXPECT_EQ(Supports(operation->name, Format::kF64), in_f64.count(operation->name) > 0)
        << operation->name;
  }
  EXPECT_FALSE(Supports("rope.nothing", Format::kF32));
}

TEST(Run, RefusesWhatTheContractRefuses) {
  Case c;
  c.operation = "rope.table";
  c.parameters["head_dim"] = 8.0;
  c.inputs["positions"] = Tensor(DType::kI64, {3});
  Outputs out = MakeOutputs(c);
  const auto views = [&out] {
    return OutputViews{{"cos", out.at("cos").view()}, {"sin", out.at("sin").view()}};
  };
  EXPECT_NO_THROW(optimized::Run(c, views()));
  OutputViews missing = views();
  missing.erase("sin");
  EXPECT_THROW(optimized::Run(c, missing), Rejected);
  OutputViews short_rows = views();
  short_rows.at("cos").shape[0] = 2;
  EXPECT_THROW(optimized::Run(c, short_rows), Rejected);
  c.format = Format::kF64;
  Outputs wide = MakeOutputs(c);
  EXPECT_THROW(optimized::Run(c, {{"cos", wide.at("cos").view()}, {"sin", wide.at("sin").view()}}),
               Rejected);
  c.operation = "rope.scale";
  EXPECT_THROW(optimized::Run(c, views()), Rejected);
}

// ROPE-1, in all four formats, exact decimals honoured.
TEST(Run, FrequenciesAreCorrectlyRounded) {
  for (Format format : {Format::kF64, Format::kF32, Format::kBf16, Format::kF16}) {
    Case c;
    c.operation = "rope.frequencies";
    c.format = format;
    c.parameters = {
        {"head_dim", 96.0}, {"rotary_dim", 80.0}, {"rope_theta", std::string("500000.1")}};
    Outputs out = MakeOutputs(c);
    optimized::Run(c, {{"w", out.at("w").view()}});
    for (int64_t i = 0; i < 40; ++i)
      EXPECT_EQ(BitsAt(out.at("w").view(), i),
                testing::Mpfr::Power(Number("500000.1"), 2 * i, 80).Bits(format));
  }
}

// 16-bit tables are rounded once: at the positions where rounding a float32 again would go wrong
// too.
TEST(Run, SixteenBitTablesAreRoundedOnce) {
  size_t boundaries = 0;
  for (Format format : {Format::kBf16, Format::kF16}) {
    Case c;
    c.operation = "rope.table";
    c.format = Format::kF32;
    c.parameters["head_dim"] = 6.0;
    constexpr int64_t kRows = 30000;
    Tensor positions(DType::kI32, {kRows});
    for (int64_t i = 0; i < kRows; ++i) positions.SetInteger(i, 7 * i - 1000);
    c.inputs["positions"] = positions;
    Outputs single = MakeOutputs(c);
    optimized::Run(c, {{"cos", single.at("cos").view()}, {"sin", single.at("sin").view()}});
    c.format = format;
    Outputs out = MakeOutputs(c);
    optimized::Run(c, {{"cos", out.at("cos").view()}, {"sin", out.at("sin").view()}});
    for (int64_t pair = 0; pair < 3; ++pair) {
      const testing::Mpfr w = testing::Mpfr::Power(Number(10000), 2 * pair, 6, 200);
      for (int64_t row = 0; row < kRows; ++row) {
        uint64_t bits;
        const bool boundary =
            !RoundOnce(format, static_cast<float>(single.at("sin").Value(3 * row + pair)), &bits);
        boundaries += boundary;
        if (!boundary && row % 16) continue;
        const auto truth = testing::CosSin(w, positions.Integer(row), 150);
        if (positions.Integer(row) == 0) continue;
        ASSERT_EQ(BitsAt(out.at("sin").view(), 3 * row + pair), truth.sin.Bits(format)) << row;
        ASSERT_EQ(BitsAt(out.at("cos").view(), 3 * row + pair), truth.cos.Bits(format)) << row;
      }
    }
  }
  EXPECT_GT(boundaries, 0u);  // otherwise this test has shown nothing
}

// The set-up that Run keeps is shared between threads.
TEST(Run, ThreadsAgree) {
  const auto answer = [](int64_t dim) {
    Case c;
    c.operation = "rope.table";
    c.parameters["head_dim"] = static_cast<double>(dim);
    Tensor positions(DType::kI64, {64});
    for (int64_t i = 0; i < 64; ++i) positions.SetInteger(i, i);
    c.inputs["positions"] = positions;
    Outputs out = MakeOutputs(c);
    optimized::Run(c, {{"cos", out.at("cos").view()}, {"sin", out.at("sin").view()}});
    return out.at("sin").storage();
  };
  std::vector<std::thread> threads;
  std::vector<int> agreed(4, 0);
  for (size_t t = 0; t < agreed.size(); ++t)
    threads.emplace_back([&, t] {
      for (int64_t dim = 2; dim < 160; dim += 2) agreed[t] += answer(dim) == answer(dim);
    });
  for (std::thread& thread : threads) thread.join();
  for (int count : agreed) EXPECT_EQ(count, 79);
}

}  // namespace
}  // namespace gnomon::optimized
