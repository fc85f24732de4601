// The end of a run: its results against the list of expected failures, its exit code, and the files
// that report it (spec/report.md).
#ifndef GNOMON_ORACLE_CONCLUSION_H_
#define GNOMON_ORACLE_CONCLUSION_H_

#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/expected.h"
#include "gnomon/oracle/result.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {

inline constexpr int kReportSchema = 1;  // REPORT-2

struct Conclusion {
  std::vector<Result> results;
  Verdict verdict = Verdict::kNothingRun;  // of all results, whatever is expected
  int exit_code = 4;
  std::string list;                        // the file of expected failures; empty: none
  std::optional<ExpectedOutcome> outcome;  // where there is such a list

  int64_t ExpectedCount() const;
  // Lines below a report: what the list has to say. Empty without one.
  std::string Text() const;
  // The members that every report has: schema, kind, verdict, exit_code, expected.
  Json Envelope(const std::string& kind) const;
};

// Reads the list, rewrites it where that is asked, and writes the reports as files. Throws BadFile
// or Rejected; also where every file was refused.
Conclusion Conclude(std::vector<Result> results, const ReportFiles& files);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CONCLUSION_H_
