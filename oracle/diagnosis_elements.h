// The elements that a diagnosis looks at, what the judge says of them, and what their failing ones
// have in common.
#ifndef GNOMON_ORACLE_DIAGNOSIS_ELEMENTS_H_
#define GNOMON_ORACLE_DIAGNOSIS_ELEMENTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/operation.h"

namespace gnomon::oracle {

struct JudgedElement {
  int output = 0;
  int64_t number = 0;
  uint64_t bits = 0, rounded_truth_bits = 0;
  double got = 0, truth = 0, rounded_truth = 0, ulp = 0;  // ulp: 1 for integers
  unsigned outside = 0, vacuous = 0;                      // a bit for every profile
};

struct JudgedCase {
  Answered answered;
  std::unique_ptr<reference::Truth> truth;
  std::vector<OutputShape> shapes;
  int64_t count = 0;     // elements of all outputs
  bool sampled = false;  // `elements` are not all of them, but whole rows
  std::vector<JudgedElement> elements;
  std::vector<size_t> all, failing;  // numbers in `elements`

  std::string stem() const {
    return answered.c->operation.substr(0, answered.c->operation.find('.'));
  }
};

JudgedCase JudgeForDiagnosis(const Answered& answered, bool flushes_subnormals);

// Sets `failing`: outside the profile that is demanded, or that fewest elements are outside of.
size_t MarkFailing(const Demand& demand, std::vector<JudgedCase>* cases);

// The first profile, other than `basis`, that no element is outside of.
std::optional<size_t> OtherProfile(const std::vector<JudgedCase>& cases, size_t basis);

// "throughout", or what sets the elements that fail under `basis` apart from all others.
std::string PatternOf(const std::vector<JudgedCase>& cases, size_t basis);

// Fills in the permutation of a row's elements, if there is one but the identity.
void FindPermutation(const std::vector<JudgedCase>& cases, size_t basis,
                     const std::function<std::unique_ptr<Predictor>(const Answered&)>& truth,
                     Diagnosis* diagnosis);

// At most so many of them, evenly spaced.
std::vector<size_t> Spaced(const std::vector<size_t>& numbers, size_t most);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DIAGNOSIS_ELEMENTS_H_
