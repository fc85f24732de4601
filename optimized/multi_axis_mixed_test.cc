// The kernel of multi_axis.mixed: within `standard` on every target, exact where large products
// cancel, and axial where a pair has one axis; what is refused.
#include "gnomon/optimized/multi_axis_mixed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gnomon/optimized/schemes.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/test_refusal.h"

namespace gnomon::optimized {
namespace {

Case MixedCase(Format format, bool per_batch, int64_t lists, const std::string& layout) {
  Case c;
  c.operation = "multi_axis.mixed";
  c.format = format;
  c.parameters = {
      {"head_dim", 40.0}, {"rotary_dim", 36.0}, {"rotary_offset", 2.0}, {"layout", layout}};
  if (per_batch) c.parameters["direction"] = std::string("transpose");
  Tensor x(DTypeOf(format), {2, 3, 2, 40});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, 0.37 * static_cast<double>((i * 7) % 23) - 4);
  Tensor positions(DType::kI64, per_batch ? Shape{2, 3, 3} : Shape{3, 3});
  for (int64_t i = 0; i < positions.count(); ++i)
    positions.SetInteger(i, i % 5 == 4 ? (int64_t{1} << 31) - i : 17 * i - 60);
  Tensor w(DType::kF32, {3, lists, 18});
  for (int64_t i = 0; i < w.count(); ++i)
    w.Set(i, std::ldexp(static_cast<double>(i * 13 % 31) - 15, static_cast<int>(-i % 9)));
  c.inputs.emplace("x", x);
  c.inputs.emplace("positions", positions);
  c.inputs.emplace("frequencies", w);
  return c;
}
Outputs Answer(const Case& c) {
  Outputs y = MakeOutputs(c);
  optimized::Run(c, {{"y", y.at("y").view()}});
  return y;
}

TEST(Mixed, EveryTargetKeepsThePromise) {
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (const Format format : {Format::kF32, Format::kBf16, Format::kF16})
      for (const bool per_batch : {false, true})
        for (const int64_t lists : {1, 2})
          for (const char* layout : {"interleaved", "half_split"}) {
            const Case c = MixedCase(format, per_batch, lists, layout);
            const reference::Judgement judged = reference::Judge(c, Answer(c));
            EXPECT_TRUE(judged.profiles[*ProfileFromName("standard")].met())
                << target << " " << Traits(format).name << " " << lists << " " << layout;
          }
  }
  UseTarget("");
}

TEST(Mixed, InPlaceIsTheSame) {
  Case c = MixedCase(Format::kF32, true, 2, "half_split");
  const Outputs y = Answer(c);
  Tensor x = c.inputs.at("x");
  c.in_place = "x";
  optimized::Run(c, {{"y", x.view()}});
  EXPECT_EQ(x.storage(), y.at("y").storage());
}

// (2^30 + p) w - 2^30 w is p w, whatever the two products are.
TEST(Mixed, WhatCancelsIsExact) {
  Case c = MixedCase(Format::kF32, false, 1, "half_split");
  Tensor& positions = c.inputs.at("positions");
  Tensor& w = c.inputs.at("frequencies");
  for (int64_t i = 0; i < 18; ++i) {
    const double frequency = std::ldexp(0.7 + 0.01 * static_cast<double>(i), static_cast<int>(-i));
    w.Set(i, frequency);
    w.Set(18 + i, -w.Value(i));
    w.Set(36 + i, 0);
  }
  for (int64_t s = 0; s < 3; ++s) {
    positions.SetInteger(s, s + 1 + (int64_t{1} << 30));
    positions.SetInteger(3 + s, int64_t{1} << 30);
  }
  const Outputs far = Answer(c);
  for (int64_t s = 0; s < 3; ++s) {
    positions.SetInteger(s, s + 1);
    positions.SetInteger(3 + s, 0);
  }
  EXPECT_EQ(far.at("y").storage(), Answer(c).at("y").storage());
}

// AXES-20: with a frequency on one axis a pair, multi_axis.axial.
TEST(Mixed, OneAxisAPairIsAxial) {
  Case c = MixedCase(Format::kF32, true, 1, "interleaved");
  Tensor& w = c.inputs.at("frequencies");
  std::vector<Number> list;
  for (int64_t i = 0; i < w.count(); ++i) {
    if (i / 18 == i % 18 / 6) {
      list.emplace_back(w.Value(i));
    } else {
      w.Set(i, 0);
    }
  }
  Case axial = c;
  axial.operation = "multi_axis.axial";
  axial.inputs.erase("frequencies");
  axial.parameters.erase("rotary_dim");
  axial.parameters["axes_dims"] = std::vector<Number>{12, 12, 12};
  axial.parameters["frequencies"] = list;
  EXPECT_EQ(Answer(c).at("y").storage(), Answer(axial).at("y").storage());
}

TEST(Mixed, BadInputIsRefusedByName) {
  const Case good = MixedCase(Format::kBf16, false, 2, "half_split");
  EXPECT_EQ(Refusal(good), "");
  const auto with = [&](const Tensor& w) {
    Case c = good;
    c.inputs.insert_or_assign("frequencies", w);
    return Refusal(c);
  };
  const auto refused = [](const std::string& message, const char* why) {
    return message.find("frequencies") != std::string::npos &&
           message.find(why) != std::string::npos && message.find("AXES-20") != std::string::npos;
  };
  EXPECT_TRUE(refused(with(Tensor(DType::kF16, {3, 2, 18})), "F16"));
  EXPECT_TRUE(refused(with(Tensor(DType::kF32, {3, 18})), "rank 2"));
  EXPECT_TRUE(refused(with(Tensor(DType::kF32, {9, 2, 18})), "axis 9"));
  EXPECT_TRUE(refused(with(Tensor(DType::kF32, {3, 3, 18})), "heads 3"));
  EXPECT_TRUE(refused(with(Tensor(DType::kF32, {3, 2, 20})), "pair 20"));
  Tensor infinite(DType::kF32, {3, 2, 18});
  infinite.Set(7, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(refused(with(infinite), "finite"));
  Case by_axis = good;
  by_axis.parameters["layout"] = std::string("half_split_by_axis");
  EXPECT_NE(Refusal(by_axis).find("AXES-11"), std::string::npos);
}

}  // namespace
}  // namespace gnomon::optimized
