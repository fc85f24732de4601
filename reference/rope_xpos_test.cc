// The truth of rope.xpos: scales that are rational, the second number type, deployed recipes by
// name, and what must fail (XPOS-1 to XPOS-6).
#include "gnomon/reference/rope_xpos.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

Case XposCase(const std::vector<int64_t>& positions, double head_dim, const std::string& role,
              double center, Format format = Format::kF32) {
  Case c;
  c.operation = "rope.xpos";
  c.format = format;
  c.parameters = {{"head_dim", head_dim},
                  {"layout", std::string("half_split")},
                  {"role", role},
                  {"center", center}};
  const int64_t n = static_cast<int64_t>(positions.size()), d = static_cast<int64_t>(head_dim);
  Tensor p(DType::kI64, {n}), x(DTypeOf(format), {1, n, 1, d});
  for (int64_t i = 0; i < n; ++i) p.SetInteger(i, positions[static_cast<size_t>(i)]);
  for (int64_t i = 0; i < n * d; ++i)
    x.Set(i, std::ldexp(static_cast<double>(i % 7 - 3), -(i % 3)));
  c.inputs.emplace("positions", p);
  c.inputs.emplace("x", x);
  return c;
}

std::string Why(const Case& c) {
  try {
    Validate(c);
  } catch (const Rejected& e) {
    return e.what();
  }
  return "";
}

TEST(Xpos, RoundedTruthMeetsRoundedAndANudgeDoesNot) {
  for (const Format format : {Format::kF64, Format::kF32, Format::kBf16, Format::kF16})
    for (const char* role : {"query", "key"}) {
      const Case c = XposCase({0, 1, 511, 512, 700, 1023, 4095, -3}, 8, role, 512, format);
      Outputs y = RoundedTruth(c);
      const Judgement judged = Judge(c, y);
      EXPECT_EQ(judged.strictest(), 0u);
      for (const ProfileResult& profile : judged.profiles) EXPECT_EQ(profile.outside, 0);
      Tensor& out = y.at("y");
      out.SetBits(1, BitsAt(std::as_const(out).view(), 1) ^ 1);
      EXPECT_EQ(Judge(c, y).profiles[0].outside, 1);
      out.Set(1, 1e4);
      EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
    }
}

// A quotient of integers is a point, so that a tie of R_0 can be decided (XPOS-4).
TEST(Xpos, RationalScalesAreExact) {
  Xpos p;
  p.apply.frequencies.head_dim = p.apply.frequencies.rotary_dim = 18;
  p.role = XposRole::kKey;
  ScopedPrecision precision(kFirstPrecision);
  EXPECT_EQ(ScaleOf<Interval>(p, 0, 0), 1);
  EXPECT_EQ(ScaleOf<Interval>(p, 512, 0), 3.5);
  EXPECT_EQ(ScaleOf<Interval>(p, 1024, 0), 12.25);
  EXPECT_EQ(ScaleOf<Interval>(p, 256, 2), 1.5);  // zeta_2 = 4/9
  EXPECT_EQ(ScaleOf<Interval>(p, 768, 2), 3.375);
  EXPECT_FALSE(IsPoint(ScaleOf<Interval>(p, 256, 0)));
  EXPECT_EQ(IntegerRoot(27, 3), 3);
  EXPECT_EQ(IntegerRoot(28, 3), 0);
  EXPECT_EQ(IntegerRoot(4, 3), 0);
  EXPECT_EQ(IntegerRoot(1, 1 << 20), 1);
  EXPECT_EQ(IntegerRoot(2, 1 << 20), 0);
}

TEST(Xpos, TheSecondNumberTypeAgrees) {
  Xpos p;
  p.apply.frequencies.head_dim = p.apply.frequencies.rotary_dim = 64;
  p.center = 17;
  ScopedPrecision precision(200);
  for (const XposRole role : {XposRole::kQuery, XposRole::kKey})
    for (const int64_t m : {0, 16, 17, 18, 529, 1041, 32000, -32000})
      for (const int64_t pair : {0, 1, 13, 31}) {
        p.role = role;
        const Wide other = ScaleOf<Wide>(p, m, pair);
        const Interval scale = ScaleOf<Interval>(p, m, pair);
        const Interval near(other.str(70).c_str());
        EXPECT_TRUE(LessOrEqual(abs(scale - near), scale * ldexp(Interval(1), -180))) << m;
      }
}

// XPOS-5: torch's recipe in float32 is within f32-angle, and not within standard.
TEST(Xpos, TheFloatRecipeIsNamed) {
  const Case c = XposCase({1, 700, 1023, 4095, 20000}, 64, "query", 512);
  Outputs y = RoundedTruth(c);
  const Tensor& x = c.inputs.at("x");
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t i = 0; i < 32; ++i) {
      const float m = static_cast<float>(c.inputs.at("positions").Integer(t));
      const float w = 1.0f / std::pow(10000.0f, static_cast<float>(2 * i) / 64.0f);
      const float zeta = (static_cast<float>(2 * i) + 25.6f) / 89.6f;
      const float scale = std::pow(zeta, (m - 512.0f) / 512.0f);
      const float cosine = std::cos(m * w) * scale, sine = std::sin(m * w) * scale;
      const float a = static_cast<float>(x.Value(64 * t + i));
      const float b = static_cast<float>(x.Value(64 * t + 32 + i));
      y.at("y").Set(64 * t + i, a * cosine - b * sine);
      y.at("y").Set(64 * t + 32 + i, a * sine + b * cosine);
    }
  const Judgement j = Judge(c, y);
  EXPECT_GT(j.profiles[*ProfileFromName("standard")].outside, 0);
  EXPECT_TRUE(j.profiles[*ProfileFromName("f32-angle")].met());
}

TEST(Xpos, RefusesByName) {
  Case c = XposCase({0}, 4, "query", 0);
  EXPECT_EQ(Why(c), "");
  c.parameters.erase("role");
  EXPECT_EQ(Why(c), "role = (missing): is never guessed: give query or key (XPOS-1)");
  c = XposCase({0}, 4, "value", 0);
  EXPECT_NE(Why(c), "");
  c = XposCase({0}, 4, "key", 0);
  c.parameters.erase("center");
  EXPECT_EQ(Why(c), "center = (missing): is required (XPOS-3)");
  c.parameters["center"] = 0.5;
  EXPECT_NE(Why(c), "");
  EXPECT_EQ(Why(XposCase({32768}, 4, "key", 0)), "");
  EXPECT_EQ(Why(XposCase({32769}, 4, "key", 0)),
            "positions = 32769: must lie within 64 scale_base of center = 0 (XPOS-1)");
  c = XposCase({0}, 4, "key", 0);
  c.parameters["scale_base"] = 0.0;
  EXPECT_NE(Why(c), "");
  c.parameters.erase("scale_base");
  c.parameters["rope_type"] = std::string("linear");
  EXPECT_NE(Why(c), "");
}

}  // namespace
}  // namespace gnomon::reference
