// One thing that a run judged, in the form that lists, tables and comparisons need
// (spec/report.md, REPORT-1).
#ifndef GNOMON_ORACLE_RESULT_H_
#define GNOMON_ORACLE_RESULT_H_

#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/report.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {

struct Result {
  std::string source;   // the file, or the subject's name
  std::string subject;  // the live one that was asked; empty: a recording
  std::string file;     // of a recording: the file's name without its folder
  std::string name;     // the case id, or the property's name
  std::string clause;   // of a property
  std::vector<std::string> operations;
  std::string format;  // empty: every one that was asked, and none failed
  std::string status;  // "conforms", "holds", "not applicable", ...
  Verdict verdict = Verdict::kNothingRun;
  bool applicable = true;         // else it is no part of the verdict
  std::string profile;            // the strictest met; empty: none
  std::optional<double> largest;  // error, in `unit`; no value: none is measured
  std::string unit;
  std::string crash;  // how it died (CrashKind); empty: it did not
  // Known mistakes that reproduce it; no value: nobody looked for one.
  std::optional<std::vector<std::string>> mistakes;
  std::string detail;  // one line
  std::string repeat;  // the command that repeats it

  bool passes() const { return verdict == Verdict::kConforms; }
  // "rope.apply/89be96a4b7e9/f32", as a list of expected failures has it.
  std::string Label() const;
  // "12.3 u S", or "-".
  std::string LargestText() const;
  // "; shows mistake layout/half-split or table-layout", empty where none is known.
  std::string MistakesText() const;
};

// The caller says how it is repeated.
Result ResultOf(const std::string& file, const Recording& recording,
                const reference::Judgement& judgement, const Report& report);
// `worst`: of every property, error / bound of the worst element (WorstRatio); may be shorter.
std::vector<Result> ResultsOf(const properties::SuiteReport& report,
                              const std::vector<std::optional<double>>& worst = {});

// How a subject died, in one word, from what was said of it: "SIGSEGV", "exit", "hang", "output"
// (it wrote where it must not), else "crash".
std::string CrashKind(const std::string& finding);

// REPORT-1. Refused before crashed before nonconforming before nothing run before conforms; of
// none: nothing run.
Verdict Overall(const std::vector<Verdict>& verdicts);
Verdict VerdictOf(const properties::SuiteReport& report);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_RESULT_H_
