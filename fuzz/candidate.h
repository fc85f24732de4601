// What `gnomon fuzz` does with a subject named on the command line: the search, and the report.
#ifndef GNOMON_FUZZ_CANDIDATE_H_
#define GNOMON_FUZZ_CANDIDATE_H_

#include <string>

#include "gnomon/fuzz/hunt.h"

namespace gnomon::fuzz {

struct CandidateOptions {
  std::string subject;  // a plug-in, which is loaded into the searching process, or any other
  HuntOptions hunt;
  std::string out;  // folder for the finds, made if it is missing; empty: none are written
};

struct CandidateReport {
  std::string text;
  int exit_code = 0;  // 0 nothing found, 1 finds, 2 a crash among them, 4 nothing was asked
};

// Throws BadFile or Rejected.
CandidateReport FuzzCandidate(const CandidateOptions& options);

}  // namespace gnomon::fuzz

#endif  // GNOMON_FUZZ_CANDIDATE_H_
