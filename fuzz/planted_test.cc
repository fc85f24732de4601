// ctest: fuzz-replay
// Each differential target finds planted bugs: for every wrong subject of a stem, random bytes lead
// the target's own entry point to a find. What random bytes find, guided ones find too.
#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <set>

#include "gnomon/fuzz/property_target.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::fuzz {
namespace {

constexpr int kMostInputs = 6000;

std::set<std::string> Stems() {
  std::set<std::string> stems;
  for (const properties::WrongSubject& wrong : properties::WrongSubjects())
    stems.insert(wrong.stem);
  return stems;
}

class Planted : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Stems, Planted, testing::ValuesIn(Stems()),
                         [](const auto& info) { return info.param; });

TEST_P(Planted, EveryMistakeIsFound) {
  int planted = 0;
  for (const properties::WrongSubject& wrong : properties::WrongSubjects()) {
    if (wrong.stem != GetParam()) continue;
    ++planted;
    const std::unique_ptr<properties::Subject> subject = wrong.make();
    std::mt19937_64 random(17);
    std::vector<uint8_t> bytes(8 * 600 + 1);
    int inputs = 0;
    std::optional<std::string> find;
    while (!find && inputs < kMostInputs) {
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() >> 56);
      find = FindWithBytes(*subject, GetParam(), bytes.data(), bytes.size());
      ++inputs;
    }
    EXPECT_TRUE(find) << wrong.id << " (" << wrong.text << ") not found in " << inputs << " inputs";
    std::cout << wrong.id << ": found after " << inputs << " inputs\n";
  }
  EXPECT_GE(planted, 3);
}

}  // namespace
}  // namespace gnomon::fuzz
