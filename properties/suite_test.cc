// ctest: property
// No false alarms: the suite on the reference rounded to each format, and on plain kernels that
// keep the promise of their profile, however they round.
#include "gnomon/properties/suite.h"

#include <gtest/gtest.h>

#include <iostream>

#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/test_cases.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {
namespace {

class OnReference : public testing::TestWithParam<Format> {};

TEST_P(OnReference, EveryPropertyHolds) {
  ReferenceSubject subject(GetParam());
  const SuiteReport report = RunSuite(subject, TestOptions(GetParam() == Format::kF64 ? 10 : 25));
  std::cout << ToText(report);
  EXPECT_TRUE(report.holds()) << ToText(report);
  EXPECT_EQ(report.count(PropertyReport::kNotApplicable), 0);
}

INSTANTIATE_TEST_SUITE_P(Formats, OnReference,
                         testing::Values(Format::kF64, Format::kF32, Format::kBf16, Format::kF16),
                         [](const auto& format) { return std::string(Traits(format.param).name); });

// Under one seed; the score pages are of twenty.
class OnPlainKernel : public testing::TestWithParam<std::string> {};

TEST_P(OnPlainKernel, EveryPropertyHolds) {
  for (const RightSubject& right : RightSubjects()) {
    if (right.stem != GetParam()) continue;
    const std::unique_ptr<Subject> subject = right.make();
    const SuiteReport report = RunSuite(*subject, TestOptions(12));
    std::cout << ToText(report);
    EXPECT_TRUE(report.holds()) << ToText(report);
  }
}

INSTANTIATE_TEST_SUITE_P(Stems, OnPlainKernel, testing::ValuesIn(Stems()),
                         [](const auto& stem) { return stem.param; });

}  // namespace
}  // namespace gnomon::properties
