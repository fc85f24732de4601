// Two mistakes at once, most of which nobody listed: a plain float kernel of this test's own makes
// them. Whatever is named must truly be in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <random>

#include "gnomon/oracle/diagnosis.h"

namespace gnomon::oracle {
namespace {

// What the kernel below does; the defaults are right.
struct Kernel {
  bool interleaved = false, negated = false, swapped = false, slow = false;
  bool odd_positions_only = false, first_pairs_only = false, squared_exponent = false;
  double base = 10000, divisor = 1, exponent = 2, factor = 1, twist = 0;
  int64_t shift = 0, positions_modulo = 0, wrong_head = 0;
  bool positions_bf16 = false;
};

struct Mistake {
  std::string id;  // as the diagnosis calls it; "~": by a number that it fits; empty: not at all
  void (*make)(Kernel*);
};

const std::vector<Mistake>& Mistakes() {
  static const std::vector<Mistake> all = {
      {"layout/interleaved", [](Kernel* k) { k->interleaved = true; }},
      {"sign", [](Kernel* k) { k->negated = true; }},
      {"base/5e+05", [](Kernel* k) { k->base = 500000; }},
      {"offset", [](Kernel* k) { k->shift = 1; }},
      {"exponent-doubled", [](Kernel* k) { k->exponent = 4; }},
      {"magnitude", [](Kernel* k) { k->factor = 1.25; }},
      {"positions-bf16", [](Kernel* k) { k->positions_bf16 = true; }},
      {"table-layout/exchanged", [](Kernel* k) { k->swapped = true; }},
      {"~", [](Kernel* k) { k->slow = true; }},
      {"~", [](Kernel* k) { k->base = 12321; }},
      {"~", [](Kernel* k) { k->shift = 7; }},
      {"", [](Kernel* k) { k->odd_positions_only = true; }},
      {"", [](Kernel* k) { k->first_pairs_only = true; }},
      {"~", [](Kernel* k) { k->exponent = 2.125; }},
      {"", [](Kernel* k) { k->twist = 0.001; }},
      {"", [](Kernel* k) { k->positions_modulo = 1000; }},
      {"", [](Kernel* k) { k->squared_exponent = true; }},
  };
  return all;
}

constexpr int64_t kTokens = 6, kHeads = 2, kDim = 16, kPairs = kDim / 2;

float ToBf16(float v) { return static_cast<float>(RoundToFormat(Format::kBf16, v)); }

void Turn(const Kernel& k, const Case& c, Tensor* y) {
  for (int64_t token = 0; token < kTokens; ++token)
    for (int64_t head = 0; head < kHeads; ++head)
      for (int64_t i = 0; i < kPairs; ++i) {
        const int64_t row = (token * kHeads + head) * kDim;
        const int64_t a = row + (k.interleaved ? 2 * i : i);
        const int64_t b = row + (k.interleaved ? 2 * i + 1 : i + kPairs);
        int64_t p = c.inputs.at("positions").Integer(token) + k.shift;
        if (k.positions_modulo > 0) p %= k.positions_modulo;
        float m = static_cast<float>(p);
        if (k.positions_bf16) m = ToBf16(m);
        double e = k.exponent * static_cast<double>(i) / static_cast<double>(kDim);
        if (k.squared_exponent) e *= e;
        float w = static_cast<float>(std::pow(k.base, -e));
        if (k.slow) w *= 0.7f;
        const float angle = m * w + static_cast<float>(k.twist);
        float cos = std::cos(angle), sin = std::sin(angle);
        if (k.swapped) std::swap(cos, sin);
        if (k.negated) sin = -sin;
        if ((k.odd_positions_only && p % 2 == 0) || (k.first_pairs_only && i >= kPairs - 2))
          cos = 1, sin = 0;
        const float xa = static_cast<float>(c.inputs.at("x").Value(a));
        const float xb = static_cast<float>(c.inputs.at("x").Value(b));
        const float factor = static_cast<float>(k.factor);
        y->Set(a, (xa * cos - xb * sin) * factor);
        y->Set(b, (xa * sin + xb * cos) * factor);
      }
}

Case Question(std::mt19937* random, Format format) {
  Case c;
  c.operation = "rope.apply";
  c.format = format;
  c.parameters = {{"head_dim", double{kDim}}, {"layout", std::string("half_split")}};
  Tensor x(DTypeOf(format), {1, kTokens, kHeads, kDim}), positions(DType::kI64, {kTokens});
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, normal(*random));
  const int64_t at[kTokens] = {0, 1, 5, 130, 1000, 2051};
  for (int64_t i = 0; i < kTokens; ++i) positions.SetInteger(i, at[i]);
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  return c;
}

Diagnosis DiagnosisOf(const Case& c, const Kernel& kernel) {
  Tensor y(DTypeOf(c.format), c.inputs.at("x").shape());
  Turn(kernel, c, &y);
  const std::map<std::string, ConstTensorView> outputs = {{"y", y.view()}};
  Demand demand;
  demand.floor = *ProfileFromName("f32-angle");
  return Diagnose({{&c, &outputs}}, demand);
}

std::vector<std::string> Parts(const std::string& name) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t to; (to = name.find(" + ", from)) != std::string::npos; from = to + 3)
    parts.push_back(name.substr(from, to - from));
  parts.push_back(name.substr(from));
  return parts;
}

// Whether a fitted number is the kernel's: 2.125 / 2 is an exponent of the base.
bool IsNumberOf(const Kernel& kernel, const std::string& part) {
  const auto is = [&](const std::string& head, double value) {
    return part.rfind(head, 0) == 0 &&
           std::abs(std::strtod(part.c_str() + head.size(), nullptr) / value - 1) < 0.01;
  };
  return is("base/linear-", kernel.slow ? 1 / 0.7 : 1) ||
         (part.rfind("base/linear-", 0) != 0 &&
          is("base/", std::pow(kernel.base, kernel.exponent / 2))) ||
         is("base/", kernel.base) || is("offset/+", static_cast<double>(kernel.shift));
}

class CombinedSlow : public testing::TestWithParam<Format> {};

TEST_P(CombinedSlow, ThePlainKernelConformsAndEveryListedMistakeIsNamed) {
  std::mt19937 random(20170612);
  const Case c = Question(&random, GetParam());
  EXPECT_EQ(DiagnosisOf(c, {}).failing, 0);
  int listed = 0;
  for (const Mistake& mistake : Mistakes()) {
    Kernel kernel;
    mistake.make(&kernel);
    const Diagnosis d = DiagnosisOf(c, kernel);
    EXPECT_GT(d.failing, 0);
    if (mistake.id.empty()) {
      EXPECT_EQ(d.mistakes, std::vector<std::string>{});
    } else if (mistake.id == "~") {
      ASSERT_EQ(d.mistakes.size(), 1u);
      EXPECT_TRUE(IsNumberOf(kernel, d.mistakes[0])) << d.mistakes[0];
    } else {
      // Twice the exponent is the square of the base, 1e8: one class.
      EXPECT_TRUE(std::count(d.mistakes.begin(), d.mistakes.end(), mistake.id)) << mistake.id;
      EXPECT_LE(d.mistakes.size(), 2u);
      ++listed;
    }
  }
  EXPECT_EQ(listed, 8);
}

TEST_P(CombinedSlow, WhateverIsNamedOfTwoIsTrulyInIt) {
  std::mt19937 random(19);
  int named = 0, abstained = 0, wrong = 0;
  for (size_t i = 0; i < Mistakes().size(); ++i)
    for (size_t j = i + 1; j < Mistakes().size(); ++j) {
      const Case c = Question(&random, GetParam());
      Kernel kernel;
      Mistakes()[i].make(&kernel);
      Mistakes()[j].make(&kernel);
      const Diagnosis d = DiagnosisOf(c, kernel);
      bool truly = false;  // a member of the class holds nothing that is not in the kernel
      for (const std::string& name : d.mistakes) {
        bool all = true;
        for (const std::string& part : Parts(name))
          all &= part == Mistakes()[i].id || part == Mistakes()[j].id || IsNumberOf(kernel, part);
        truly |= all;
      }
      ++(d.mistakes.empty() ? abstained : truly ? named : wrong);
      if (!d.mistakes.empty() && !truly)
        ADD_FAILURE() << Mistakes()[i].id << " (" << i << ") and " << Mistakes()[j].id << " (" << j
                      << ") are called " << d.mistakes[0] << ", residual " << d.residual
                      << " under " << kProfiles[*d.profile].name;
    }
  std::cout << Traits(GetParam()).name << ": pairs of mistakes: " << named << " named, "
            << abstained << " abstained, " << wrong << " wrong\n";
  EXPECT_GE(named + abstained, 100);
  EXPECT_GE(named, 5);
}

INSTANTIATE_TEST_SUITE_P(Formats, CombinedSlow, testing::Values(Format::kF32, Format::kBf16),
                         [](const auto& format) { return std::string(Traits(format.param).name); });

}  // namespace
}  // namespace gnomon::oracle
