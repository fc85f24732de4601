// The truth of attention: equal scores that stay equal, large scores, and rows without a key.
#include "gnomon/spec/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

Tensor Reals(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor(DType::kF32, shape);
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), values[i]);
  return tensor;
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
  EXPECT_EQ(Midpoint(truth->Value(0, 0)), 0.5);
  EXPECT_EQ(RoundedTruth(c).at("weights").Value(2), 0);
  // No float32 kernel can be held to anything there: the bound says so.
  EXPECT_TRUE(std::isinf(Midpoint(truth->Bound(0, 0, kProfiles[1]))));
}

// ATT-13. q k overflows in float32, and a bias of minus infinity leaves the pair out: a kernel that
// adds the bias to the product has NaN. Where nothing overflows it has no such excuse.
TEST(AttentionTruth, AnOverflowBesideABiasThatLeavesOutIsOpen) {
  for (const double size : {0x1p100, 1.0}) {
    Case c;
    c.operation = "attention.softmax";
    c.parameters["mask"] = std::string("none");
    c.inputs.emplace("q", Reals({1, 1, 1, 1}, {size}));
    c.inputs.emplace("k", Reals({1, 1, 1, 1}, {size}));
    c.inputs.emplace("v", Reals({1, 1, 1, 1}, {7}));
    c.inputs.emplace("bias", Reals({1, 1, 1}, {-HUGE_VAL}));
    const std::unique_ptr<Truth> truth = TruthOf(c);
    EXPECT_EQ(RoundedTruth(c).at("y").Value(0), 0);
    EXPECT_EQ(truth->NonFiniteIsOpen(0, 0, kProfiles[1]), size > 1);
  }
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
