// ctest: formal
// Every property says which theorem stands behind it, by a name that Coq wrote.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gnomon/properties/property.h"

namespace gnomon::properties {
namespace {

// Clause -> full names of its theorems, as formal.py clauses wrote it; empty without Coq.
std::map<std::string, std::vector<std::string>> Proved() {
  std::ifstream in(std::filesystem::path(GNOMON_BIN_DIR) / "../formal/theorems.json");
  return in ? nlohmann::json::parse(in).get<std::map<std::string, std::vector<std::string>>>()
            : std::map<std::string, std::vector<std::string>>();
}

TEST(Theorems, EveryPropertyNamesOneThatExists) {
  const auto proved = Proved();
  if (proved.empty()) GTEST_SKIP() << "no theorems.json: Coq is not installed, or has not run";
  std::set<std::string> names;
  for (const auto& [clause, theorems] : proved) names.insert(theorems.begin(), theorems.end());
  int named = 0;
  for (const Property& property : AllProperties()) {
    SCOPED_TRACE(property.name);
    if (property.theorem.empty()) {
      // Then spec/waivers.txt says why: the test formal.trace asks for it.
      EXPECT_FALSE(proved.count(property.clause)) << property.clause << " has theorems: name one";
    } else {
      EXPECT_TRUE(names.count(property.theorem)) << property.theorem << " does not exist";
      ++named;
    }
  }
  RecordProperty("named", named);
  EXPECT_GT(named, 30);
}

// A theorem of the property's own clause, or the bound by which it is judged.
TEST(Theorems, NamesAreOfTheClauseOrItsBound) {
  for (const Property& property : AllProperties()) {
    if (property.theorem.empty()) continue;
    const std::string name = property.theorem.substr(property.theorem.rfind('.') + 1);
    std::string own = property.clause + "_";
    own[own.find('-')] = '_';
    EXPECT_TRUE(name.rfind(own, 0) == 0 || name.rfind("BOUND_", 0) == 0 ||
                name.rfind("FORMAT_", 0) == 0)
        << property.name << " of " << property.clause << " names " << property.theorem;
  }
}

}  // namespace
}  // namespace gnomon::properties
