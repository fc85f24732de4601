// Given cases, asked of a live subject and judged: the replay of finds, and of what was emitted.
#ifndef GNOMON_ORACLE_RUN_CASES_H_
#define GNOMON_ORACLE_RUN_CASES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/properties/subject.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/case.h"

namespace gnomon::oracle {

inline constexpr size_t kCasesAtOnce = 256;  // whose answers are held in memory

struct CaseResult {
  std::string outside;          // the limit that the case breaks, in words: then nothing is asked
  properties::Outcome outcome;  // of what was asked
  Outputs outputs;              // kOk
  std::optional<reference::Judgement> judgement;  // kOk

  bool asked() const { return outside.empty(); }
};

// One result for each case, in order. Cases that the subject does not declare, or that lie outside
// its limits (SUBJ-3), are not asked; nor does the answer depend on how many are asked at once.
// Throws Rejected for a case that is not valid.
std::vector<CaseResult> RunCases(properties::Subject& subject, const std::vector<Case>& cases,
                                 size_t at_once = kCasesAtOnce);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_RUN_CASES_H_
