#include "gnomon/optimized/rope.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/kernel_cases.h"

namespace gnomon::optimized {
namespace {

using testing::Guarded;
using testing::Random;

constexpr Format kFormats16And32[] = {Format::kF32, Format::kBf16, Format::kF16};

// Run, with the output in memory of its own, or in x's.
Guarded RunGuarded(Random& random, Case* c, Mode mode, bool in_place) {
  const Tensor& x = c->inputs.at("x");
  Guarded y(testing::Strided(random, x.dtype(), x.shape(), false, random() % 2 == 0));
  if (in_place) {
    for (int64_t i = 0; i < x.count(); ++i) y.tensor().SetBits(i, BitsAt(x.view(), i));
    c->inputs["x"] = y.tensor();
    c->in_place = "x";
    c->inputs.at("x") = y.tensor();  // CASE-4: its memory is the output's
  }
  y.Fence();
  Run(*c, {{"y", y.tensor().view()}}, mode);
  return y;
}

// A float loop of the test's own, in long double: angles here stay below 2^21 radians.
void ExpectWithinStandard(const Case& c, const Tensor& y, const std::string& where) {
  const RopeApply a = gnomon::rope::ReadApply(c);
  const Tensor &x = c.inputs.at("x"), &positions = c.inputs.at("positions");
  const int64_t seqs = x.shape()[1], heads = x.shape()[2], dims = x.shape()[3];
  const Profile& standard = kProfiles[*ProfileFromName("standard")];
  for (int64_t head = 0; head < x.count() / dims; ++head) {
    const int64_t token = head / heads, base = head * dims;
    const int64_t m = positions.Integer(positions.count() == seqs ? token % seqs : token);
    for (int64_t dim = 0; dim < dims; ++dim) {
      if (a.InWindow(dim)) continue;
      ASSERT_EQ(BitsAt(x.view(), base + dim), BitsAt(y.view(), base + dim)) << where;
    }
    for (int64_t pair = 0; pair < a.frequencies.pairs(); ++pair) {
      const long double w = std::pow(10000.0L, -2.0L * pair / a.frequencies.rotary_dim);
      const long double angle = (a.direction == RopeDirection::kTranspose ? -m : m) * w;
      const double cos = std::cos(angle), sin = std::sin(angle);
      const double x0 = x.Value(base + a.Dim(a.input_layout, pair, 0));
      const double x1 = x.Value(base + a.Dim(a.input_layout, pair, 1));
      const double S0 = std::fabs(x0 * cos) + std::fabs(x1 * sin);
      const double S1 = std::fabs(x0 * sin) + std::fabs(x1 * cos);
      for (int member : {0, 1}) {
        const double truth = member ? x0 * sin + x1 * cos : x0 * cos - x1 * sin;
        const double bound =
            RotationBound<double>(standard, c.format, truth, member ? S1 : S0, 0,
                                  std::fabs(x0) + std::fabs(x1), 0, TableError(standard, c.format));
        const double got = y.Value(base + a.Dim(a.output_layout, pair, member));
        // The loop's own error, 2^-50 of the sum, lies far below the bound of any format.
        ASSERT_LE(std::fabs(got - truth), bound + 0x1p-50 * (S0 + S1))
            << where << " position " << m << " pair " << pair << " x " << x0 << " " << x1;
      }
    }
  }
}

class RopeTest : public ::testing::Test {
 protected:
  ~RopeTest() override { UseTarget(""); }
};

TEST_F(RopeTest, StandardModeOnEveryTargetFormatLayoutWindowAndMemory) {
  Random random(11);
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 120; ++i) {
      const Format format = kFormats16And32[i % 3];
      Case c = testing::RandomApply(random, format);
      Guarded y = RunGuarded(random, &c, Mode::kStandard, i % 4 == 0);
      const std::string where = target + " case " + std::to_string(i);
      ASSERT_TRUE(y.Intact()) << where;
      ExpectWithinStandard(c, y.tensor(), where);
      if (HasFatalFailure()) return;
    }
  }
}

// Stores around the caches, aligned and not, and prefetching beyond the second level: the same bits
// as token by token, by stores that stay.
TEST_F(RopeTest, StreamingStoresChangeNoBit) {
  Random random(12);
  const int64_t seq =
      1 + Level2Bytes() / (16 * 128 * 4);  // more than the second level, in place too
  const Shape shape{1, seq, 16, 128};
  Tensor x(DType::kF32, shape);
  for (int64_t i = 0; i < x.count(); ++i)
    x.SetBits(i, std::bit_cast<uint32_t>(static_cast<float>(random() % 4096) - 2048));
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int64_t origin : {0, 1, 16}) {
      for (const std::string& layout : kRopeLayoutNames) {
        RopeApply a;
        a.frequencies.head_dim = a.frequencies.rotary_dim = 128;
        a.input_layout = a.output_layout =
            layout == "interleaved" ? RopeLayout::kInterleaved : RopeLayout::kHalfSplit;
        Tensor positions(DType::kI32, {seq});
        for (int64_t i = 0; i < seq; ++i) positions.SetInteger(i, i - 100);
        Guarded y(
            Tensor(DType::kF32, shape, ContiguousStrides(shape), origin + 16, x.count() + 48));
        y.Fence();
        const RopePlan plan(a);
        const Tensor& constant = positions;
        plan.Apply(static_cast<const Tensor&>(x).view(), constant.view(), y.tensor().view(),
                   Mode::kStandard, 0);
        ASSERT_TRUE(y.Intact());
        const auto token = [&](TensorView v, int64_t i) {
          v.data += i * v.strides[1] * 4;
          v.shape[1] = 1;
          return v;
        };
        Tensor one(DType::kF32, {1, 1, 16, 128});
        for (int64_t i = 0; i < seq; i += 7) {
          ConstTensorView m = constant.view();
          m.data += 4 * i;
          m.shape = {1};
          plan.Apply(token(x.view(), i), m, one.view(), Mode::kStandard, INT64_MAX);
          const TensorView there = token(y.tensor().view(), i);
          for (int64_t k = 0; k < one.count(); k += 3)
            ASSERT_EQ(BitsAt(there, k), BitsAt(one.view(), k));
        }
      }
    }
  }
}

// ROPE-7, ROPE-10: NaN in one member makes both NaN, infinities and subnormals follow IEEE; every
// target, format, layout, and positions with and without an angle.
TEST_F(RopeTest, SpecialValues) {
  const double inf = INFINITY, nan = NAN;
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (Format format : kFormats16And32)
      for (const std::string& layout : kRopeLayoutNames)
        for (Mode mode : {Mode::kStandard, Mode::kExact}) {
          const double tiny = std::ldexp(1.0, Traits(format).min_quantum_exponent);
          const double inputs[][2] = {{nan, 1},   {1, nan},  {inf, 1},     {1, -inf},
                                      {inf, inf}, {tiny, 0}, {0, 3 * tiny}};
          Case c;
          c.operation = "rope.apply";
          c.format = format;
          c.parameters = {{"head_dim", 2.0}, {"layout", layout}};
          Tensor x(DTypeOf(format), {1, 1, 7, 2}), positions(DType::kI64, {1});
          for (int64_t i = 0; i < 14; ++i) x.Set(i, inputs[i / 2][i % 2]);
          positions.SetInteger(0, 1);  // cos 0.54, sin 0.84
          c.inputs = {{"x", x}, {"positions", positions}};
          Outputs y = MakeOutputs(c);
          optimized::Run(c, {{"y", y.at("y").view()}}, mode);
          const auto out = [&y](int64_t i) { return y.at("y").Value(i); };
          for (int64_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(out(i))) << target;
          EXPECT_EQ(out(4), inf) << target;
          EXPECT_EQ(out(5), inf) << target;
          EXPECT_EQ(out(6), inf) << target;
          EXPECT_EQ(out(7), -inf) << target;
          EXPECT_TRUE(std::isnan(out(8))) << target;
          EXPECT_EQ(out(9), inf) << target;
          EXPECT_EQ(out(10), tiny) << target;       // 0.54 quanta
          EXPECT_EQ(out(11), tiny) << target;       // 0.84
          EXPECT_EQ(out(12), -3 * tiny) << target;  // 2.52
          EXPECT_EQ(out(13), 2 * tiny) << target;   // 1.62
        }
  }
}

// Errors name the parameter and the clause (CASE-6).
TEST_F(RopeTest, BadInputIsRejected) {
  RopeApply a;
  a.frequencies.head_dim = a.frequencies.rotary_dim = 4;
  const RopePlan plan(a);
  Tensor x(DType::kF32, {1, 2, 1, 4}), y(DType::kF32, {1, 2, 1, 4}), m(DType::kI64, {2});
  const auto apply = [&](const Tensor& in, const Tensor& positions, Tensor& out) {
    plan.Apply(in.view(), positions.view(), out.view());
  };
  EXPECT_NO_THROW(apply(x, m, y));
  Tensor wide(DType::kF64, {1, 2, 1, 4}), short_m(DType::kI64, {3}), float_m(DType::kF32, {2});
  EXPECT_THROW(apply(wide, m, wide), Rejected);
  EXPECT_THROW(apply(x, short_m, y), Rejected);
  EXPECT_THROW(apply(x, float_m, y), Rejected);
  Tensor far(DType::kI64, {2});
  far.SetInteger(1, int64_t{1} << 31);
  try {
    apply(x, far, y);
    FAIL();
  } catch (const Rejected& e) {
    EXPECT_EQ(e.clause(), "POS-1");
  }
  RopeApply beyond = a;
  beyond.rotary_offset = 1;
  EXPECT_THROW(RopePlan{beyond}, Rejected);
  beyond = a;
  beyond.frequencies.rotary_dim = 3;
  EXPECT_THROW(RopePlan{beyond}, Rejected);
  TensorView turned = x.view();
  turned.strides[1] = -4;
  EXPECT_THROW(plan.Apply(x.view(), static_cast<const Tensor&>(m).view(), turned), Rejected);
}

}  // namespace
}  // namespace gnomon::optimized
