// ctest: property
// The suite's own score: under every seed no wrong subject survives and no right one is accused,
// and the page says so. The first seed alone is what kill_test.cc and suite_test.cc ask.
//
// GNOMON_THOROUGH=1 compares the pages, GNOMON_WRITE_SCORE=1 writes them.
#include "gnomon/properties/score.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "gnomon/properties/test_cases.h"

namespace gnomon::properties {
namespace {

class SlowSuiteScore : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Stems, SlowSuiteScore, testing::ValuesIn(Stems()),
                         [](const auto& stem) { return stem.param; });

TEST_P(SlowSuiteScore, OfAllSeedsIsThePage) {
  const bool write = std::getenv("GNOMON_WRITE_SCORE") != nullptr;
  if (!write && !std::getenv("GNOMON_THOROUGH"))
    GTEST_SKIP() << "twenty seeds take minutes: GNOMON_THOROUGH=1 asks them";
  const Score score = ScoreOf(GetParam(), kScoreSeeds);
  for (const std::string& survivor : score.survivors) ADD_FAILURE() << survivor << " survives";
  for (const std::string& alarm : score.alarms) ADD_FAILURE() << alarm << ": false alarm";
  if (write) {
    std::ofstream(ScorePath(GetParam()), std::ios::binary) << score.page;
    std::cout << "wrote " << ScorePath(GetParam()) << "\n";
  }
  EXPECT_EQ(ScorePage(GetParam()), score.page) << "run again with GNOMON_WRITE_SCORE=1";
}

}  // namespace
}  // namespace gnomon::properties
