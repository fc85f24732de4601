// The truths of timesteps, Fourier features and NeRF: exact quarter turns, both reductions of the
// same angle, deployed recipes by name, and what must fail (SIN-20 to SIN-24).
#include "gnomon/reference/sinusoidal_real.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

Tensor Numbers(const Shape& shape, const std::vector<double>& values, DType dtype = DType::kF64) {
  Tensor t(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i) t.Set(static_cast<int64_t>(i), values[i]);
  return t;
}

Case Timesteps(const std::vector<double>& t, double width, Format format = Format::kF32) {
  Case c;
  c.operation = "sinusoidal.timestep";
  c.format = format;
  c.parameters["width"] = width;
  c.inputs.emplace("timesteps", Numbers({static_cast<int64_t>(t.size())}, t));
  return c;
}
Case Fourier(const std::vector<double>& x, const std::vector<double>& B,
             Format format = Format::kF32) {
  Case c;
  c.operation = "sinusoidal.fourier";
  c.format = format;
  const int64_t n = static_cast<int64_t>(x.size());
  c.inputs.emplace("x", Numbers({1, n}, x));
  c.inputs.emplace("B", Numbers({static_cast<int64_t>(B.size()) / n, n}, B));
  return c;
}
Case NerfOf(const std::vector<double>& x, double octaves, Format format = Format::kF32) {
  Case c;
  c.operation = "sinusoidal.nerf";
  c.format = format;
  c.parameters["octaves"] = octaves;
  c.inputs.emplace("x", Numbers({1, static_cast<int64_t>(x.size())}, x));
  return c;
}
double At(const Case& c, int64_t element) { return RoundedTruth(c).begin()->second.Value(element); }

TEST(SinusoidalReal, RoundedTruthMeetsRoundedAndANudgeDoesNot) {
  for (const Format format : {Format::kF64, Format::kF32, Format::kBf16, Format::kF16}) {
    Case with_input = NerfOf({0.3, -7.25}, 3, format);
    with_input.parameters["include_input"] = true;
    for (const Case& c : {Timesteps({0, 0.5, -3.75, 1e-6, 12345.678, 1e30}, 7, format),
                          Fourier({0.3, -1.5}, {2, 0.125, 3.7, 1e20, 0, 0}, format), with_input}) {
      SCOPED_TRACE(c.operation + " " + std::string(Traits(format).name));
      Outputs y = RoundedTruth(c);
      EXPECT_EQ(Judge(c, y).strictest(), 0u);
      Tensor& out = y.begin()->second;
      out.SetBits(0, BitsAt(std::as_const(out).view(), 0) ^ 1);
      EXPECT_EQ(Judge(c, y).profiles[0].outside, 1);
      out.Set(0, 77);
      EXPECT_EQ(Judge(c, y).strictest(), std::nullopt);
    }
  }
}

// SIN-23: a quarter turn is one, not a number near it, however the products of B x come about.
TEST(SinusoidalReal, QuarterTurnsAreExact) {
  const Case c = Fourier({0.5, 3}, {0.5, 0, 0x1p60, 0.25, -1, 1, 0.125, 0x1p-1074}, Format::kF64);
  const double cosines[] = {0, 0, -1}, sines[] = {1, -1, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(At(c, i), cosines[i]) << i;
    EXPECT_EQ(At(c, 4 + i), sines[i]) << i;
  }
  EXPECT_NE(At(c, 3), 0);
  // 2^k pi x at x = 1/2: a quarter turn, a half one, whole ones from then on.
  const double octaves[] = {1, 0, 0, -1, 0, 1, 0, 1};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(At(NerfOf({0.5}, 4, Format::kF64), i), octaves[i]) << i;
}

// SIN-22, linear: 1, 10/3, 17/3, 8 for L = 4; 3/4 of the second is five quarter turns.
TEST(SinusoidalReal, EvenlySpacedOctaves) {
  Case c = NerfOf({0.75}, 4, Format::kF64);
  c.parameters["sampling"] = std::string("linear");
  EXPECT_EQ(At(c, 2), 1);
  EXPECT_EQ(At(c, 3), 0);
  c.parameters["unit"] = std::string("one");
  EXPECT_EQ(At(c, 2), std::sin(2.5));
  EXPECT_EQ(At(c, 6), std::sin(6.0));
}

// Both reductions, of 2 pi B x in turns and of a product of intervals, meet.
TEST(SinusoidalReal, TurnsAndRadiansAgree) {
  const std::vector<double> x = {0.3, -1.7, 12345.678}, B = {2.5, 1e6, -3.25};
  const Case c = Fourier(x, B);  // the truth looks into it
  const std::unique_ptr<Truth> truth = TruthOf(c);
  ScopedPrecision precision(256);
  Interval angle(0), pi(0);
  mpfi_const_pi(pi.backend().data());
  for (size_t i = 0; i < 3; ++i) angle += 2 * pi * Interval(x[i]) * Interval(B[i]);
  EXPECT_TRUE(LessOrEqual(abs(cos(angle) - truth->Value(0, 0)), ldexp(Interval(1), -180)));
  EXPECT_TRUE(LessOrEqual(abs(sin(angle) - truth->Value(0, 1)), ldexp(Interval(1), -180)));
}

// SIN-24: diffusers' recipe in float32 is within f32-exp, and no profile of exact angles covers it.
TEST(SinusoidalReal, TheExpFormIsNamed) {
  const std::vector<double> times = {999.5, 8191.25, 131071, 77777.75};
  Case c = Timesteps(times, 128);
  c.parameters["downscale_freq_shift"] = 0.0;
  Outputs y = RoundedTruth(c);
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t i = 0; i < 64; ++i) {
      const float exponent = -static_cast<float>(std::log(10000.0)) * static_cast<float>(i) / 64.0f;
      const float a = static_cast<float>(times[static_cast<size_t>(row)]) * std::exp(exponent);
      y.at("pe").Set(128 * row + i, std::sin(a));
      y.at("pe").Set(128 * row + 64 + i, std::cos(a));
    }
  const Judgement j = Judge(c, y);
  EXPECT_GT(j.profiles[*ProfileFromName("standard")].outside, 0);
  EXPECT_TRUE(j.profiles[*ProfileFromName("f32-exp")].met());
}

TEST(SinusoidalReal, RefusesByName) {
  const auto why = [](const Case& c) -> std::string {
    try {
      Validate(c);
    } catch (const Rejected& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why(Timesteps({1, std::nan("")}, 4)),
            "timesteps = nan: must be a finite number (SIN-23)");
  EXPECT_EQ(why(Fourier({std::numeric_limits<double>::infinity()}, {1})),
            "x = inf: must be a finite number (SIN-23)");
  EXPECT_EQ(why(Timesteps({1}, 2)),
            "downscale_freq_shift = 1: must be below the number of pairs, 1 (SIN-20)");
  Case c = Timesteps({1}, 4);
  c.parameters["flip_sin_to_cos"] = 1.0;
  EXPECT_EQ(why(c), "flip_sin_to_cos = 1: must be true or false (SIN-20)");
  c = Timesteps({1}, 4);
  c.parameters["downscale_freq_shift"] = 0.5;
  EXPECT_NE(why(c), "");
  c.parameters["downscale_freq_shift"] = 0.0;
  c.parameters["max_period"] = 0.0;
  EXPECT_EQ(why(c), "max_period = 0: must be positive (SIN-20)");
  c = Fourier({1, 2}, {1, 2});
  c.inputs.at("x") = Numbers({1, 3}, {1, 2, 3});
  EXPECT_EQ(why(c), "B = coordinate 2: must have coordinate 3 (SIN-21)");
  c = NerfOf({1}, 33);
  EXPECT_EQ(why(c), "");
  c.parameters["sampling"] = std::string("linear");
  EXPECT_NE(why(c), "");
}

}  // namespace
}  // namespace gnomon::reference
