// The truths of relative vectors and learned positions where no list of numbers reaches: indices by
// hand, special values, refusals, and copies that are all there is to judge.
#include "gnomon/reference/relative.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gnomon/reference/judge.h"
#include "gnomon/reference/learned.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kRounded = 0, kStandard = 1;

Tensor Numbers(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor(DType::kF32, shape);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, values[static_cast<size_t>(i)]);
  return tensor;
}
Tensor Counts(const Shape& shape, const std::vector<int64_t>& values) {
  Tensor tensor(DType::kI64, shape);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.SetInteger(i, values[static_cast<size_t>(i)]);
  return tensor;
}

// Three tokens and K = 1, the rows by hand.
TEST(Relative, RowsOfThreeTokens) {
  gnomon::relative::VectorParameters p;
  p.K = 1;
  const int64_t due[3][3] = {{1, 2, 2}, {0, 1, 2}, {0, 0, 1}};
  for (int64_t m = 0; m < 3; ++m)
    for (int64_t n = 0; n < 3; ++n) {
      p.difference = Difference::kKeyMinusQuery;
      EXPECT_EQ(RowOf(p, m, n), due[m][n]);
      p.difference = Difference::kQueryMinusKey;
      EXPECT_EQ(RowOf(p, m, n), due[n][m]);
    }
  p.K = 1 << 20;
  EXPECT_EQ(RowOf(p, kMinPosition, kMaxPosition), 0);  // query minus key: far below -K
}

Case Scores(double q, double k, double a) {
  Case c;
  c.operation = "relative.scores";
  c.parameters["max_relative_position"] = 0.0;
  c.inputs.emplace("q", Numbers({1, 1}, {q}));
  c.inputs.emplace("k", Numbers({1, 1}, {k}));
  c.inputs.emplace("table", Numbers({1, 1}, {a}));
  c.inputs.emplace("m", Counts({1}, {7}));
  c.inputs.emplace("n", Counts({1}, {5}));
  return c;
}

// REL-9.
TEST(Relative, NotFinite) {
  const auto due = [](double q, double k, double a) {
    const Case c = Scores(q, k, a);
    return TruthOf(c)->Expect(0, 0).non_finite;
  };
  const auto open = [](double q, double k, double a) {
    const Case c = Scores(q, k, a);
    return TruthOf(c)->NonFiniteIsOpen(0, 0, kProfiles[kStandard]);
  };
  EXPECT_TRUE(std::isnan(due(1, std::nan(""), 1)));
  EXPECT_FALSE(open(1, std::nan(""), 1));
  EXPECT_EQ(due(2, kInfinity, -1), kInfinity);
  EXPECT_EQ(due(-2, kInfinity, -1), -kInfinity);
  EXPECT_FALSE(open(2, kInfinity, -1));
  // q (k + a) is an infinity, q k + q a a NaN.
  EXPECT_TRUE(open(kInfinity, 2, -1));
  EXPECT_TRUE(open(0, kInfinity, 1));
  // 2 x 3e38 overflows float32 although 3e38 - 3e38 does not.
  EXPECT_TRUE(open(2, 3e38, -3e38));
  EXPECT_FALSE(open(2, 3, -3));
}

Outputs Answer(const Case& c, double scale) {
  Outputs outputs = RoundedTruth(c);
  Tensor& tensor = outputs.begin()->second;
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, tensor.Value(i) * scale);
  return outputs;
}

// BOUND-7: copies alone can conform, and one that is not the input's bits does not.
TEST(Relative, CopiesProveWhereThereIsNothingElse) {
  Case c;
  c.operation = "relative.xl_shift";
  c.inputs.emplace("a", Numbers({1, 2}, {3, 5}));
  EXPECT_EQ(Judge(c, RoundedTruth(c)).strictest(), kRounded);
  EXPECT_EQ(Judge(c, Answer(c, 1 + 0x1p-20)).strictest(), std::nullopt);
}

Case Lookup(const char* role, const std::vector<int64_t>& tokens, double offset) {
  Case c;
  c.operation = "learned.lookup";
  if (offset != 0) c.parameters["offset"] = offset;
  c.inputs.emplace("table", Numbers({4, 1}, {10, 11, 12, 13}));
  c.inputs.emplace(role, Counts({static_cast<int64_t>(tokens.size())}, tokens));
  return c;
}
std::vector<double> RowsOf(const Case& c) {
  const Outputs outputs = RoundedTruth(c);
  std::vector<double> rows;
  for (int64_t i = 0; i < outputs.at("rows").count(); ++i)
    rows.push_back(outputs.at("rows").Value(i));
  return rows;
}
std::string Refusal(const Case& c) {
  try {
    Validate(c);
  } catch (const Rejected& e) {
    return e.what();
  }
  return "";
}

// LEARNED-1, LEARNED-2: the first and the last position, and one to each side of them.
TEST(Learned, TheTableEndsWhereItEnds) {
  EXPECT_EQ(RowsOf(Lookup("positions", {0, 3}, 0)), (std::vector<double>{10, 13}));
  EXPECT_EQ(RowsOf(Lookup("positions", {-2, 1}, 2)), (std::vector<double>{10, 13}));
  EXPECT_EQ(Refusal(Lookup("positions", {0, 4}, 0)),
            "positions = position 4: reads row 4 of a table of 4 rows (LEARNED-1)");
  EXPECT_EQ(Refusal(Lookup("positions", {-1}, 0)),
            "positions = position -1: reads row -1 of a table of 4 rows (LEARNED-1)");
  EXPECT_EQ(Refusal(Lookup("positions", {2}, 2)),
            "positions = position 2: reads row 4 of a table of 4 rows (LEARNED-2)");
}

// LEARNED-4: fairseq with padding_idx 1, so offset 2; OPT is the same.
TEST(Learned, PositionsFromAMask) {
  EXPECT_EQ(RowsOf(Lookup("mask", {0, 1, 1}, 2)), (std::vector<double>{11, 12, 13}));
  EXPECT_EQ(RowsOf(Lookup("mask", {1, 1, 0}, 2)), (std::vector<double>{12, 13, 11}));
  EXPECT_EQ(Refusal(Lookup("mask", {1, 2}, 2)), "mask = 2: must hold 0 and 1 (LEARNED-4)");
  EXPECT_EQ(Refusal(Lookup("mask", {1, 0}, 0)),
            "mask = position -1: reads row -1 of a table of 4 rows (LEARNED-1)");
  Case both = Lookup("mask", {1, 1}, 2);
  both.inputs.emplace("positions", Counts({2}, {0, 1}));
  EXPECT_EQ(Refusal(both), "positions = (given): excludes mask: give one of the two (LEARNED-4)");
}

}  // namespace
}  // namespace gnomon::reference
