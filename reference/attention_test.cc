// The truth of attention: its fast path against the intervals, equal scores that stay equal, large
// scores, and rows without a key.
#include "gnomon/spec/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

Tensor Draw(std::mt19937* random, Format format, const Shape& shape, double size = 1) {
  std::normal_distribution<double> normal(0, size);
  Tensor tensor(DTypeOf(format), shape);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, normal(*random));
  return tensor;
}
Tensor Reals(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor(DType::kF32, shape);
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

// Elements that took the fast path.
int64_t Check(const Case& c) {
  const std::unique_ptr<Truth> truth = TruthOf(c);
  ScopedPrecision precision(512);
  int64_t quick_elements = 0;
  for (int64_t i = 0; i < ElementCount(Validate(c)[0].shape); ++i) {
    QuickElement quick;
    if (!truth->Quick(0, i, &quick)) continue;
    ++quick_elements;
    EXPECT_TRUE(
        LessOrEqual(abs(Interval(quick.value) - truth->Value(0, i)), Interval(quick.radius)))
        << c.operation << " element " << i;
    EXPECT_LE(quick.radius, 1e-10 * quick.size) << "a radius that decides nothing";
    EXPECT_EQ(quick.place.position, truth->Where(0, i).position);
    for (size_t p = 1; p < kProfiles.size(); ++p) {
      const Interval bound = truth->Bound(0, i, kProfiles[p]);
      if (std::isinf(quick.bound[p])) {
        EXPECT_TRUE(std::isinf(Midpoint(bound)));
        continue;
      }
      EXPECT_TRUE(LessOrEqual(abs(Interval(quick.bound[p]) - bound), bound * 0x1p-40))
          << c.operation << " element " << i << " " << kProfiles[p].name;
    }
  }
  return quick_elements;
}

class EveryFormat : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         testing::Values(Format::kF32, Format::kBf16, Format::kF16),
                         [](const auto& info) { return std::string(Traits(info.param).name); });

TEST_P(EveryFormat, TheFastPathIsTheClause) {
  std::mt19937 random(5);
  int64_t quick = 0;
  for (int i = 0; i < 12; ++i) {
    Case c;
    c.operation = "attention.softmax";
    c.format = GetParam();
    c.parameters["mask"] = std::string(i % 2 ? "causal" : "none");
    if (i % 3 == 0) c.parameters["scale"] = 0.3 * (1 + i % 4);
    const double size = i % 4 == 3 ? 5 : 1;
    c.inputs.emplace("q", Draw(&random, c.format, {1, 3, 6, 5}, size));
    c.inputs.emplace("k", Draw(&random, c.format, {1, 7, 2, 5}, size));
    c.inputs.emplace("v", Draw(&random, c.format, {1, 7, 2, 4}, i % 5 == 4 ? 1000 : 1));
    if (i % 2) c.inputs.emplace("bias", Draw(&random, c.format, {6, 3, 7}, 3));
    if (i % 4 == 1) c.parameters["alibi_bias_max"] = 8.0;
    quick += Check(c);
    Case w;
    w.operation = "attention.weights";
    w.format = c.format;
    w.parameters = c.parameters;
    if (c.inputs.count("bias")) w.inputs.emplace("bias", c.inputs.at("bias"));
    w.inputs.emplace("scores", Draw(&random, c.format, {1, 6, 3, 7}, 4 * size));
    quick += Check(w);
  }
  EXPECT_GT(quick, 1500);
}

// Equal scores over an irrational root: weights are 1/t exactly, and a mean that is half way
// between two numbers is a tie, rounded to even, not undecided.
TEST(AttentionTruth, EqualScoresStayEqual) {
  Case c;
  c.operation = "attention.softmax";
  c.parameters["mask"] = std::string("none");
  c.inputs.emplace("q", Reals({1, 1, 1, 3}, {0.1, 0.7, -3}));
  c.inputs.emplace("k", Reals({1, 3, 1, 3}, {1, 2, 3, 1, 2, 3, 1, 2, 3}));
  c.inputs.emplace("v", Reals({1, 3, 1, 1}, {3, 0, 3 * 0x1p-23}));  // mean 1 + 2^-23
  EXPECT_EQ(RoundedTruth(c).at("y").Value(0), 1 + 0x1p-23);
  c.inputs.at("v") = Reals({1, 3, 1, 1}, {3, 0, 3 * 0x1p-24});  // mean 1 + 2^-24: a tie
  int64_t ties = 0;
  EXPECT_EQ(RoundedTruth(c, &ties).at("y").Value(0), 1);
  EXPECT_EQ(ties, 0);
}

// Scores of 2^100: more bits are taken than the first precision has.
TEST(AttentionTruth, LargeScores) {
  Case c;
  c.operation = "attention.weights";
  c.parameters["mask"] = std::string("none");
  c.inputs.emplace("scores", Reals({1, 1, 1, 3}, {0x1p100, 0x1p100, 0x1p99}));
  const std::unique_ptr<Truth> truth = TruthOf(c);
  ScopedPrecision precision(kFirstPrecision);
  EXPECT_TRUE(IsPoint(truth->Value(0, 0)));
  EXPECT_EQ(Midpoint(truth->Value(0, 0)), 0.5);
  EXPECT_EQ(RoundedTruth(c).at("weights").Value(2), 0);
  // No float32 kernel can be held to anything there: the bound says so.
  EXPECT_TRUE(std::isinf(Midpoint(truth->Bound(0, 0, kProfiles[1]))));
}

TEST(AttentionTruth, NoKeyGivesZero) {
  Case c;
  c.operation = "attention.softmax";
  c.parameters["mask"] = std::string("causal");
  c.inputs.emplace("q", Reals({1, 2, 1, 1}, {1, 1}));
  c.inputs.emplace("k", Reals({1, 1, 1, 1}, {1}));
  c.inputs.emplace("v", Reals({1, 1, 1, 1}, {7}));
  const Outputs y = RoundedTruth(c);
  EXPECT_EQ(y.at("y").Value(0), 0);
  EXPECT_EQ(y.at("y").Value(1), 7);
}

}  // namespace
}  // namespace gnomon::reference
