// REL-12, REL-13: attention with rows added to keys and values, against its formula written out on
// intervals and against attention.softmax of keys and values that are given; what is not finite;
// refusals.
#include <gtest/gtest.h>

#include <limits>

#include "gnomon/optimized/schemes.h"
#include "gnomon/reference/attention_test_cases.h"
#include "gnomon/reference/relative.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/test_refusal.h"

namespace gnomon::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 4 heads share 2 key heads, K = 2.
Case Attention() {
  Case c = SmallAttention(
      "relative.attention", 4, [](int64_t i) { return 2 * i; }, [](int64_t i) { return i; });
  c.parameters["max_relative_position"] = 2.0;
  c.inputs.emplace("key_table", Eighths({5, 2}));
  c.inputs.emplace("value_table", Eighths({5, 3}));
  return c;
}

// The query alone, with keys and values to which its rows are added: numbers of few bits, so their
// sums are values of f32.
Case Given(const Case& c, int64_t query) {
  Case given;
  given.operation = "attention.softmax";
  given.parameters = {{"mask", std::string("none")}};
  if (c.parameters.count("scale")) given.parameters["scale"] = c.parameters.at("scale");
  const gnomon::relative::VectorParameters p = gnomon::relative::ReadAttention(c).rows;
  Tensor q(DType::kF32, {1, 1, 4, 2});
  for (int64_t i = 0; i < 8; ++i) q.Set(i, c.inputs.at("q").Value(query * 8 + i));
  given.inputs.emplace("q", q);
  for (const char* role : {"k", "v"}) {
    const Tensor& from = c.inputs.at(role);
    const Tensor& table = c.inputs.at(role[0] == 'k' ? "key_table" : "value_table");
    const int64_t columns = from.shape()[3];
    Tensor sums(DType::kF32, from.shape());
    for (int64_t i = 0; i < from.count(); ++i) {
      const int64_t row = RowOf(p, c.inputs.at("query_positions").Integer(query),
                                c.inputs.at("key_positions").Integer(i / columns / 2));
      sums.Set(i, from.Value(i) + table.Value(row * columns + i % columns));
    }
    given.inputs.emplace(role, sums);
  }
  return given;
}

TEST(RelativeAttention, IsSoftmaxWithTheSumsGiven) {
  for (const char* difference : {"key_minus_query", "query_minus_key"})
    for (const bool scaled : {false, true}) {
      Case c = Attention();
      c.parameters["difference"] = std::string(difference);
      if (scaled) c.parameters["scale"] = 0.375;
      const auto own = TruthOf(c);
      for (int64_t query = 0; query < 3; ++query) {
        const Case given = Given(c, query);
        const auto other = TruthOf(given);
        for (int64_t i = 0; i < 12; ++i) {
          ExpectOneNumber(own->Value(0, query * 12 + i), other->Value(0, i), std::to_string(i));
          // REL-13: the sums are not given, so the bound is wider.
          for (const Profile& profile : kProfiles) {
            if (profile.correctly_rounded) continue;
            EXPECT_GT(Midpoint(own->Bound(0, query * 12 + i, profile)),
                      Midpoint(other->Bound(0, i, profile)));
          }
        }
      }
    }
}

TEST(RelativeAttention, KernelIsWithinTheBound) {
  for (const char* mask : {"none", "causal"}) {
    Case c = Attention();
    c.parameters["mask"] = std::string(mask);
    Tensor y(DType::kF32, {1, 3, 4, 3});
    ASSERT_TRUE(optimized::relative::Run(c, {{"y", y.view()}}, optimized::Mode::kStandard));
    const auto truth = TruthOf(c);
    for (int64_t i = 0; i < y.count(); ++i) {
      const Interval off = abs(truth->Value(0, i) - Interval(y.Value(i)));
      EXPECT_TRUE(mpfr_lessequal_p(Lower(off), Upper(truth->Bound(0, i, kProfiles[1])))) << i;
    }
  }
}

// Rows of zeros are plain attention; values that all get 1 come out 1 higher.
TEST(RelativeAttention, ZeroTablesArePlainAttention) {
  Case c = Attention();
  for (const char* role : {"key_table", "value_table"})
    for (int64_t i = 0; i < c.inputs.at(role).count(); ++i) c.inputs.at(role).Set(i, 0);
  Case plain;
  plain.operation = "attention.softmax";
  plain.parameters = {{"mask", std::string("none")}};
  for (const char* role : {"q", "k", "v"}) plain.inputs.emplace(role, c.inputs.at(role));
  const auto own = TruthOf(c), other = TruthOf(plain);
  for (int64_t i = 0; i < 36; ++i)
    ExpectOneNumber(own->Value(0, i), other->Value(0, i), std::to_string(i));
  Case values = c;
  for (int64_t i = 0; i < 15; ++i) values.inputs.at("value_table").Set(i, 1);
  const auto moved = TruthOf(values);
  for (int64_t i = 0; i < 36; ++i)
    ExpectOneNumber(moved->Value(0, i), own->Value(0, i) + 1, std::to_string(i));
}

// REL-12: a row that no pair has does not matter; one that is met makes NaN or is left open.
TEST(RelativeAttention, RowsThatAreNotFinite) {
  Case c = Attention();
  c.parameters["mask"] = std::string("causal");
  c.inputs.at("query_positions") = Tensor(DType::kI64, {3});
  c.inputs.at("key_positions") = Tensor(DType::kI64, {5});  // all at 0: row 2 alone
  c.inputs.at("key_table").Set(0, std::numeric_limits<double>::quiet_NaN());
  c.inputs.at("value_table").Set(14, kInfinity);
  EXPECT_EQ(TruthOf(c)->Expect(0, 0).kind, Expectation{}.kind);
  Case value = c;
  value.inputs.at("value_table").Set(6, -kInfinity);
  EXPECT_EQ(TruthOf(value)->Expect(0, 0).non_finite, -kInfinity);
  EXPECT_EQ(TruthOf(value)->Expect(0, 1).kind, Expectation{}.kind);
  Case key = c;
  key.inputs.at("key_table").Set(4, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(TruthOf(key)->Expect(0, 0).kind, Expectation::kNonFinite);
  // The score of every key is minus infinity: each is left out, and NaN is open.
  key.inputs.at("key_table").Set(4, -kInfinity);
  key.inputs.at("q").Set(0, 1);
  const auto truth = TruthOf(key);
  EXPECT_EQ(truth->Expect(0, 0).kind, Expectation{}.kind);
  EXPECT_TRUE(truth->NonFiniteIsOpen(0, 0, kProfiles[1]));
}

TEST(RelativeAttention, RefusalsNameTheParameter) {
  EXPECT_EQ(Refusal(Attention()), "");
  for (const char* name : {"max_relative_position", "mask"}) {
    Case c = Attention();
    c.parameters.erase(name);
    EXPECT_NE(Refusal(c).find(name), std::string::npos);
  }
  for (const char* role : {"key_table", "value_table"}) {
    Case c = Attention();
    c.inputs.at(role) = Tensor(DType::kF32, {4, role[0] == 'k' ? 2 : 3});
    EXPECT_NE(Refusal(c).find(role), std::string::npos);
  }
  Case c = Attention();
  c.inputs.at("key_positions") = Tensor(DType::kI64, {4});
  EXPECT_NE(Refusal(c).find("key_positions"), std::string::npos);
}

}  // namespace
}  // namespace gnomon::reference
