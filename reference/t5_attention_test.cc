// T5-9, T5-10: attention with T5's bias against attention.softmax with the bias written out, by
// reference and kernel; buckets that are left open; refusals.
#include <gtest/gtest.h>

#include <limits>

#include "gnomon/optimized/schemes.h"
#include "gnomon/reference/attention_test_cases.h"
#include "gnomon/reference/t5_bias.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/test_refusal.h"

namespace gnomon::reference {
namespace {

// 4 heads share 2 key heads; each query stands on a boundary of some key.
Case Attention(bool bidirectional) {
  Case c = SmallAttention(
      "t5_bias.attention", 4, [](int64_t i) { return 10 * i; },
      [](int64_t i) { return 7 * i - 3; });
  c.parameters["bidirectional"] = bidirectional;
  c.inputs.emplace("table", Eighths({32, 4}));
  return c;
}

// What T5-9 says it is.
Case Given(const Case& c) {
  Case given;
  given.operation = "attention.softmax";
  given.format = c.format;
  given.parameters = {{"mask", c.parameters.at("mask")}, {"scale", 1.0}};
  if (c.parameters.count("scale")) given.parameters["scale"] = c.parameters.at("scale");
  for (const char* role : {"q", "k", "v"}) given.inputs.emplace(role, c.inputs.at(role));
  T5Buckets t;
  t.bidirectional = c.parameters.at("bidirectional") == Value(true);
  const Shape &q = c.inputs.at("q").shape(), &k = c.inputs.at("k").shape();
  Tensor bias(DType::kF32, {q[2], q[1], k[1]});
  for (int64_t i = 0; i < bias.count(); ++i) {
    const int64_t rel = c.inputs.at("key_positions").Integer(i % k[1]) -
                        c.inputs.at("query_positions").Integer(i / k[1] % q[1]);
    bias.Set(i, c.inputs.at("table").Value(Bucket(t, rel) * q[2] + i / k[1] / q[1]));
  }
  given.inputs.emplace("bias", bias);
  return given;
}

TEST(T5Attention, IsSoftmaxWithTheBiasGiven) {
  for (const bool bidirectional : {false, true})
    for (const bool scaled : {false, true})
      for (const char* mask : {"none", "causal"}) {
        Case c = Attention(bidirectional);
        c.parameters["mask"] = std::string(mask);
        if (scaled) c.parameters["scale"] = 0.375;
        const Case given = Given(c);
        const auto own = TruthOf(c), other = TruthOf(given);
        for (int64_t i = 0; i < 3 * 4 * 3; ++i) {
          ExpectOneNumber(own->Value(0, i), other->Value(0, i), std::to_string(i));
          // No logarithm, so no error of the bias: the bound is ATT-14's.
          EXPECT_EQ(Midpoint(own->Bound(0, i, kProfiles[1])),
                    Midpoint(other->Bound(0, i, kProfiles[1])))
              << i;
        }
      }
}

// The same numbers in the same order.
TEST(T5Attention, KernelHasTheBitsOfSoftmaxWithTheBiasGiven) {
  for (const bool bidirectional : {false, true}) {
    const Case c = Attention(bidirectional), given = Given(c);
    Tensor own(DType::kF32, {1, 3, 4, 3}), other(DType::kF32, {1, 3, 4, 3});
    ASSERT_TRUE(optimized::t5_bias::Run(c, {{"y", own.view()}}, optimized::Mode::kStandard));
    ASSERT_TRUE(
        optimized::attention::Run(given, {{"y", other.view()}}, optimized::Mode::kStandard));
    for (int64_t i = 0; i < own.count(); ++i) EXPECT_EQ(own.Value(i), other.Value(i)) << i;
  }
}

// Zeros are no bias.
TEST(T5Attention, ZeroTableIsPlainAttention) {
  Case c = Attention(true);
  for (int64_t i = 0; i < c.inputs.at("table").count(); ++i) c.inputs.at("table").Set(i, 0);
  Case plain = Given(c);
  plain.inputs.erase("bias");
  const auto own = TruthOf(c), other = TruthOf(plain);
  for (int64_t i = 0; i < 3 * 4 * 3; ++i)
    ExpectOneNumber(own->Value(0, i), other->Value(0, i), std::to_string(i));
}

// T5-10: distance 16 of 32 buckets and 128 lands on an integer. Only who forms a logarithm may
// answer the bucket below.
TEST(T5Attention, OpenBucketsWidenTheBound) {
  Case c = Attention(true);
  c.inputs.at("key_positions").SetInteger(4, -16);
  const auto at = [&c] { return TruthOf(c)->Bound(0, 0, kProfiles[2]); };
  const double standard = Midpoint(TruthOf(c)->Bound(0, 0, kProfiles[1]));
  EXPECT_GT(Midpoint(at()), 1000 * standard);
  c.inputs.at("key_positions").SetInteger(4, -17);
  EXPECT_LT(Midpoint(at()), 10 * standard);
}

// T5-9: minus infinity leaves its pair out; beside it an open bucket leaves everything open.
TEST(T5Attention, EntriesThatAreNotFinite) {
  Case c = Attention(true);
  for (int64_t i = 0; i < 5; ++i) c.inputs.at("key_positions").SetInteger(i, -i);
  c.inputs.at("table").Set(3 * 4, -std::numeric_limits<double>::infinity());
  c.inputs.at("k").Set(3 * 4, 100);  // of the key that is left out
  const auto truth = TruthOf(c);
  Case other = c;
  other.inputs.at("k").Set(3 * 4, -100);
  EXPECT_EQ(Midpoint(truth->Value(0, 0)), Midpoint(TruthOf(other)->Value(0, 0)));
  EXPECT_EQ(truth->Expect(0, 0).kind, Expectation{}.kind);
  c.inputs.at("table").Set(3 * 4, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(TruthOf(c)->Expect(0, 0).kind, Expectation::kNonFinite);
  c.inputs.at("table").Set(10 * 4, std::numeric_limits<double>::quiet_NaN());
  c.inputs.at("key_positions").SetInteger(3, -16);
  const auto open = TruthOf(c);
  EXPECT_EQ(open->Expect(0, 0).kind, Expectation{}.kind);
  EXPECT_TRUE(open->NonFiniteIsOpen(0, 0, kProfiles[0]));
}

TEST(T5Attention, RefusalsNameTheParameter) {
  EXPECT_EQ(Refusal(Attention(true)), "");
  for (const char* name : {"bidirectional", "mask"}) {
    Case c = Attention(true);
    c.parameters.erase(name);
    EXPECT_NE(Refusal(c).find(name), std::string::npos);
  }
  Case c = Attention(true);
  c.inputs.at("table") = Tensor(DType::kF32, {32, 2});
  EXPECT_NE(Refusal(c).find("heads"), std::string::npos);
  c.inputs.at("table") = Tensor(DType::kF32, {31, 4});
  EXPECT_NE(Refusal(c).find("bucket"), std::string::npos);
  c = Attention(true);
  c.inputs.at("key_positions") = Tensor(DType::kI64, {4});
  EXPECT_NE(Refusal(c).find("key_positions"), std::string::npos);
}

}  // namespace
}  // namespace gnomon::reference
