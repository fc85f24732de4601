// ctest: formal
// Every property says which theorem stands behind it, by a name that Coq wrote.
#include <gtest/gtest.h>

#include <cstdlib>
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

// Properties of clauses that have theorems, of which none is about the property, and why not.
const std::map<std::string, std::string> kNoneFits = {
    {"t5_bias.own_buckets", "T5-4 defines the bias as the row of the bucket: nothing to prove"},
    {"t5_bias.attention_head_alone", "heads do not mix: the theories have one head"},
};

TEST(Theorems, EveryPropertyNamesOneThatExists) {
  const auto proved = Proved();
  if (proved.empty()) {
    const char* required = std::getenv("GNOMON_REQUIRE_FORMAL");
    ASSERT_TRUE(!required || std::string(required) != "1") << "no theorems.json, and required";
    GTEST_SKIP() << "no theorems.json: Coq is not installed, or has not run";
  }
  std::set<std::string> names, unused;
  for (const auto& [property, reason] : kNoneFits) unused.insert(property);
  for (const auto& [clause, theorems] : proved) names.insert(theorems.begin(), theorems.end());
  int named = 0;
  for (const Property& property : AllProperties()) {
    SCOPED_TRACE(property.name);
    if (property.theorem.empty()) {
      // Then spec/waivers.txt says why: the test formal.trace asks for it. Or kNoneFits does.
      EXPECT_EQ(proved.count(property.clause), unused.erase(property.name))
          << property.clause << ": name one of its theorems or list the property, with a reason";
    } else {
      EXPECT_TRUE(names.count(property.theorem)) << property.theorem << " does not exist";
      ++named;
    }
  }
  for (const std::string& property : unused) ADD_FAILURE() << property << " is listed and no more";
  RecordProperty("named", named);
  EXPECT_GT(named, 30);
}

// Properties that compare with the truth are judged by a bound of another clause: which, and why.
// Every other property names a theorem of its own clause.
const std::map<std::string, std::pair<std::string, std::string>> kJudgedByABound = {
    {"rope.within_bound", {"BOUND-5", "ROPE-12 judges an element by BOUND-5"}},
    {"rope.wide_numbers", {"BOUND-5", "ROPE-10 leaves no slack but the eta terms of BOUND-5"}},
    {"rope.given_tables", {"BOUND-5", "ROPE-12 judges given tables by BOUND-5 with d = 0"}},
    {"rope.halfway_tables", {"BOUND-5", "given tables again, at products half way"}},
    {"rope.table_within_bound", {"BOUND-4", "ROPE-12 judges a table entry by BOUND-4"}},
    {"rope.frequencies_within_bound", {"BOUND-3", "ROPE-12 judges a frequency by E of BOUND-3"}},
    {"sinusoidal.table_within_bound", {"BOUND-4", "SIN-11 judges a table entry by BOUND-4"}},
    {"sinusoidal.unusual_frequencies", {"BOUND-4", "SIN-11 judges a table entry by BOUND-4"}},
    {"sinusoidal.shift_within_bound", {"BOUND-4", "SIN-11 judges an entry of M_k by BOUND-4"}},
    {"sinusoidal.head_within_bound", {"BOUND-4", "SIN-11 judges an entry of a head by BOUND-4"}},
};

std::string Prefix(std::string clause) {  // "ROPE-14" -> "ROPE_14_"
  clause[clause.find('-')] = '_';
  return clause + "_";
}

// Whether the name of `theorem` is one that the property may name.
bool MayName(const std::string& property, const std::string& clause, const std::string& theorem) {
  const auto listed = kJudgedByABound.find(property);
  const std::string name = theorem.substr(theorem.rfind('.') + 1);
  return name.rfind(Prefix(listed == kJudgedByABound.end() ? clause : listed->second.first), 0) ==
         0;
}

TEST(Theorems, NamesAreOfTheClauseOrOfTheListedBound) {
  std::set<std::string> unused;
  for (const auto& [property, bound] : kJudgedByABound) unused.insert(property);
  for (const Property& property : AllProperties()) {
    unused.erase(property.name);
    if (property.theorem.empty()) continue;
    EXPECT_TRUE(MayName(property.name, property.clause, property.theorem))
        << property.name << " of " << property.clause << " names " << property.theorem;
  }
  for (const std::string& property : unused) ADD_FAILURE() << property << " is listed and no more";
}

TEST(Theorems, AnotherClauseIsNoticed) {
  EXPECT_TRUE(MayName("rope.x", "ROPE-1", "Gnomon.Rope.ROPE_1_tolerance"));
  EXPECT_FALSE(MayName("rope.x", "ROPE-1", "Gnomon.Rope.ROPE_14_tolerance"));
  EXPECT_FALSE(MayName("rope.x", "ROPE-4", "Gnomon.numeric.Rounding.FORMAT_3_rounding"));
  EXPECT_FALSE(MayName("rope.x", "ROPE-4", "Gnomon.numeric.RotationError.BOUND_5_output"));
  EXPECT_FALSE(MayName("rope.given_tables", "ROPE-4", "Gnomon.numeric.TableError.BOUND_4_output"));
}

}  // namespace
}  // namespace gnomon::properties
