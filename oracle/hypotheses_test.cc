// The kernel that makes no mistake: what the hypotheses say of it is what the judge says.
#include "gnomon/oracle/hypotheses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include "gnomon/oracle/text.h"
#include "gnomon/properties/suite.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;
using properties::OutputViews;

bool Allows(const Prediction& p, size_t profile, double v, uint64_t bits) {
  switch (p.kind) {
    case Prediction::kAny:
      return true;
    case Prediction::kBits:
      return p.bits == bits;
    case Prediction::kNonFinite:
      return !std::isfinite(v) || p.or_bits == bits;
    case Prediction::kFinite:
      return std::isfinite(v);
    case Prediction::kReal:
      break;
  }
  return (p.low[profile] <= v && v <= p.high[profile]) ||
         (!std::isfinite(v) && p.open >> profile & 1);
}

std::unique_ptr<Predictor> PredictNothing(const Answered& answered) {
  const std::string& operation = answered.c->operation;
  const std::string stem = operation.substr(0, operation.find('.'));
#define GNOMON_PREDICT(name) \
  if (stem == #name) return name::Predict(answered, {}, 1, 0);
  GNOMON_FOR_EACH_STEM(GNOMON_PREDICT)
#undef GNOMON_PREDICT
  return nullptr;
}

// Answers every question rightly, and holds the prediction of no mistake against the truth.
class Comparer final : public properties::Subject {
 public:
  std::string Name() const override { return "comparer"; }
  bool Declares(const std::string&, Format) const override { return true; }
  size_t Promise() const override { return *ProfileFromName("rounded"); }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    const Outputs truth = reference::RoundedTruth(c);
    std::map<std::string, ConstTensorView> views;
    for (const auto& [role, tensor] : truth) views.emplace(role, tensor.view());
    const std::unique_ptr<Predictor> predictor = PredictNothing({&c, &views});
    const std::unique_ptr<reference::Truth> judge = reference::TruthOf(c);
    int output = 0;
    for (const OutputShape& shape : Validate(c)) {
      const Tensor& tensor = truth.at(shape.role);
      for (int64_t i = 0; i < tensor.count(); ++i) {
        const Prediction p = predictor->At(output, i);
        for (size_t profile = 0; profile < kProfiles.size(); ++profile)
          EXPECT_TRUE(Allows(p, profile, tensor.Value(i), BitsAt(tensor.view(), i)))
              << properties::Describe(c) << " " << shape.role << " " << i << ": "
              << Hex(tensor.Value(i)) << ", predicted " << Hex(p.value) << " from "
              << Hex(p.low[profile]) << " to " << Hex(p.high[profile]) << " by "
              << kProfiles[profile].name;
        ++elements;
        StoreBits(tensor.dtype(), outputs.at(shape.role).AddressOf(i), BitsAt(tensor.view(), i));
      }
      ++output;
    }
    return {};
  }
  int64_t elements = 0;
};

TEST(Hypotheses, NoMistakeIsTheTruth) {
  Comparer comparer;
  properties::SuiteOptions options;
  options.which = properties::Which::kJudged;
  options.cases = 20;
  options.shrink = false;
  properties::RunSuite(comparer, options);
  EXPECT_GT(comparer.elements, 10000);
}

// Naming a mistake would be a tautology if both sides shared code.
TEST(Hypotheses, IncludeNothingOfTheWrongSubjects) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GNOMON_SOURCE_DIR "/oracle")) {
    const std::string name = entry.path().filename().string();
    const bool listed = std::regex_match(name, std::regex("(hypotheses|diagnosis|predict)[_.].*"));
    if (!listed || std::regex_match(name, std::regex(".*_test\\.cc"))) continue;
    std::ifstream file(entry.path());
    ASSERT_TRUE(file) << name;
    for (std::string line; std::getline(file, line);)
      EXPECT_EQ(line.find("gnomon/properties/"), std::string::npos) << name << ": " << line;
    ++files;
  }
  EXPECT_GT(files, 20);
}

// Every id is one of spec/mistakes.md.
TEST(Hypotheses, AreKnownMistakes) {
  std::ifstream file(GNOMON_SOURCE_DIR "/spec/mistakes.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  int64_t seen = 0;
#define GNOMON_LIST(name) &name::Hypotheses(),
  for (const auto* list : {GNOMON_FOR_EACH_STEM(GNOMON_LIST)})
#undef GNOMON_LIST
    for (const Hypothesis& hypothesis : *list) {
      const std::string id = hypothesis.id.substr(0, hypothesis.id.find('/'));
      EXPECT_NE(text.find("| `" + id + "`"), std::string::npos) << hypothesis.id;
      EXPECT_FALSE(hypothesis.text.empty());
      ++seen;
    }
  EXPECT_GT(seen, 150);
}

}  // namespace
}  // namespace gnomon::oracle
