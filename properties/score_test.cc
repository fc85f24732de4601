// ctest: property
// The suite's own score: no wrong subject survives, no right one is accused, and the page says so.
//
// GNOMON_WRITE_SCORE=1 with the tests named Slow writes the pages.
#include "gnomon/properties/score.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "gnomon/oracle/testing/evil.h"

namespace gnomon::properties {
namespace {

std::string PathOf(const std::string& stem) {
  return GNOMON_SOURCE_DIR "/properties/" + stem + "_score.md";
}
std::string PageOf(const std::string& stem) {
  std::ifstream file(PathOf(stem), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}
std::string StemName(const testing::TestParamInfo<std::string>& stem) { return stem.param; }

class SuiteScore : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Stems, SuiteScore, testing::ValuesIn(Stems()), StemName);

TEST_P(SuiteScore, OfTheFirstSeedIsWhatThePageSays) {
  const std::string page = PageOf(GetParam());
  if (page.empty()) GTEST_SKIP() << "no page yet: GNOMON_WRITE_SCORE=1 writes it";
  int mistakes = 0;
  for (const WrongSubject& wrong : WrongSubjects()) {
    if (wrong.stem != GetParam()) continue;
    ++mistakes;
    const std::vector<Kill> kills = KillsOf(wrong, ScoreSeed(0));
    EXPECT_FALSE(kills.empty()) << wrong.id << " (" << wrong.text << ") survives";
    const std::string row = "| `" + wrong.id + "` | " + KilledBy(kills) + " | ";
    EXPECT_NE(page.find(row), std::string::npos) << "the page has no row " << row;
  }
  EXPECT_GT(mistakes, 3);
}

class SlowSuiteScore : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Stems, SlowSuiteScore, testing::ValuesIn(Stems()), StemName);

TEST_P(SlowSuiteScore, OfAllSeedsIsThePage) {
#if !defined(__OPTIMIZE__) || defined(GNOMON_SANITIZED)
  GTEST_SKIP() << "minutes where optimized; the first seed alone is compared here";
#endif
  if (PageOf(GetParam()).empty() && !std::getenv("GNOMON_WRITE_SCORE"))
    GTEST_SKIP() << "no page yet: GNOMON_WRITE_SCORE=1 writes it";
  const Score score = ScoreOf(GetParam(), kScoreSeeds);
  for (const std::string& survivor : score.survivors) ADD_FAILURE() << survivor << " survives";
  for (const std::string& alarm : score.alarms) ADD_FAILURE() << alarm << ": false alarm";
  if (std::getenv("GNOMON_WRITE_SCORE")) {
    std::ofstream(PathOf(GetParam()), std::ios::binary) << score.page;
    std::cout << "wrote " << PathOf(GetParam()) << "\n";
  }
  EXPECT_EQ(PageOf(GetParam()), score.page) << "run again with GNOMON_WRITE_SCORE=1";
}

}  // namespace
}  // namespace gnomon::properties
