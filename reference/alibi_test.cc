// ALiBi's reference and kernel against the numbers that Coq computed, exact ties, refusals.
#include "gnomon/reference/alibi.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gnomon/optimized/schemes.h"
#include "gnomon/reference/attention_test_cases.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/test_refusal.h"

namespace gnomon::reference {
namespace {

nlohmann::json Certified() {
  std::ifstream in(std::filesystem::path(GNOMON_SOURCE_DIR) / "spec/vectors/certified_alibi.json");
  return nlohmann::json::parse(in).at("numbers");
}

// 2^-(power/16), as Coq encloses it, at the precision in force.
std::map<int64_t, Interval> Powers() {
  std::map<int64_t, Interval> powers;
  for (const nlohmann::json& entry : Certified()) {
    if (!entry.contains("power")) continue;
    Interval x(0);
    mpfr_set_str(&x.backend().data()->left, entry.at("low").get<std::string>().c_str(), 0,
                 MPFR_RNDD);
    mpfr_set_str(&x.backend().data()->right, entry.at("high").get<std::string>().c_str(), 0,
                 MPFR_RNDU);
    powers.emplace(entry.at("power").get<int64_t>(), x);
  }
  return powers;
}

Case SlopesOf(int64_t heads, Format format) {
  Case c;
  c.operation = "alibi.slopes";
  c.parameters["num_heads"] = static_cast<double>(heads);
  c.format = format;
  return c;
}

// ALIBI-1: every slope of 1 to 128 heads.
TEST(AlibiCertified, SlopesAreThePowersThatCoqComputed) {
  ScopedPrecision precision(256);
  const std::map<int64_t, Interval> powers = Powers();
  int compared = 0;
  for (const nlohmann::json& entry : Certified()) {
    if (!entry.contains("sixteenths")) continue;
    const std::vector<int64_t> sixteenths = entry.at("sixteenths");
    const int64_t heads = entry.at("num_heads");
    ASSERT_EQ(static_cast<int64_t>(sixteenths.size()), heads);
    AlibiSlopes s;
    s.num_heads = heads;
    for (int64_t head = 0; head < heads; ++head, ++compared) {
      const int64_t power = sixteenths[static_cast<size_t>(head)];
      const Interval slope = Slope<Interval>(s.ExponentOf(head));
      if (power % 16 == 0) {
        EXPECT_TRUE(IsPoint(slope)) << heads << " " << head;
        EXPECT_EQ(Midpoint(slope), std::ldexp(1.0, static_cast<int>(-power / 16)));
      }
      const Interval& coq = powers.at(power);
      EXPECT_TRUE(mpfr_lessequal_p(Lower(slope), Upper(coq)) &&
                  mpfr_lessequal_p(Lower(coq), Upper(slope)))
          << heads << " " << head;
      const Interval moved = coq * (1 + ldexp(Interval(1), -80));
      EXPECT_TRUE(mpfr_less_p(Upper(slope), Lower(moved))) << "a number 2^-80 off is not noticed";
    }
  }
  EXPECT_EQ(compared, 128 * 129 / 2);
}

TEST(AlibiCertified, KernelSlopesAreCorrectlyRounded) {
  ScopedPrecision precision(256);
  const std::map<int64_t, Interval> powers = Powers();
  int compared = 0;
  for (const nlohmann::json& entry : Certified()) {
    if (!entry.contains("sixteenths")) continue;
    const std::vector<int64_t> sixteenths = entry.at("sixteenths");
    for (const Format format : {Format::kF32, Format::kBf16, Format::kF16}) {
      const Case c = SlopesOf(entry.at("num_heads"), format);
      Outputs outputs = MakeOutputs(c);
      optimized::Run(c, {{"slopes", outputs.at("slopes").view()}});
      for (size_t head = 0; head < sixteenths.size(); ++head, ++compared)
        ASSERT_EQ(outputs.at("slopes").Value(static_cast<int64_t>(head)),
                  Round(format, powers.at(sixteenths[head])))
            << Traits(format).name << " " << sixteenths[head];
    }
  }
  EXPECT_EQ(compared, 3 * 128 * 129 / 2);
}

// The same template on a second number type.
TEST(AlibiBackends, SlopesAgree) {
  using Second = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<300, boost::multiprecision::digit_base_2>,
      boost::multiprecision::et_off>;
  ScopedPrecision precision(400);
  int compared = 0;
  for (const double B : {8.0, 0.3, 12.5, 1.0, 100.0})
    for (const int64_t heads : {1, 3, 7, 12, 71, 1000, 65536})
      for (int64_t head = 0; head < heads; head += 1 + heads / 20, ++compared) {
        AlibiSlopes s;
        s.num_heads = heads;
        s.bias_max = B;
        const Second second = Slope<Second>(s.ExponentOf(head));
        const Interval ours = Slope<Interval>(s.ExponentOf(head));
        const Interval off = abs(ours / Interval(second.str(90).c_str()) - 1);
        EXPECT_TRUE(mpfr_less_p(Upper(off), Upper(ldexp(Interval(1), -270)))) << B << " " << heads;
      }
  EXPECT_GT(compared, 300);
}

// ALIBI-5: a decimal that makes a whole exponent makes a point; its midpoints go to even.
TEST(Alibi, IntegerExponentsAreExact) {
  EXPECT_EQ(IntegerExponent({Number(std::string("1.6")), 5, 8}), 1);
  EXPECT_EQ(IntegerExponent({Number(1.6), 5, 8}), std::nullopt);  // its nearest binary64 is none
  EXPECT_EQ(IntegerExponent({Number(std::string("8e0")), 3, 8}), 3);
  EXPECT_EQ(IntegerExponent({Number(std::string("0.08e2")), 3, 16}), std::nullopt);
  EXPECT_EQ(IntegerExponent({Number(0x1p20), 7, 1}), 7 << 20);
  EXPECT_EQ(IntegerExponent({Number(0x1p-1000), 1, 1}), std::nullopt);
}

TEST(Alibi, TiesGoToEven) {
  Case c;
  c.operation = "alibi.bias";
  c.format = Format::kBf16;
  c.parameters = {{"num_heads", 8.0}, {"form", std::string("distance")}};
  Tensor query(DType::kI64, {3}), key(DType::kI64, {1});
  for (int64_t i = 0; i < 3; ++i) query.SetInteger(i, 257 + 2 * i);  // bf16: 256, 260, 260
  key.SetInteger(0, 0);
  c.inputs = {{"query_positions", query}, {"key_positions", key}};
  int64_t ties = 0;
  const Outputs truth = RoundedTruth(c, &ties);
  EXPECT_EQ(ties, 0);
  EXPECT_EQ(truth.at("bias").Value(0), -128);
  EXPECT_EQ(truth.at("bias").Value(1), -130);
  EXPECT_EQ(truth.at("bias").Value(2), -130);
}

TEST(Alibi, RefusalsNameTheParameter) {
  Case c = SlopesOf(12, Format::kF32);
  EXPECT_EQ(Refusal(c), "");
  for (const double heads : {0.0, 65537.0, 1.5}) {
    c.parameters["num_heads"] = heads;
    EXPECT_NE(Refusal(c).find("num_heads"), std::string::npos);
  }
  c.parameters["num_heads"] = 65536.0;
  for (const double B : {0.0, -8.0, 0x1.1p20}) {
    c.parameters["alibi_bias_max"] = B;
    EXPECT_NE(Refusal(c).find("alibi_bias_max"), std::string::npos);
    EXPECT_NE(Refusal(c).find("ALIBI-1"), std::string::npos);
  }
  Case bias;
  bias.operation = "alibi.bias";
  bias.parameters = {{"num_heads", 2.0}};
  bias.inputs = {{"query_positions", Tensor(DType::kI64, {2})},
                 {"key_positions", Tensor(DType::kI64, {3})}};
  EXPECT_NE(Refusal(bias).find("form"), std::string::npos);
  bias.parameters["form"] = std::string("distance");
  EXPECT_EQ(Refusal(bias), "");
  EXPECT_EQ(Validate(bias)[0].shape, (Shape{2, 2, 3}));
  bias.inputs["key_positions"] = Tensor(DType::kI64, {2, 3});
  EXPECT_NE(Refusal(bias).find("key_positions"), std::string::npos);
  bias.inputs["query_positions"] = Tensor(DType::kI64, {1, 2});
  EXPECT_NE(Refusal(bias).find("batch"), std::string::npos);
  bias.inputs["query_positions"] = Tensor(DType::kI64, {2, 2});
  EXPECT_EQ(Validate(bias)[0].shape, (Shape{2, 2, 2, 3}));
}

// ALIBI-8: 8 heads share 4 key heads; every slope is a power of two, so the bias is a value of f32.
Case Attention() {
  Case c = SmallAttention(
      "alibi.attention", 8, [](int64_t i) { return 40 - 30 * i; }, [](int64_t i) { return 3 * i; });
  c.parameters["form"] = std::string("distance");
  return c;
}

// ALIBI-8, ALIBI-9: attention.softmax with the bias written out, and a bound that is wider by beta.
TEST(AlibiAttention, IsSoftmaxWithTheBiasGiven) {
  for (const std::string& form : kAlibiFormNames) {
    Case c = Attention();
    c.parameters["form"] = form;
    Case given = c;
    given.operation = "attention.softmax";
    given.parameters.erase("form");
    given.inputs.erase("query_positions");
    given.inputs.erase("key_positions");
    Tensor bias(DType::kF32, {8, 3, 5});
    for (int64_t i = 0; i < bias.count(); ++i) {
      const int64_t m = c.inputs.at("query_positions").Integer(i / 5 % 3);
      const int64_t n = c.inputs.at("key_positions").Integer(i % 5);
      const int64_t x = form == "key"                ? n
                        : form == "key_from_the_end" ? n - 4
                        : form == "distance_below"   ? std::min<int64_t>(n - m, 0)
                                                     : -std::abs(m - n);
      bias.Set(i, std::ldexp(static_cast<double>(x), -static_cast<int>(i / 15) - 1));
    }
    given.inputs.emplace("bias", bias);
    const auto own = TruthOf(c), other = TruthOf(given);
    for (int64_t i = 0; i < 3 * 8 * 3; ++i) {
      ExpectOneNumber(own->Value(0, i), other->Value(0, i), form);
      for (const Profile& profile : kProfiles) {
        if (profile.correctly_rounded) continue;
        EXPECT_TRUE(
            mpfr_greater_p(Upper(own->Bound(0, i, profile)), Lower(other->Bound(0, i, profile))))
            << form << " " << i << " " << profile.name;
      }
    }
  }
}

// ALIBI-9: f16 arithmetic has no such distance.
TEST(AlibiAttention, InfiniteDistancesAreOpen) {
  Case c = Attention();
  c.format = Format::kF16;
  for (const char* role : {"q", "k", "v"}) {
    Tensor narrow(DType::kF16, c.inputs.at(role).shape());
    for (int64_t i = 0; i < narrow.count(); ++i) narrow.Set(i, c.inputs.at(role).Value(i));
    c.inputs.at(role) = narrow;
  }
  c.inputs.at("key_positions").SetInteger(4, 70000);
  const auto truth = TruthOf(c);
  const Profile &standard = kProfiles[1], &narrow = kProfiles[4];
  EXPECT_FALSE(truth->NonFiniteIsOpen(0, 0, standard));
  EXPECT_TRUE(truth->NonFiniteIsOpen(0, 0, narrow));
  EXPECT_TRUE(mpfr_inf_p(Upper(truth->Bound(0, 0, narrow))));
  EXPECT_FALSE(mpfr_inf_p(Upper(truth->Bound(0, 0, standard))));
}

TEST(AlibiAttention, RefusalsNameTheParameter) {
  EXPECT_EQ(Refusal(Attention()), "");
  for (const char* name : {"form", "mask"}) {
    Case c = Attention();
    c.parameters.erase(name);
    EXPECT_NE(Refusal(c).find(name), std::string::npos);
  }
  Case c = Attention();
  c.parameters["num_heads"] = 8.0;
  EXPECT_NE(Refusal(c).find("num_heads"), std::string::npos);
  c = Attention();
  c.inputs.at("key_positions") = Tensor(DType::kI64, {4});
  EXPECT_NE(Refusal(c).find("key_positions"), std::string::npos);
  c = Attention();
  c.inputs.at("key_positions") = Tensor(DType::kI64, {1, 5});
  EXPECT_NE(Refusal(c).find("batch"), std::string::npos);
}

}  // namespace
}  // namespace gnomon::reference
