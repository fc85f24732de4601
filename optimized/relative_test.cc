// The kernel of relative.attention on every target: groups, blocks and tails of queries and keys,
// positions that rise by one and others, masks; rows of the tables that no key has hold anything.
#include "gnomon/optimized/relative.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gnomon/optimized/schemes.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::optimized {
namespace {

Tensor Filled(DType dtype, const Shape& shape, int64_t seed) {
  Tensor t(dtype, shape);
  for (int64_t i = 0; i < t.count(); ++i)
    t.Set(i, std::sin(static_cast<double>(i * 7 + seed) * 0.61));
  return t;
}

struct Draw {
  int64_t queries = 0, keys = 0, clip = 0;
  bool causal = false, rising = true, masked = false, reversed = false;
};
Case CaseOf(const Draw& draw, Format format) {
  Case c;
  c.operation = "relative.attention";
  c.format = format;
  c.parameters["mask"] = std::string(draw.causal ? "causal" : "none");
  c.parameters["max_relative_position"] = static_cast<double>(draw.clip);
  c.parameters["difference"] = kDifferenceNames[draw.reversed ? 1 : 0];
  const DType dtype = DTypeOf(format);
  c.inputs["q"] = Filled(dtype, {1, draw.queries, 2, 5}, 1);
  c.inputs["k"] = Filled(dtype, {1, draw.keys, 1, 5}, 2);
  c.inputs["v"] = Filled(dtype, {1, draw.keys, 1, 3}, 3);
  c.inputs["key_table"] = Filled(dtype, {2 * draw.clip + 1, 5}, 4);
  c.inputs["value_table"] = Filled(dtype, {2 * draw.clip + 1, 3}, 5);
  Tensor m(DType::kI64, {draw.queries}), n(DType::kI64, {draw.keys});
  for (int64_t i = 0; i < draw.queries; ++i)
    m.SetInteger(i, draw.rising ? i + 20 : i * 13 % 101 - 50);
  for (int64_t i = 0; i < draw.keys; ++i) n.SetInteger(i, draw.rising ? i : i * 17 % 89 - 44);
  c.inputs["query_positions"] = m;
  c.inputs["key_positions"] = n;
  if (draw.masked) {
    Tensor seen(DType::kI64, {1, draw.keys});
    for (int64_t i = 0; i < draw.keys; ++i) seen.SetInteger(i, i % 5 != 3);
    c.inputs["key_mask"] = seen;
  }
  return c;
}
Outputs Answer(const Case& c) {
  Outputs y = MakeOutputs(c);
  optimized::Run(c, {{"y", y.at("y").view()}});
  return y;
}
void ExpectStandard(const Case& c, const std::string& what) {
  const reference::Judgement judged = reference::Judge(c, Answer(c));
  EXPECT_TRUE(judged.profiles[*ProfileFromName("standard")].met())
      << CurrentTarget() << " " << Traits(c.format).name << " " << what;
}

class RelativeAttention : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UseTarget(GetParam()); }
  void TearDown() override { UseTarget(""); }
};
INSTANTIATE_TEST_SUITE_P(Kernel, RelativeAttention, testing::ValuesIn(Targets()),
                         [](const auto& target) { return target.param; });

TEST_P(RelativeAttention, WithinStandard) {
  const Draw draws[] = {{1, 1, 0},
                        {7, 70, 3},
                        {7, 70, 3, true},
                        {7, 70, 100, true, true, true},
                        {13, 66, 40, false, true, false, true},
                        {13, 66, 9, true, false, true, true},
                        {13, 130, 60, false, false}};
  for (const Draw& draw : draws)
    ExpectStandard(CaseOf(draw, Format::kF32),
                   std::to_string(draw.keys) + " keys, clip " + std::to_string(draw.clip));
  for (const Format format : {Format::kBf16, Format::kF16})
    ExpectStandard(CaseOf(draws[4], format), "16 bits");
}

// More queries than a group has: every query is answered as if it were alone, where all rows are
// alike but for its number.
TEST_P(RelativeAttention, GroupsOfQueriesAreOneByOne) {
  const Draw draw = {203, 9, 300};
  const Case all = CaseOf(draw, Format::kF32);
  const Outputs together = Answer(all);
  const Tensor &q = all.inputs.at("q"), &m = all.inputs.at("query_positions");
  for (const int64_t query : {0, 47, 48, 95, 191, 192, 197, 198, 202}) {
    Case one = all;
    Tensor its_q(DType::kF32, {1, 1, 2, 5}), its_m(DType::kI64, {1});
    for (int64_t i = 0; i < 10; ++i) its_q.Set(i, q.Value(query * 10 + i));
    its_m.SetInteger(0, m.Integer(query));
    one.inputs["q"] = its_q;
    one.inputs["query_positions"] = its_m;
    const Outputs alone = Answer(one);
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_NEAR(alone.at("y").Value(i), together.at("y").Value(query * 6 + i), 0x1p-20)
          << GetParam() << " query " << query;
  }
}

// REL-9. Rows beyond every distance are not read; a row between distances that some keys have does
// not matter either.
TEST_P(RelativeAttention, RowsThatNoKeyHasDoNotMatter) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Case far = CaseOf({7, 20, 60}, Format::kF32);  // differences -26 to -1
  const Outputs clean = Answer(far);
  for (const char* table : {"key_table", "value_table"})
    for (int64_t c = 0; c < 3; ++c) {
      far.inputs.at(table).Set(c, nan);
      far.inputs.at(table).Set(far.inputs.at(table).count() - 1 - c, nan);
    }
  EXPECT_EQ(Answer(far).at("y").storage(), clean.at("y").storage());

  Case even = CaseOf({3, 20, 60}, Format::kF32);
  for (int64_t i = 0; i < 3; ++i) even.inputs.at("query_positions").SetInteger(i, 2 * i);
  for (int64_t i = 0; i < 20; ++i) even.inputs.at("key_positions").SetInteger(i, 2 * i);
  for (int64_t row = 1; row < 121; row += 2) {  // odd distances
    even.inputs.at("key_table").Set(row * 5, nan);
    even.inputs.at("value_table").Set(row * 3, std::numeric_limits<double>::infinity());
  }
  ExpectStandard(even, "rows between");
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(std::isfinite(Answer(even).at("y").Value(i))) << GetParam();
}

// A row that a key has and a seen value that is not finite are in the answer of who sees them.
TEST_P(RelativeAttention, RowsThatAreNotFiniteAreSeen) {
  Case c = CaseOf({9, 9, 4, true}, Format::kF32);
  for (int64_t i = 0; i < 9; ++i) c.inputs.at("query_positions").SetInteger(i, i);
  c.inputs.at("value_table").Set(0, std::numeric_limits<double>::infinity());  // four behind
  const Outputs y = Answer(c);
  for (int64_t m = 0; m < 9; ++m)
    EXPECT_EQ(std::isfinite(y.at("y").Value(m * 6)), m < 4) << GetParam() << " query " << m;
  ExpectStandard(c, "an infinite row");
}

}  // namespace
}  // namespace gnomon::optimized
