// Lists of expected failures (spec/report.md, REPORT-4).
#ifndef GNOMON_ORACLE_EXPECTED_H_
#define GNOMON_ORACLE_EXPECTED_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gnomon/oracle/result.h"

namespace gnomon::oracle {

// "PATTERN ERROR MISTAKE UNTIL REASON".
struct ExpectedFailure {
  // "rope.apply/89be96a4b7e9/f32", or the name alone; then "@" and the subject or the path, if it
  // has to be that one.
  std::string pattern;
  std::optional<double> error;  // the largest allowed; no value: "-", none is measured
  std::string crash;            // in the place of an error: how the subject dies (CrashKind)
  std::string mistake, until;   // "-": not stated
  std::string reason;           // a link, or why; "TODO" is none

  bool Matches(const Result& result) const;
};

struct ExpectedList {
  struct Line {
    std::string text;  // as in the file
    std::optional<ExpectedFailure> failure;
  };
  std::string file;  // for messages
  std::vector<Line> lines;

  std::string Text() const;
};

// Throws BadFile where a line is no such line.
ExpectedList ParseExpected(std::string_view text, const std::string& file);

struct ExpectedOutcome {
  std::vector<bool> expected;         // of every result: it fails, and as listed
  std::vector<std::string> problems;  // one line each
};

// `today`: "2026-11-29", in UTC.
ExpectedOutcome CompareWithExpected(const ExpectedList& list, const std::vector<Result>& results,
                                    const std::string& today);

// --update: what the list would have to say, but for reasons and dates, which stay. Throws BadFile
// where no list could tell what fails from what passes.
ExpectedList UpdatedExpected(const ExpectedList& list, const std::vector<Result>& results);

std::string Today();

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_EXPECTED_H_
