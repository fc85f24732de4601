// Mistakes with a number that nobody lists, and others that the wrong subjects leave to this: each
// is the truth of another question, or a change of the answers made here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/reference/judge.h"

namespace gnomon::oracle {
namespace {

using Names = std::vector<std::string>;

Tensor Positions(const std::vector<int64_t>& at) {
  Tensor positions(DType::kI64, {static_cast<int64_t>(at.size())});
  for (size_t i = 0; i < at.size(); ++i) positions.SetInteger(static_cast<int64_t>(i), at[i]);
  return positions;
}

Case Rope(Format format, const std::vector<int64_t>& at, int64_t dim = 16) {
  Case c;
  c.operation = "rope.apply";
  c.format = format;
  c.parameters = {{"head_dim", static_cast<double>(dim)}, {"layout", std::string("half_split")}};
  const int64_t tokens = static_cast<int64_t>(at.size());
  Tensor x(DTypeOf(format), {1, tokens, 2, dim});
  for (int64_t i = 0; i < x.count(); ++i)
    x.Set(i, 0.75 + static_cast<double>(i * 37 % 101) / 64 - (i % 3 == 0 ? 2 : 0));
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", Positions(at));
  return c;
}
Case Sinusoidal(Format format, const std::vector<int64_t>& at) {
  Case c;
  c.operation = "sinusoidal.table";
  c.format = format;
  c.parameters = {{"width", 24.0}, {"layout", std::string("interleaved")}};
  c.inputs.emplace("positions", Positions(at));
  return c;
}

Diagnosis DiagnosisOf(const Case& c, const Outputs& outputs) {
  std::map<std::string, ConstTensorView> views;
  for (const auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
  return Diagnose({{&c, &views}});
}
Diagnosis OfChanged(const Case& c, const std::function<void(Case*)>& change) {
  Case changed = c;
  change(&changed);
  return DiagnosisOf(c, reference::RoundedTruth(changed));
}
std::function<void(Case*)> With(const std::string& name, Value value) {
  return [=](Case* c) { c->parameters[name] = value; };
}
// Positions as `f` has them.
std::function<void(Case*)> Moved(const std::function<int64_t(int64_t)>& f) {
  return [f](Case* c) {
    for (auto& [role, tensor] : c->inputs)
      if (role.find("positions") != std::string::npos)
        for (int64_t i = 0; i < tensor.count(); ++i) tensor.SetInteger(i, f(tensor.Integer(i)));
  };
}
bool IsAmong(const std::string& name, const Names& names) {
  return std::count(names.begin(), names.end(), name) > 0;
}

const std::vector<int64_t> kAt = {0, 1, 5, 130, 1000, 2051};

TEST(NamedMistakes, ABaseIsFitted) {
  for (const double base : {10500.0, 20000.0, 3.0, 123456.0, 1.5e9}) {
    const Names name = {fmt::format("base/{:.12g}", base)};
    EXPECT_EQ(OfChanged(Rope(Format::kF32, kAt), With("rope_theta", base)).mistakes, name);
    EXPECT_EQ(OfChanged(Sinusoidal(Format::kF32, kAt), With("base", base)).mistakes, name);
  }
  EXPECT_EQ(OfChanged(Rope(Format::kBf16, kAt, 64), With("rope_theta", 20000.0)).mistakes,
            Names{"base/20000"});
  // With a convention; and a listed one is called as it is listed.
  const auto both = [](Case* c) {
    c->parameters["layout"] = std::string("interleaved");
    c->parameters["rope_theta"] = 10500.0;
  };
  EXPECT_EQ(OfChanged(Rope(Format::kF32, kAt), both).mistakes,
            Names{"layout/interleaved + base/10500"});
  EXPECT_EQ(OfChanged(Rope(Format::kF32, kAt), With("rope_theta", 500000.0)).mistakes,
            Names{"base/5e+05"});
  const Diagnosis d = OfChanged(Rope(Format::kF32, kAt), With("rope_theta", 10500.0));
  EXPECT_NE(d.text.find("frequencies of base 10500, fitted within "), std::string::npos) << d.text;
}

// One pair that a base moves: any frequency is a base's.
TEST(NamedMistakes, OnePairTellsNoBase) {
  EXPECT_EQ(OfChanged(Rope(Format::kF32, kAt, 4), With("rope_theta", 10500.0)).mistakes, Names{});
  EXPECT_EQ(OfChanged(Rope(Format::kF32, kAt, 6), With("rope_theta", 10500.0)).mistakes,
            Names{"base/10500"});
}

// Two bases, each in half of the pairs, are no base.
TEST(NamedMistakes, EveryElementHasToFit) {
  const Case c = Rope(Format::kF32, kAt);
  Case low = c, high = c;
  low.parameters["rope_theta"] = 10500.0;
  high.parameters["rope_theta"] = 10501.0;
  Outputs y = reference::RoundedTruth(low);
  const Outputs other = reference::RoundedTruth(high);
  for (int64_t i = 0; i < y.at("y").count(); ++i)
    if (i % 8 >= 4) y.at("y").SetBits(i, BitsAt(other.at("y").view(), i));
  EXPECT_EQ(DiagnosisOf(c, y).mistakes, Names{});
}

TEST(NamedMistakes, ADivisorIsFitted) {
  const auto divided = [](double by) {
    return [by](Case* c) {
      const bool rope = c->operation == "rope.apply";
      std::vector<Number> frequencies;
      for (int i = 0; i < (rope ? 8 : 12); ++i)
        frequencies.emplace_back(std::pow(1e4, -i / (rope ? 8.0 : 12.0)) / by);
      c->parameters["frequencies"] = frequencies;
    };
  };
  for (const double by : {3.7, 0.7, 11.0}) {
    const Names name = {"base/linear-" + ToText(Number(by))};
    EXPECT_EQ(OfChanged(Rope(Format::kF32, kAt), divided(by)).mistakes, name);
    EXPECT_EQ(OfChanged(Sinusoidal(Format::kF32, kAt), divided(by)).mistakes, name);
  }
}

TEST(NamedMistakes, AnOffsetIsFitted) {
  for (const int64_t by : {7, -3, 4096}) {
    const auto change = Moved([by](int64_t p) { return p + by; });
    const Names name = {by < 0 ? "offset/" + std::to_string(by) : "offset/+" + std::to_string(by)};
    EXPECT_EQ(OfChanged(Rope(Format::kF32, kAt), change).mistakes, name);
    EXPECT_EQ(OfChanged(Sinusoidal(Format::kF32, kAt), change).mistakes, name);
  }
}

TEST(NamedMistakes, PositionsInSixteenBits) {
  const std::vector<int64_t> at = {-70000, -40000, -1, 0, 5, 32767, 32768, 65535, 65536, 200000};
  const auto uint16 = [](int64_t p) { return int64_t{static_cast<uint16_t>(p)}; };
  const auto int16 = [](int64_t p) { return int64_t{static_cast<int16_t>(p)}; };
  Case bias;
  bias.operation = "t5_bias.bucket";
  bias.parameters = {{"num_buckets", 32.0}, {"max_distance", 128.0}, {"bidirectional", true}};
  bias.inputs.emplace("query_positions", Positions({0, 3, 100, -9}));
  bias.inputs.emplace("key_positions", Positions(at));
  for (const Case& c : {Rope(Format::kF32, at), Sinusoidal(Format::kBf16, at), bias}) {
    EXPECT_EQ(OfChanged(c, Moved(uint16)).mistakes, Names{"position-width/uint16"}) << c.operation;
    EXPECT_EQ(OfChanged(c, Moved(int16)).mistakes, Names{"position-width/int16"}) << c.operation;
  }
}

TEST(NamedMistakes, TheWindowAtTheEndOfAHead) {
  Case c = Rope(Format::kF32, kAt);
  c.parameters["rotary_dim"] = 8.0;
  c.parameters["rotary_offset"] = 2.0;
  EXPECT_EQ(OfChanged(c, With("rotary_offset", 8.0)).mistakes, Names{"pair-offset/window-last"});
  EXPECT_EQ(OfChanged(c, With("rotary_offset", 0.0)).mistakes, Names{"pair-offset/window"});
}

// NaN and infinities in, and what becomes of them.
Diagnosis OfStored(const std::function<double(double)>& store) {
  Case c = Rope(Format::kF32, kAt);
  for (const int64_t i : {3, 20, 40, 55, 70, 88, 101, 117, 133, 150, 166, 181})
    c.inputs.at("x").Set(i, std::numeric_limits<double>::quiet_NaN());
  for (const int64_t i : {50, 85, 170})
    c.inputs.at("x").Set(i, std::numeric_limits<double>::infinity());
  Outputs y = reference::RoundedTruth(c);
  for (int64_t i = 0; i < y.at("y").count(); ++i) y.at("y").Set(i, store(y.at("y").Value(i)));
  return DiagnosisOf(c, y);
}

TEST(NamedMistakes, LostNaNs) {
  const double most = LargestFinite(Format::kF32);
  EXPECT_EQ(OfStored([](double v) { return std::isnan(v) ? 0 : v; }).mistakes,
            Names{"nan-lost/zero"});
  EXPECT_EQ(OfStored([=](double v) { return std::fmin(std::fmax(v, -most), most); }).mistakes,
            Names{"nan-lost/clamped"});
  EXPECT_EQ(OfStored([=](double v) { return std::fmax(std::fmin(v, most), -most); }).mistakes,
            Names{"nan-lost/clamped-high"});
  EXPECT_EQ(
      OfStored([=](double v) { return std::isnan(v) ? 0 : std::clamp(v, -most, most); }).mistakes,
      Names{"nan-lost/clamped-zero"});
  int count = 0;
  EXPECT_EQ(OfStored([&](double v) { return std::isnan(v) ? ++count * 0.37 : v; }).mistakes,
            Names{"nan-lost/number"});
}

// One and the same change of a bucket beyond the exact ones.
Diagnosis OfBuckets(bool bidirectional, const std::function<int64_t(int64_t x)>& beyond) {
  Case c;
  c.operation = "t5_bias.bucket";
  c.parameters = {{"num_buckets", 32.0}, {"max_distance", 128.0}, {"bidirectional", bidirectional}};
  std::vector<int64_t> keys;
  for (int64_t n = -200; n <= 200; ++n) keys.push_back(n);
  c.inputs.emplace("query_positions", Positions({0}));
  c.inputs.emplace("key_positions", Positions(keys));
  Outputs buckets = reference::RoundedTruth(c);
  const int64_t exact = bidirectional ? 8 : 16;
  for (size_t i = 0; i < keys.size(); ++i) {
    const int64_t x = std::abs(keys[i]);
    if (x < exact || (keys[i] > 0 && !bidirectional)) continue;
    const int64_t first = bidirectional && keys[i] > 0 ? 16 : 0;
    const int64_t k = std::min(beyond(x), exact - 1);
    buckets.begin()->second.SetInteger(static_cast<int64_t>(i), first + exact + k);
  }
  return DiagnosisOf(c, buckets);
}

TEST(NamedMistakes, TheLogarithmicBuckets) {
  for (const bool both : {true, false}) {
    const double E = both ? 8 : 16;
    const auto quotient = [E](int64_t x) {
      return std::log(static_cast<double>(x) / E) / std::log(128 / E) * E + 1e-12;
    };
    const auto floor = [](double v) { return static_cast<int64_t>(std::floor(v)); };
    const auto named = [&](const std::string& name, const std::function<int64_t(int64_t)>& k) {
      const Diagnosis d = OfBuckets(both, k);
      EXPECT_TRUE(IsAmong(name, d.mistakes)) << name << ": " << d.Lines()[0];
      EXPECT_LE(d.mistakes.size(), 2u) << d.Lines()[0];
    };
    named("t5-rounding/one-more", [&](int64_t x) { return floor(quotient(x)) + 1; });
    named("t5-rounding/one-less", [&](int64_t x) { return floor(quotient(x)) - 1; });
    named("t5-rounding/up", [&](int64_t x) { return floor(quotient(x) - 2e-12) + 1; });
    named("t5-rounding/nearest", [&](int64_t x) { return floor(quotient(x) + 0.5); });
    named("t5-log/two-above", [&](int64_t x) { return floor(quotient(x) / std::log(2)); });
    named("t5-log/ten-below", [&](int64_t x) { return floor(quotient(x) * std::log(10)); });
    named("t5-log/distance", [&](int64_t x) {
      return floor(std::log(static_cast<double>(x)) / std::log(128 / E) * E + 1e-12);
    });
    named("t5-log/max-distance", [&](int64_t x) {
      return floor(std::log(static_cast<double>(x) / E) / std::log(128.0) * E + 1e-12);
    });
  }
}

}  // namespace
}  // namespace gnomon::oracle
