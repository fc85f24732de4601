// SIN-20 to SIN-24: the kernels give the bits of the rounded truth, by their fast path and beyond
// it, on every target.
#include "gnomon/optimized/sinusoidal_real.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/optimized/kernel_cases.h"
#include "gnomon/reference/truth.h"

namespace gnomon::optimized {
namespace {

using testing::Between;
using testing::Random;

constexpr Format kFormats16And32[] = {Format::kF32, Format::kBf16, Format::kF16};

// Plain numbers, eighths and their neighbours, powers of two of any size, near multiples of pi.
double Argument(Random& random) {
  const double sign = random() % 2 ? 1 : -1;
  const double unit = std::ldexp(static_cast<double>(random() >> 11), -53);
  switch (random() % 7) {
    case 0:
      return sign * unit * 1000;
    case 1:
      return sign * static_cast<double>(random() % 4096) / 8;
    case 2:
      return sign * (static_cast<double>(random() % 64) / 8 + std::ldexp(unit, -40));
    case 3:
      return sign * std::ldexp(1 + unit, static_cast<int>(random() % 600) - 300);
    case 4:  // within an ulp of a multiple of pi/2
      return sign * static_cast<double>(random() % 1000000) * 1.5707963267948966;
    case 5:
      return random() % 4 ? 0.0 : -0.0;
    default:
      return sign * std::ldexp(1 + unit, -static_cast<int>(random() % 40));
  }
}
Tensor Arguments(Random& random, const Shape& shape) {
  const DType dtype = random() % 3 ? DType::kF64 : random() % 2 ? DType::kF32 : DType::kBf16;
  Tensor t = testing::Strided(random, dtype, shape, true, random() % 2);
  for (int64_t i = 0; i < t.count(); ++i) {
    t.Set(i, Argument(random));
    if (!std::isfinite(t.Value(i))) t.Set(i, 1);
  }
  return t;
}

void ExpectRounded(Random& random, const Case& c) {
  const OutputShape shape = Validate(c)[0];
  testing::Guarded out(
      testing::Strided(random, DTypeOf(c.format), shape.shape, false, random() % 2));
  out.Fence();
  Run(c, {{shape.role, out.tensor().view()}});
  ASSERT_TRUE(out.Intact());
  const Outputs truth = reference::RoundedTruth(c);
  for (int64_t i = 0; i < out.tensor().count(); ++i) {
    const double expected = truth.at(shape.role).Value(i);
    EXPECT_EQ(out.tensor().Value(i), expected)
        << c.operation << " " << Traits(c.format).name << " element " << i;
  }
}

class SinusoidalReal : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UseTarget(GetParam()); }
  void TearDown() override { UseTarget(""); }
};
INSTANTIATE_TEST_SUITE_P(Kernel, SinusoidalReal, ::testing::ValuesIn(Targets()),
                         [](const auto& target) { return target.param; });

TEST_P(SinusoidalReal, Timesteps) {
  Random random(41);
  for (int i = 0; i < 60; ++i) {
    Case c;
    c.operation = "sinusoidal.timestep";
    c.format = kFormats16And32[i % 3];
    c.parameters["width"] = static_cast<double>(Between(random, 4, 40));
    c.parameters["flip_sin_to_cos"] = random() % 2 == 0;
    c.parameters["downscale_freq_shift"] = static_cast<double>(random() % 2);
    c.parameters["max_period"] = std::vector<double>{10000, 500000, 0.01, 16}[random() % 4];
    if (random() % 2)
      c.parameters["scale"] = std::vector<double>{1000, -0.3, 0, 1e-30}[random() % 4];
    if (random() % 4 == 0) c.parameters["scale"] = std::string("0.1");
    c.inputs["timesteps"] = Arguments(random, {Between(random, 1, 5)});
    ExpectRounded(random, c);
  }
}

TEST_P(SinusoidalReal, Fourier) {
  Random random(42);
  for (int i = 0; i < 60; ++i) {
    Case c;
    c.operation = "sinusoidal.fourier";
    c.format = kFormats16And32[i % 3];
    if (random() % 2) c.parameters["layout"] = std::string("sin_cos");
    const int64_t coordinates = Between(random, 1, 4);
    c.inputs["x"] = Arguments(random, {Between(random, 1, 4), coordinates});
    c.inputs["B"] = Arguments(random, {Between(random, 1, 9), coordinates});
    ExpectRounded(random, c);
  }
}

TEST_P(SinusoidalReal, Nerf) {
  Random random(43);
  for (int i = 0; i < 60; ++i) {
    Case c;
    c.operation = "sinusoidal.nerf";
    c.format = kFormats16And32[i % 3];
    const bool linear = random() % 3 == 0;
    c.parameters["octaves"] = static_cast<double>(Between(random, 1, linear ? 32 : 12));
    if (linear) c.parameters["sampling"] = std::string("linear");
    if (random() % 2) c.parameters["unit"] = std::string("one");
    if (random() % 2) c.parameters["order"] = std::string("octave");
    c.parameters["include_input"] = random() % 2 == 0;
    c.inputs["x"] = Arguments(random, {Between(random, 1, 3), Between(random, 1, 3)});
    ExpectRounded(random, c);
  }
}

}  // namespace
}  // namespace gnomon::optimized
