// The smallest failing case is what fails: an element whose place among others matters is not cut
// away from them.
#include <gtest/gtest.h>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/properties/cases.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

// Cuts down to every element that is wrong where the case is taken for another.
int CutEveryWrongElement(const Case& c, const Case& taken_for) {
  const Outputs y = reference::RoundedTruth(taken_for);
  std::map<std::string, ConstTensorView> views;
  for (const auto& [role, tensor] : y) views.emplace(role, tensor.view());
  const Answered answered{&c, &views};
  const std::unique_ptr<reference::Truth> truth = reference::TruthOf(c);
  const Demand demand{*ProfileFromName("standard")};
  int wrong = 0;
  const Tensor& answers = y.begin()->second;
  for (int64_t i = 0; i < answers.count(); ++i) {
    const auto verdicts =
        reference::JudgeElement(*truth, c, 0, i, answers.dtype(), BitsAt(answers.view(), i));
    if (verdicts[*demand.profile] != reference::ElementVerdict::kOutside) continue;
    ++wrong;
    EXPECT_TRUE(Fails(CutDown(answered, 0, i), demand)) << c.operation << " element " << i;
  }
  return wrong;
}

TEST(CutDown, ACallKeepsItsLength) {
  Case c;
  c.operation = "rope.apply";
  c.format = Format::kF32;
  c.parameters = {{"head_dim", 8.0},
                  {"layout", std::string("half_split")},
                  {"rope_type", std::string("dynamic")},
                  {"factor", 4.0},
                  {"original_max_position_embeddings", 16.0}};
  Tensor x(DType::kF32, {1, 20, 1, 8}), positions(DType::kI64, {20});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, 1 + static_cast<double>(i % 7));
  for (int64_t i = 0; i < 20; ++i) positions.SetInteger(i, i);
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  Case ignored = c;
  for (const char* name : {"rope_type", "factor", "original_max_position_embeddings"})
    ignored.parameters.erase(name);
  EXPECT_GT(CutEveryWrongElement(c, ignored), 40);
}

TEST(CutDown, AQueryKeepsItsPlaceUnderACausalMask) {
  int wrong = 0;
  for (int64_t number = 0; number < 40; ++number) {
    const auto c = properties::NumberedCase("attention.softmax", Format::kF32, 3, number);
    if (!c || c->parameters.at("mask") != Value(std::string("causal"))) continue;
    Case ignored = *c;
    ignored.parameters["mask"] = std::string("none");
    wrong += CutEveryWrongElement(*c, ignored);
  }
  EXPECT_GT(wrong, 40);
}

}  // namespace
}  // namespace gnomon::oracle
