// ctest: property
// The suite on subjects that keep their promise.
#include "gnomon/properties/suite.h"

#include <gtest/gtest.h>

#include "gnomon/properties/reference_subject.h"

namespace gnomon::properties {
namespace {

class OnReference : public testing::TestWithParam<Format> {};

TEST_P(OnReference, Holds) {
  ReferenceSubject subject(GetParam());
  SuiteOptions options;
  options.cases = GetParam() == Format::kF64 ? 20 : 60;
  const SuiteReport report = RunSuite(subject, options);
  EXPECT_TRUE(report.holds()) << ToText(report);
  EXPECT_EQ(report.count(PropertyReport::kNotApplicable), 0) << ToText(report);
  std::cout << ToText(report);
}

INSTANTIATE_TEST_SUITE_P(Formats, OnReference,
                         testing::Values(Format::kF64, Format::kF32, Format::kBf16, Format::kF16),
                         [](const auto& format) { return std::string(Traits(format.param).name); });

}  // namespace
}  // namespace gnomon::properties
