#include "gnomon/oracle/report.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/strict_json.h"
#include "gnomon/reference/truth.h"

namespace gnomon::oracle {
namespace {

// Eight tokens of one head of four dims, and the truth rounded to float32.
class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    Case& c = recording_.c;
    c.operation = "rope.apply";
    c.parameters = {{"head_dim", 4.0}, {"layout", std::string("half_split")}};
    Tensor x(DType::kF32, {1, 8, 1, 4}), positions(DType::kI64, {8});
    for (int64_t i = 0; i < x.count(); ++i) x.Set(i, 1 + static_cast<double>(i) / 7);
    for (int64_t i = 0; i < 8; ++i) positions.SetInteger(i, i * i);
    c.inputs.emplace("x", std::move(x));
    c.inputs.emplace("positions", std::move(positions));
    y_ = reference::RoundedTruth(c).at("y");
  }
  Json Judged(const Demand& demand = {}) {
    recording_.outputs["y"] = y_.view();
    judgement_ = reference::Judge(recording_.c, recording_.outputs);
    const Report report(recording_, judgement_, demand);
    text_ = report.Text();
    verdict_ = report.verdict;
    return ParseStrictly(report.JsonText(), "report", "CASE-7");
  }
  Recording recording_;
  Tensor y_;
  reference::Judgement judgement_;
  std::string text_;
  Verdict verdict_ = Verdict::kCrashed;
};

TEST_F(ReportTest, TheRoundedTruthIsRounded) {
  const Json json = Judged();
  EXPECT_EQ(json["profile"], "rounded");
  EXPECT_EQ(ExitCode(verdict_), 0);
  EXPECT_EQ(text_.find("conforms: rope.apply on 32 f32 elements with head_dim 4"), 0u) << text_;
  EXPECT_NE(text_.find("meets rounded (every element is the correctly rounded truth)"),
            std::string::npos);
}

TEST_F(ReportTest, OneWrongElementIsFoundAndNamed) {
  y_.Set(22, y_.Value(22) + 0.5);  // seq 5, head_dim 2: position 25, pair 0
  const Json json = Judged();
  EXPECT_EQ(json["verdict"], "nonconforming");
  EXPECT_EQ(json["profile"], nullptr);
  EXPECT_EQ(ExitCode(verdict_), 1);
  const Json& worst = json["worst"];
  EXPECT_EQ(worst["index"]["seq"], 5);
  EXPECT_EQ(worst["index"]["head_dim"], 2);
  EXPECT_EQ(worst["position"], 25);
  EXPECT_EQ(worst["pair"], 0);
  EXPECT_NEAR(worst["error"].get<double>(), 0.5, 1e-6);
  EXPECT_NE(text_.find("y[batch 0, seq 5, heads 0, head_dim 2]: position 25, pair 0"),
            std::string::npos)
      << text_;
  EXPECT_NE(text_.find("nearest is f32-chained, with 1 of 32 elements outside"), std::string::npos)
      << text_;
}

TEST_F(ReportTest, NaNHasASpelling) {
  y_.Set(3, std::numeric_limits<double>::quiet_NaN());
  const Json json = Judged();
  EXPECT_EQ(json["worst"]["got"], "nan");
  EXPECT_EQ(json["worst"]["bound"], nullptr);
  EXPECT_NE(text_.find(", bound -\n"), std::string::npos) << text_;
  EXPECT_EQ(text_.find("bound 0"), std::string::npos) << text_;
  EXPECT_NE(text_.find("inf\n"), std::string::npos) << text_;
  EXPECT_EQ(json["histogram"]["not_finite"], 1);
}

TEST_F(ReportTest, WhatIsDueAndNoNumberProvesNothing) {
  Tensor& x = recording_.c.inputs.at("x");
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, std::numeric_limits<double>::quiet_NaN());
  y_ = reference::RoundedTruth(recording_.c).at("y");
  EXPECT_EQ(Judged()["verdict"], "nothing run");
  EXPECT_NE(text_.find("every element is vacuous, copied, or a NaN or infinity that is due, which "
                       "proves nothing"),
            std::string::npos)
      << text_;
}

TEST_F(ReportTest, VacuousElementsAreCountedApartAndProveNothing) {
  // At 2^30 tokens a float32 angle of pair 0 may be off by more than a turn; the truth itself is
  // 2^30.
  for (int64_t i = 0; i < 8; ++i) recording_.c.inputs.at("positions").SetInteger(i, (1 << 30) + i);
  recording_.c.parameters["rope_theta"] = 1.0000001;  // pair 1 as well
  y_ = reference::RoundedTruth(recording_.c).at("y");
  y_.Set(0, 0.25);
  const size_t chained = *ProfileFromName("f32-chained");
  const Json json = Judged({chained});
  EXPECT_EQ(json["verdict"], "nothing run") << text_;
  EXPECT_EQ(ExitCode(verdict_), 4);
  EXPECT_NE(text_.find("under f32-chained every element is vacuous, which proves nothing"),
            std::string::npos);
  EXPECT_EQ(json["vacuous"], 32);
  EXPECT_EQ(json["profiles"]["f32-chained"]["outside"].get<int64_t>() +
                json["profiles"]["f32-chained"]["within"].get<int64_t>() +
                json["vacuous"].get<int64_t>(),
            32);
  EXPECT_NE(text_.find("are vacuous under f32-chained: from |position| 1073741824 on"),
            std::string::npos)
      << text_;
}

TEST_F(ReportTest, TheHeadlineCountsWhatProvesNothing) {
  for (int64_t i = 4; i < 8; ++i) recording_.c.inputs.at("positions").SetInteger(i, (1 << 30) + i);
  recording_.c.parameters["rope_theta"] = 1.0000001;
  y_ = reference::RoundedTruth(recording_.c).at("y");
  const Json json = Judged({*ProfileFromName("f32-chained")});
  EXPECT_EQ(json["verdict"], "conforms");
  EXPECT_NE(text_.find("; 16 of 32 elements are vacuous and prove nothing.\n"), std::string::npos)
      << text_;
}

TEST_F(ReportTest, NoProfileIsNearWhereManyElementsAreOutside) {
  for (int64_t i = 0; i < 8; ++i) y_.Set(i, 100);
  Judged();
  EXPECT_NE(text_.find("no profile is near: least bad is f32-chained, with 8 of 32"),
            std::string::npos)
      << text_;
}

TEST_F(ReportTest, GivenTablesAreNamedAndNoFrequencyIs) {
  Case& c = recording_.c;
  c.inputs.erase("positions");
  c.inputs.emplace("cos", Tensor(DType::kF32, {8, 2}));
  c.inputs.emplace("sin", Tensor(DType::kF32, {8, 2}));
  for (int64_t i = 0; i < 16; ++i) c.inputs.at("sin").Set(i, 1);
  y_ = reference::RoundedTruth(c).at("y");
  Judged();
  EXPECT_NE(text_.find(", by the given tables; the angles and rope_theta were not judged; meets "),
            std::string::npos)
      << text_;
  EXPECT_EQ(text_.find("rope_theta 10000"), std::string::npos) << text_;
}

TEST_F(ReportTest, WhatTestsNoRotationIsWarnedOf) {
  EXPECT_TRUE(Judged()["warnings"].empty());
  for (int64_t i = 0; i < 8; ++i) recording_.c.inputs.at("positions").SetInteger(i, 0);
  y_ = reference::RoundedTruth(recording_.c).at("y");
  Judged();
  EXPECT_NE(text_.find("\nwarning: every position is 0: no rotation was tested\n"),
            std::string::npos);
  recording_.c.inputs.at("positions").SetInteger(0, 1);
  for (int64_t i = 0; i < 32; ++i) recording_.c.inputs.at("x").Set(i, 0);
  y_ = reference::RoundedTruth(recording_.c).at("y");
  Judged();
  EXPECT_NE(text_.find("\nwarning: x is all zero: no rotation was tested\n"), std::string::npos);
}

TEST_F(ReportTest, TheRoundedTruthIsShownBesideTheTruth) {
  Judged();
  EXPECT_NE(text_.find("\n  truth     "), std::string::npos) << text_;
  y_.Set(22, 9);
  Judged();
  EXPECT_EQ(text_.find("\n  truth     "), std::string::npos) << text_;
}

TEST_F(ReportTest, NothingRun) {
  recording_.c.inputs.insert_or_assign("x", Tensor(DType::kF32, {1, 0, 1, 4}));
  recording_.c.inputs.insert_or_assign("positions", Tensor(DType::kI64, {0}));
  y_ = Tensor(DType::kF32, {1, 0, 1, 4});
  EXPECT_EQ(Judged()["verdict"], "nothing run");
  EXPECT_EQ(ExitCode(verdict_), 4);
}

}  // namespace
}  // namespace gnomon::oracle
