// Why an answer is wrong: which known mistake (spec/mistakes.md) reproduces it on the failing
// inputs, where it starts, and what it is equal to. Never a guess: a mistake is named only where
// every element fits what it predicts, and where an unknown cause would hardly do that by chance.
#ifndef GNOMON_ORACLE_DIAGNOSIS_H_
#define GNOMON_ORACLE_DIAGNOSIS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/oracle/report.h"

namespace gnomon::oracle {

// Elements looked at in one case, in whole rows; beside the rows of those known to be wrong.
inline constexpr int64_t kMostDiagnosed = 65536;

struct Diagnosis {
  // Mistakes that cannot be told apart on these inputs; a pair is "layout/half-split + base/5e+05".
  // Empty: none known.
  std::vector<std::string> mistakes;
  std::string text;               // what they are, in a line each
  std::optional<size_t> profile;  // that a kernel so mistaken meets otherwise
  // Largest distance of an element from what is predicted, over the bound of `profile`.
  double residual = std::numeric_limits<double>::infinity();
  // The best of those that do not reproduce every element, where it comes near (REPORT-2).
  std::string runner_up;
  double runner_up_residual = std::numeric_limits<double>::infinity();

  std::optional<size_t> other_profile;  // beyond what was demanded: no element is outside it
  // Element d of a row holds what belongs in element permutation[d]; empty: no permutation fits.
  std::vector<int64_t> permutation;
  std::string permutation_text;
  std::string pattern;  // where it starts, or "throughout"

  int64_t elements = 0, failing = 0;  // looked at
  bool sampled = false;               // not all of them were
  // The failing element of the smallest failing case, nearest to position 0.
  size_t smallest_case = 0;  // number in what was given
  int smallest_output = 0;
  int64_t smallest_element = -1;

  // For people: one finding a line.
  std::vector<std::string> Lines() const;
};

// All cases ask the same operation in the same format. Those that conform are welcome: a mistake
// that would show there and does not is none. Throws Rejected where a case is not valid.
Diagnosis Diagnose(const std::vector<Answered>& answered, const Demand& demand = {});

// The case cut down to what one element needs: one batch row, token, head; and what was answered.
// `keep`: an axis of which two indices stay.
struct Cut {
  Case c;
  Outputs outputs;
};
Cut CutDown(const Answered& answered, int output, int64_t element, const std::string& keep = "");
// Whether its outputs are outside the profile that is demanded, or else the floor.
bool Fails(const Cut& cut, const Demand& demand);
// Writes it into a folder, which is made, as a file named by the case's id; returns its path.
// Throws BadFile.
std::string WriteInto(const std::string& folder, const Cut& cut);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DIAGNOSIS_H_
