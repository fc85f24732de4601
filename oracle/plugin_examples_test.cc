// The plug-ins under oracle/examples/ meet what they promise, and no more.
#include <gtest/gtest.h>

#include "gnomon/oracle/declaration.h"
#include "gnomon/oracle/testing/evil.h"
#include "gnomon/properties/test_cases.h"

namespace gnomon::oracle {
namespace {

using properties::PropertyReport;

class PluginExamples : public testing::TestWithParam<const char*> {};

TEST_P(PluginExamples, Conforms) {
  PluginSubject subject(kPluginFolder + GetParam());
  EXPECT_EQ(kProfiles[subject.Promise()].name, "f32-angle");
  const properties::SuiteReport report = RunSuite(subject, properties::TestOptions(50));
  EXPECT_TRUE(report.holds()) << ToText(report);
  EXPECT_GE(report.count(PropertyReport::kHolds), 14) << ToText(report);
  EXPECT_EQ(CheckDeclaration(subject).status, PropertyReport::kHolds);
}

INSTANTIATE_TEST_SUITE_P(All, PluginExamples,
                         testing::Values("example_plugin_c.so", "example_plugin_cpp.so"));

}  // namespace
}  // namespace gnomon::oracle
