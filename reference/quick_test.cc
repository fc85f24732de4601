// The fast path of the judge decides nearly every element of a large recording: its radius must
// cover the distance to the truth, and its bounds must be the clause's within what
// QuickElement says.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/rope.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

std::mt19937_64& Random() {
  static std::mt19937_64 random(11);
  return random;
}

// Any exponent that leaves products and sums in range, either sign, now and then zero.
double DrawNumber(Format format) {
  const int range = format == Format::kF16 ? 10 : 100;
  if (Random()() % 16 == 0) return 0;
  const double significand = 1 + std::ldexp(static_cast<double>(Random()() >> 12), -52);
  const int exponent = static_cast<int>(Random()() % static_cast<uint64_t>(2 * range)) - range;
  return RoundToFormat(format, std::ldexp(Random()() % 2 ? significand : -significand, exponent));
}

Tensor Draw(Format format, const Shape& shape) {
  Tensor tensor(DTypeOf(format), shape);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, DrawNumber(format));
  return tensor;
}

Tensor DrawPositions(int64_t count) {
  Tensor tensor(DType::kI64, {count});
  for (int64_t i = 0; i < count; ++i)
    tensor.SetInteger(i, static_cast<int32_t>(Random()()) >> (Random()() % 31));
  return tensor;
}

// Elements that took the fast path.
int64_t Check(const Case& c) {
  const std::unique_ptr<Truth> truth = TruthOf(c);
  ScopedPrecision precision(512);
  int64_t quick_elements = 0;
  const auto near = [&](double bound, const Interval& clause, const QuickElement& q) {
    return LessOrEqual(abs(Interval(bound) - clause),
                       clause * 0x1p-40 + Interval(4 * UnitRoundoff(c.format)) * q.radius);
  };
  int output = 0;
  for (const OutputShape& shape : Validate(c)) {
    for (int64_t i = 0; i < ElementCount(shape.shape); ++i) {
      QuickElement quick, flushing;
      if (!truth->Quick(output, i, kProfiles, &quick)) continue;
      EXPECT_TRUE(truth->Quick(output, i, kFlushingProfiles, &flushing));
      ++quick_elements;
      EXPECT_TRUE(
          LessOrEqual(abs(Interval(quick.value) - truth->Value(output, i)), Interval(quick.radius)))
          << c.operation << " element " << i;
      EXPECT_EQ(quick.place.position, truth->Where(output, i).position);
      EXPECT_EQ(quick.place.pair, truth->Where(output, i).pair);
      for (size_t p = 1; p < kProfiles.size(); ++p) {
        const Interval bound = truth->Bound(output, i, kProfiles[p]);
        EXPECT_TRUE(near(quick.bound[p], bound, quick))
            << c.operation << " element " << i << " " << kProfiles[p].name;
        const Interval wider = truth->Bound(output, i, kFlushingProfiles[p]);
        EXPECT_TRUE(near(flushing.bound[p], wider, flushing))
            << c.operation << " element " << i << " " << kProfiles[p].name << ", flushing";
        EXPECT_GE(flushing.bound[p], quick.bound[p]);
      }
    }
    ++output;
  }
  return quick_elements;
}

class EveryFormat : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         testing::Values(Format::kF32, Format::kBf16, Format::kF16),
                         [](const auto& info) { return std::string(Traits(info.param).name); });

TEST_P(EveryFormat, RopeApply) {
  int64_t quick = 0;
  for (int i = 0; i < 40; ++i) {
    Case c;
    c.operation = "rope.apply";
    c.format = GetParam();
    c.parameters = {{"head_dim", 12.0},
                    {"rope_theta", i % 3 == 0 ? 500000.0 : 10000.0},
                    {"layout", kRopeLayoutNames[static_cast<size_t>(i) % 2]},
                    {"output_layout", kRopeLayoutNames[static_cast<size_t>(i / 2) % 2]},
                    {"direction", kRopeDirectionNames[static_cast<size_t>(i / 4) % 2]}};
    c.inputs.emplace("x", Draw(c.format, {1, 3, 2, 12}));
    if (i % 4 == 3) {
      c.inputs.emplace("cos", Draw(c.format, {3, 6}));
      c.inputs.emplace("sin", Draw(c.format, {3, 6}));
    } else {
      c.inputs.emplace("positions", DrawPositions(3));
    }
    quick += Check(c);
  }
  EXPECT_GT(quick, 2000);
}

// A pair that cancels: the bound's share of the value is as uncertain as the value.
TEST_P(EveryFormat, ACancellingPair) {
  Case c;
  c.operation = "rope.apply";
  c.format = GetParam();
  c.parameters = {{"head_dim", 2.0}, {"layout", std::string("interleaved")}};
  Tensor x(DTypeOf(c.format), {1, 1, 1, 2});
  x.Set(0, 1);
  x.Set(1, 1.6640625);
  c.inputs.emplace("x", std::move(x));
  Tensor position(DType::kI64, {1});
  position.SetInteger(0, 15187);
  c.inputs.emplace("positions", std::move(position));
  const std::unique_ptr<Truth> truth = TruthOf(c);
  ScopedPrecision precision(128);
  EXPECT_LT(std::abs(Midpoint(truth->Value(0, 0))), 0x1p-13);
  EXPECT_EQ(Check(c), 2);
}

TEST_P(EveryFormat, TablesAndSums) {
  int64_t quick = 0;
  for (int i = 0; i < 20; ++i) {
    Case c;
    c.format = GetParam();
    c.inputs.emplace("positions", DrawPositions(4));
    c.operation = "rope.table";
    c.parameters = {{"head_dim", 10.0}};
    quick += Check(c);
    c.operation = "sinusoidal.table";
    c.parameters = {{"width", 7.0}, {"scale", i % 2 ? 1.0 : -0.3}};
    quick += Check(c);
    c.operation = "sinusoidal.add";
    c.parameters["token_scale"] = i % 3 ? Value(1.5) : Value(std::string("sqrt_width"));
    c.inputs.emplace("x", Draw(c.format, {1, 4, 7}));
    quick += Check(c);
  }
  EXPECT_GT(quick, 1500);
}

}  // namespace
}  // namespace gnomon::reference
