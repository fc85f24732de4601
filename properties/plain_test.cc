// ctest: property
// No false alarms: plain kernels that keep the promise of their profile are not accused.
#include <gtest/gtest.h>

#include <iostream>

#include "gnomon/properties/suite.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {
namespace {

class OnPlainKernel : public testing::TestWithParam<uint64_t> {};

TEST_P(OnPlainKernel, Holds) {
  for (const std::unique_ptr<Subject>& subject : PlainSubjects()) {
    SuiteOptions options;
    options.seed = GetParam();
    options.cases = 30;
    const SuiteReport report = RunSuite(*subject, options);
    EXPECT_TRUE(report.holds()) << ToText(report);
    std::cout << ToText(report);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OnPlainKernel, testing::Values(kDefaultSeed, 1, 2));

}  // namespace
}  // namespace gnomon::properties
