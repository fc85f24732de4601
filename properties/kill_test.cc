// ctest: property
// The kill matrix: which properties tell which wrong subject apart. Printed, and held against the
// score page; no wrong subject survives, every property kills, and the algebraic ones do so with
// the comparison against the reference off.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "gnomon/properties/score.h"
#include "gnomon/properties/suite.h"
#include "gnomon/properties/test_cases.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {
namespace {

// A property that kills nothing in the first round (score.h) gets another.
constexpr int kCases = 12, kMoreCases = 120;

std::set<std::string> Killers(const WrongSubject& wrong, SuiteOptions options) {
  options.shrink = false;
  options.operation = wrong.stem + ".*";
  std::set<std::string> killers;
  for (const Which which : {Which::kAlgebraic, Which::kJudged}) {
    options.which = which;
    const std::unique_ptr<Subject> subject = wrong.make();
    for (const PropertyReport& p : RunSuite(*subject, options).properties)
      if (p.status == PropertyReport::kFails) killers.insert(p.property.name);
  }
  return killers;
}

class KillMatrix : public testing::TestWithParam<std::string> {};

TEST_P(KillMatrix, NothingWrongSurvivesAndEveryPropertyKills) {
  const std::string stem = GetParam();
  const uint64_t seed = TestOptions(kCases).seed;
  const std::string page = ScorePage(stem);
  EXPECT_FALSE(page.empty()) << stem << " has no score page: GNOMON_WRITE_SCORE=1 writes it";
  std::map<std::string, std::set<std::string>> killed_by;
  std::cout << "seed " << seed << "\n";
  for (const WrongSubject& wrong : WrongSubjects()) {
    if (wrong.stem != stem) continue;
    const std::vector<Kill> kills = KillsOf(wrong, seed);
    std::cout << wrong.id << ":";
    for (const Kill& kill : kills) {
      std::cout << " " << kill.property.substr(stem.size() + 1);
      killed_by[kill.property].insert(wrong.id);
    }
    std::cout << "\n";
    EXPECT_FALSE(kills.empty()) << wrong.id << " (" << wrong.text << ") survives";
    const std::string row = "| `" + wrong.id + "` | " + KilledBy(kills) + " | ";
    if (seed == ScoreSeed(0)) {
      EXPECT_NE(page.find(row), std::string::npos) << "the score page has no row " << row;
    }
  }
  std::cout << "\n";
  for (const Property& property : AllProperties()) {
    if (property.name.rfind(stem + ".", 0) != 0) continue;
    std::set<std::string>& killed = killed_by[property.name];
    for (const WrongSubject& wrong : WrongSubjects()) {
      if (!killed.empty()) break;
      if (wrong.stem != stem) continue;
      SuiteOptions options = TestOptions(kMoreCases);
      options.property = property.name;
      if (!Killers(wrong, options).empty()) killed.insert(wrong.id);
    }
    std::cout << property.name << (property.algebraic ? " (algebraic)" : " (judged)") << " kills "
              << killed.size() << ":";
    for (const std::string& id : killed) std::cout << " " << id;
    std::cout << "\n";
    EXPECT_FALSE(killed.empty()) << property.name << " kills nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Stems, KillMatrix, testing::ValuesIn(Stems()),
                         [](const auto& stem) { return stem.param; });

// What only one property can see, that property must see.
TEST(KillMatrix, DirectedGeneratorsHitWhatTheyAreFor) {
  const std::map<std::string, std::vector<std::string>> expected = {
      {"bf16-double-rounding", {"rope.halfway_tables", "sinusoidal.halfway_add"}},
      {"in-place", {"rope.in_place"}},
      {"nan-lost/as-zero", {"rope.nan_stays_in_pair", "sinusoidal.nan_stays"}},
      {"window-not-copied/nan-payload", {"rope.copied_dims"}},
      {"stale-table/previous", {"rope.repeatable", "sinusoidal.repeatable"}},
      {"tail-overwrite", {"rope.memory", "sinusoidal.add_memory"}},
      {"int32-index/16-bits", {"rope.strides", "sinusoidal.strides"}},
      {"subnormals-flushed/input", {"rope.wide_numbers"}},
      {"f16-saturated", {"rope.wide_numbers"}},
      {"row-positions", {"rope.rows"}},
      {"base", {"rope.geometric"}},
      {"divisor", {"rope.geometric"}},
      {"magnitude", {"rope.norms"}},
      {"negative-position", {"rope.negative_position", "sinusoidal.parity"}},
  };
  int found = 0;
  for (const WrongSubject& wrong : WrongSubjects()) {
    const auto entry = expected.find(wrong.id);
    if (entry == expected.end()) continue;
    for (const std::string& property : entry->second) {
      if (property.rfind(wrong.stem + ".", 0) != 0) continue;
      SuiteOptions options = TestOptions(kMoreCases);
      options.property = property;
      EXPECT_FALSE(Killers(wrong, options).empty()) << property << " does not see " << wrong.id;
      ++found;
    }
  }
  EXPECT_EQ(found, 20);
}

// Ids are those of spec/mistakes.md, each followed by its variant if there are several.
TEST(WrongSubjects, AreKnownMistakes) {
  std::ifstream file(GNOMON_SOURCE_DIR "/spec/mistakes.md");
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string> seen;
  for (const WrongSubject& wrong : WrongSubjects()) {
    const std::string id = wrong.id.substr(0, wrong.id.find('/'));
    EXPECT_NE(text.str().find("`" + id + "`"), std::string::npos) << id;
    EXPECT_TRUE(seen.insert(wrong.stem + ":" + wrong.id).second) << wrong.id << " twice";
  }
  // And the other way round: every mistake listed there has a subject that makes it.
  int listed = 0;
  std::string line;
  while (std::getline(text, line)) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::string id = line.substr(3, line.find('`', 3) - 3);
    ++listed;
    bool made = false;
    for (const WrongSubject& wrong : WrongSubjects())
      made |= wrong.id.substr(0, wrong.id.find('/')) == id;
    EXPECT_TRUE(made) << "no wrong subject makes the mistake " << id;
  }
  EXPECT_GT(listed, 40);
}

}  // namespace
}  // namespace gnomon::properties
