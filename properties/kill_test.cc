// ctest: property
// The kill matrix: which properties tell which wrong subject apart.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "gnomon/properties/suite.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {
namespace {

class Kills : public testing::TestWithParam<std::string> {};

TEST_P(Kills, NoneSurvivesAndEveryPropertyKills) {
  std::map<std::string, std::set<std::string>> by_property;
  for (const WrongSubject& wrong : WrongSubjects()) {
    if (wrong.stem != GetParam()) continue;
    const std::unique_ptr<Subject> subject = wrong.make();
    SuiteOptions options;
    options.operation = GetParam() + ".*";
    options.cases = 40;
    options.shrink = false;
    std::string killers;
    // Algebraic properties on their own: the comparison with the reference is then off.
    for (const Which which : {Which::kAlgebraic, Which::kJudged}) {
      options.which = which;
      for (const PropertyReport& p : RunSuite(*subject, options).properties) {
        if (p.status != PropertyReport::kFails) continue;
        killers += (killers.empty() ? "" : ", ") + p.property.name.substr(GetParam().size() + 1);
        by_property[p.property.name].insert(wrong.id);
      }
    }
    std::cout << wrong.id << ": " << (killers.empty() ? "SURVIVES" : killers) << "\n";
    EXPECT_FALSE(killers.empty()) << wrong.id << " (" << wrong.text << ") survives, seed "
                                  << options.seed;
  }
  std::cout << "\n";
  for (const Property& property : AllProperties()) {
    if (property.name.rfind(GetParam() + ".", 0) != 0) continue;
    const std::set<std::string>& killed = by_property[property.name];
    std::cout << property.name << (property.algebraic ? " (algebraic)" : "") << " kills "
              << killed.size() << ":";
    for (const std::string& id : killed) std::cout << " " << id;
    std::cout << "\n";
    EXPECT_FALSE(killed.empty()) << property.name << " kills nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Stems, Kills, testing::Values("rope", "sinusoidal"));

}  // namespace
}  // namespace gnomon::properties
