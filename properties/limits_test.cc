// ctest: property
// Limits (SUBJ-3): a subject with the limits of a typical kernel is asked nothing outside them, and
// still asked nearly everything the suite has.
#include "gnomon/properties/limits.h"

#include <gtest/gtest.h>

#include <set>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/rope_cases.h"
#include "gnomon/properties/suite.h"
#include "gnomon/properties/trial.h"

namespace gnomon::properties {
namespace {

// The truth, behind limits: it fails whatever lies outside them.
class Limited : public ReferenceSubject {
 public:
  explicit Limited(Limits limits) : limits_(std::move(limits)) {}
  Limits LimitsOf(const std::string&) const override { return limits_; }
  bool Declares(const std::string&, Format format) const override { return format == Format::kF32; }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    ++asked_;
    std::string outside = Outside(limits_, c);
    for (const auto& [role, view] : outputs)
      if (!limits_.strides && !view.contiguous()) outside = "output strides";
    return outside.empty() ? ReferenceSubject::Run(c, outputs) : Outcome{Outcome::kFailed, outside};
  }
  int asked() const { return asked_; }

 private:
  Limits limits_;
  int asked_ = 0;
};

void ExpectAskedInside(const Limits& limits, const std::string& operation, int most_idle,
                       int least_asked = 101) {
  Limited subject(limits);
  SuiteOptions options;
  options.cases = 20;
  options.operation = operation;
  const SuiteReport report = RunSuite(subject, options);
  EXPECT_TRUE(report.holds()) << ToText(report);
  std::string idle;
  for (const PropertyReport& p : report.properties)
    if (p.status == PropertyReport::kNotApplicable) idle += p.property.name + " ";
  EXPECT_LE(report.count(PropertyReport::kNotApplicable), most_idle) << idle;
  EXPECT_GE(subject.asked(), least_asked);
}

// The truth of one operation alone.
class OneOperation : public ReferenceSubject {
 public:
  explicit OneOperation(std::string operation) : operation_(std::move(operation)) {}
  bool Declares(const std::string& operation, Format) const override {
    return operation == operation_;
  }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    EXPECT_EQ(c.operation, operation_);
    return ReferenceSubject::Run(c, outputs);
  }

 private:
  std::string operation_;
};

// A property that asks one of several operations at a time is asked of the one that is declared.
TEST(OneOperation, IsAskedWhatIsForItAlone) {
  for (const auto& [operation, property] :
       {std::pair("multi_axis.axial", "multi_axis.special_numbers"),
        std::pair("multi_axis.mrope", "multi_axis.unusual_frequencies"),
        std::pair("relative.scores", "relative.strides"),
        std::pair("sinusoidal.timestep", "sinusoidal.real_rows"),
        std::pair("alibi.bias", "alibi.unusual_slopes")}) {
    OneOperation subject(operation);
    SuiteOptions options;
    options.cases = 20;
    options.property = property;
    const SuiteReport report = RunSuite(subject, options);
    ASSERT_EQ(report.properties.size(), 1u) << property;
    EXPECT_EQ(report.count(PropertyReport::kHolds), 1) << ToText(report);
  }
  OneOperation apply("rope.apply");
  SuiteOptions options;
  options.cases = 20;
  options.property = "rope.table_and_apply";
  const SuiteReport both = RunSuite(apply, options);
  EXPECT_TRUE(both.nothing_ran()) << ToText(both);
  EXPECT_NE(ToText(both).find("of what is declared these were left out: rope.table_and_apply"),
            std::string::npos)
      << ToText(both);
}

// What a llama-style kernel takes: one layout, whole heads of 64, contiguous, prompts from 0.
Limits Llama() {
  Limits limits;
  limits.parameters["layout"] = {std::string("half_split")};
  limits.parameters["head_dim"] = {64.0};
  limits.parameters["rope_theta"] = {10000.0, 500000.0};
  limits.parameters["direction"] = {std::string("forward")};
  limits.without = {"rotary_dim", "rotary_offset", "output_layout", "frequencies", "cos", "sin"};
  limits.axes = {{"batch", 1}, {"heads", 2}};
  limits.dtypes["positions"] = {DType::kI32};
  limits.ranks["positions"] = {1};
  limits.strides = limits.in_place = false;
  limits.min_position = 0;
  limits.max_position = 8191;
  return limits;
}

TEST(Limits, ATypicalRopeKernelIsAskedInsideThem) { ExpectAskedInside(Llama(), "rope.apply", 16); }

TEST(Limits, ATypicalTableIsAskedInsideThem) {
  Limits limits;
  limits.parameters["width"] = {32.0, 33.0};
  limits.parameters["layout"] = {std::string("sin_cos")};
  limits.without = {"base", "frequencies", "divisor", "scale", "odd_width"};
  limits.strides = limits.in_place = false;
  limits.min_position = 0;
  ExpectAskedInside(limits, "sinusoidal.table", 6);
}

// As fused kernels are compiled: for some head dims alone.
TEST(Limits, AKernelOfTwoHeadDimsIsAskedInsideThem) {
  Limits limits;
  limits.extents = {{"head_dim", {32, 64}}, {"value_dim", {32, 64}}, {"query_heads", {2, 4}}};
  limits.axes = {{"key", 8}, {"query", 8}};
  limits.strides = false;
  ExpectAskedInside(limits, "attention.softmax", 6);
}

TEST(Limits, ExtentsAreAllAsked) {
  Limits limits;
  limits.extents["head_dim"] = {64, 128};
  std::set<int64_t> asked;
  for (int64_t drawn = 1; drawn < 9; ++drawn) asked.insert(limits.extent("head_dim", drawn));
  EXPECT_EQ(asked, (std::set<int64_t>{64, 128}));
  EXPECT_EQ(limits.extent("head_dim", 128), 128);
}

TEST(Limits, FrequenciesAreAskedInsideThem) {
  Limits limits;
  limits.parameters["head_dim"] = {4096.0};
  limits.without = {"rotary_dim", "frequencies", "rope_type"};
  ExpectAskedInside(limits, "rope.frequencies", 2, 2 * 20);  // two properties
  limits.without = {"rotary_dim"};
  limits.parameters["head_dim"] = {64.0};
  ExpectAskedInside(limits, "rope_scaling.frequencies", 2);
}

TEST(Limits, OddHeadsAloneLeaveAPartialWindow) {
  Limits limits;
  limits.parameters["head_dim"] = {7.0};
  ExpectAskedInside(limits, "rope.apply", 0);
}

// Values that no case holds together are the subject's affair, and no fault of its answers.
TEST(Limits, ValuesThatFitNoCaseLeaveNothingToAsk) {
  Limits limits;
  limits.parameters["head_dim"] = {7.0};
  limits.without = {"rotary_dim"};
  Limited subject(limits);
  SuiteOptions options;
  options.operation = "rope.apply";
  options.cases = 10;
  const SuiteReport report = RunSuite(subject, options);
  ASSERT_FALSE(report.properties.empty());
  for (const PropertyReport& p : report.properties)
    EXPECT_EQ(p.status, PropertyReport::kNotApplicable) << p.property.name << ": " << p.finding;
  EXPECT_EQ(subject.asked(), 0);
  // Of two values one may do.
  limits.parameters["head_dim"] = {7.0, 8.0};
  int64_t drawn = 0;
  for (int64_t number = 0; number < 20; ++number)
    if (const auto c = NumberedCase("rope.apply", Format::kF32, 1, number, limits)) {
      EXPECT_EQ(c->parameters.at("head_dim"), Value(8.0));
      ++drawn;
    }
  EXPECT_GT(drawn, 0);
}

// A limit of elements leaves a question without meaning to whoever validates it.
TEST(Limits, OfElementsBesideOthers) {
  Limits limits;
  limits.without = {"cubic_a"};
  limits.elements = 100000;
  int64_t drawn = 0;
  for (int64_t number = 0; number < 20; ++number)
    drawn += NumberedCase("learned.resize", Format::kF32, 1, number, limits).has_value();
  EXPECT_GT(drawn, 0);
}

TEST(Limits, SayWhatIsOutside) {
  Source source({});
  ReferenceSubject subject(Format::kF32);
  Trial trial(subject, source, {Format::kF32});
  Limits llama = Llama();
  Case c = rope::DrawApply(trial, {});
  EXPECT_EQ(Outside({}, c), "");
  EXPECT_EQ(Outside(llama, c), "head_dim = 2");
  llama.parameters.erase("head_dim");
  EXPECT_EQ(Outside(llama, c), "layout = \"interleaved\"");
  c.parameters["layout"] = std::string("half_split");
  EXPECT_EQ(Outside(llama, c), "positions as I64");
  llama.dtypes.clear();
  EXPECT_EQ(Outside(llama, c), "");
  EXPECT_EQ(Outside(llama, WithParameter(c, "direction", std::string("transpose"))),
            "direction = \"transpose\"");
  EXPECT_EQ(Outside(llama, WithParameter(c, "rotary_offset", 0.0)), "parameter rotary_offset");
  EXPECT_EQ(Outside(llama, rope::WithPositions(c, [](int64_t) { return -1; })), "position -1");
  EXPECT_EQ(Outside(llama, With(c, "positions", Integers({1, 1}, [](int64_t) { return 0; }))),
            "positions of rank 2");
  llama.parameters["rope_theta"] = {500000.0};
  EXPECT_EQ(Outside(llama, c), "rope_theta = 10000 (default)");
  Case in_place = c;
  in_place.in_place = "x";
  llama.parameters.erase("rope_theta");
  EXPECT_EQ(Outside(llama, in_place), "in place");
  llama.elements = 1;
  EXPECT_EQ(Outside(llama, c), "x of elements 2");
  Case matrix;
  matrix.operation = "sinusoidal.shift_matrix";
  matrix.parameters["width"] = 20.0;
  matrix.parameters["offset"] = 3.0;
  Limits small;
  EXPECT_EQ(Outside(small, matrix), "");
  small.elements = 4;
  EXPECT_EQ(Outside(small, matrix), "matrix of elements 400");
}

// What a property made of a case, it is asked in the types that it takes.
TEST(Limits, IntegersAreRetyped) {
  Case c;
  c.operation = "rope.table";
  c.inputs.emplace("positions", Integers({1, 3}, [](int64_t i) { return 5 * i - 1; }));
  Limits limits;
  EXPECT_FALSE(Retyped(limits, c));
  limits.dtypes["positions"] = {DType::kI32};
  limits.ranks["positions"] = {1};
  const Tensor positions = Retyped(limits, c).value().inputs.at("positions");
  EXPECT_EQ(positions.dtype(), DType::kI32);
  EXPECT_EQ(positions.shape(), Shape({3}));
  EXPECT_EQ(positions.Integer(2), 9);
  c.inputs.at("positions") = Integers({2, 1}, [](int64_t) { return kMaxPosition + 1; });
  EXPECT_FALSE(Retyped(limits, c)) << "2^31 is no int32, and a row of two is no row of one";
}

// One that writes into its input is found also where it is shown a copy.
TEST(Limits, ACopyIsWatchedToo) {
  class Writes final : public Limited {
   public:
    using Limited::Limited;
    Outcome Run(const Case& c, const OutputViews& outputs) override {
      const Outcome outcome = Limited::Run(c, outputs);
      const_cast<Case&>(c).inputs.at("positions").SetInteger(0, 7);
      return outcome;
    }
  };
  Limits limits;
  limits.dtypes["positions"] = {DType::kI32};
  Writes subject(limits);
  SuiteOptions options;
  options.operation = "rope.table";
  options.property = "rope.angles_add";
  EXPECT_FALSE(RunSuite(subject, options).holds());
}

TEST(Limits, PositionsWrapIntoTheRange) {
  Limits limits;
  limits.min_position = -3, limits.max_position = 5;
  for (int64_t p = -20; p <= 20; ++p) {
    const int64_t taken = limits.position(p);
    EXPECT_TRUE(taken >= -3 && taken <= 5);
    EXPECT_EQ((taken - p) % 9, 0);
  }
}

}  // namespace
}  // namespace gnomon::properties
