// SUBJ-2: what is not declared is not answered; what is declared is.
#include "gnomon/oracle/declaration.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/kernel_subject.h"
#include "gnomon/oracle/testing/evil.h"
#include "gnomon/properties/reference_subject.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;
using properties::PropertyReport;

class Silent : public properties::Subject {
 public:
  std::string Name() const override { return "silent"; }
  bool Declares(const std::string&, Format) const override { return false; }
  size_t Promise() const override { return 0; }
  Outcome Run(const Case& c, const properties::OutputViews&) override {
    Validate(c);
    asked.insert({c.operation, c.format});
    return {Outcome::kUnsupported, ""};
  }
  std::set<std::pair<std::string, Format>> asked;
};

TEST(Declaration, EveryOperationIsAskedInEveryFormat) {
  Silent subject;
  const PropertyReport report = CheckDeclaration(subject);
  EXPECT_EQ(report.status, PropertyReport::kHolds);
  EXPECT_EQ(subject.asked.size(), AllOperations().size() * kFormats.size());
  EXPECT_EQ(static_cast<size_t>(report.cases), subject.asked.size());
  EXPECT_EQ(CheckDeclaration(subject, "rope.apply").cases, 4);
}

TEST(Declaration, NothingIsAskedOfWhoDeclaresAll) {
  properties::ReferenceSubject subject;
  EXPECT_EQ(CheckDeclaration(subject).status, PropertyReport::kNotApplicable);
}

TEST(Declaration, OurKernelsAnswerWhatTheyDeclare) {
  for (const auto& subject : KernelSubjects())
    EXPECT_EQ(CheckDeclaration(*subject).status, PropertyReport::kHolds) << subject->Name();
}

TEST(Declaration, PlugInsThatAnswerMoreAreFound) {
  const struct {
    std::string evil;
    PropertyReport::Status status;
    std::string finding;
  } kCases[] = {
      {"good", PropertyReport::kHolds, ""},
      {"answers_all", PropertyReport::kFails,
       "rope.frequencies in f64 is not declared, and was answered"},
      {"claims_all", PropertyReport::kFails,
       "rope.frequencies in f64 is not declared, and was tried: never wrote w[0] (SUBJ-6)"},
  };
  for (const auto& c : kCases) {
    PluginSubject subject = Evil(c.evil);
    const PropertyReport report = CheckDeclaration(subject);
    EXPECT_EQ(report.status, c.status) << c.evil;
    EXPECT_EQ(report.finding, c.finding);
    EXPECT_EQ(report.asked.empty(), c.finding.empty());
  }
}

TEST(Declaration, DeclaredButUnsupportedFails) {
  PluginSubject subject = Evil("unsupported");
  properties::SuiteOptions options;
  options.cases = 3;
  options.property = "rope.within_bound";
  const properties::SuiteReport report = RunSuite(subject, options);
  ASSERT_EQ(report.properties.size(), 1u);
  EXPECT_EQ(report.properties[0].status, PropertyReport::kFails);
  EXPECT_EQ(report.properties[0].finding,
            "declared, and answered as unsupported (SUBJ-2): not rope.apply");
}

}  // namespace
}  // namespace gnomon::oracle
