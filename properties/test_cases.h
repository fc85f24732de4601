// For the property tests: how many cases, and on which seed. The environment may ask for more.
#ifndef GNOMON_PROPERTIES_TEST_CASES_H_
#define GNOMON_PROPERTIES_TEST_CASES_H_

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gnomon/properties/suite.h"

namespace gnomon::properties {

// GNOMON_CASES=10 runs ten times as many cases; GNOMON_SEED=n another stream of them.
inline SuiteOptions TestOptions(int cases, uint64_t seed = kDefaultSeed) {
  SuiteOptions options;
  options.cases = cases;
  options.seed = seed;
  if (const char* factor = std::getenv("GNOMON_CASES")) options.cases *= std::atoi(factor);
  if (const char* other = std::getenv("GNOMON_SEED"))
    options.seed = seed + std::strtoull(other, nullptr, 10);
  return options;
}

// Where the score of a stem stands (score.h), and what stands there; nothing where there is none.
inline std::string ScorePath(const std::string& stem) {
  return std::string(GNOMON_SOURCE_DIR "/properties/").append(stem + "_score.md");
}
inline std::string ScorePage(const std::string& stem) {
  std::ifstream file(ScorePath(stem), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_TEST_CASES_H_
