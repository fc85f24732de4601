// `gnomon fuzz` in its own program, because libFuzzer's runtime is linked into it. The arguments
// are those of oracle/cli_fuzz.cc, all of them given: SUBJECT OPERATIONS SECONDS SEED OUT.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "gnomon/fuzz/candidate.h"

int main(int count, char** arguments) {
  if (count != 6) {
    std::fprintf(stderr, "gnomon-fuzz: run it as gnomon fuzz --subject SUBJECT (CASE-6)\n");
    return 3;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for the report any more
  gnomon::fuzz::CandidateOptions options;
  options.subject = arguments[1];
  options.hunt.operations = arguments[2];
  options.hunt.seconds = std::atoi(arguments[3]);
  options.hunt.seed = std::strtoull(arguments[4], nullptr, 10);
  options.out = arguments[5];
  try {
    const gnomon::fuzz::CandidateReport report = gnomon::fuzz::FuzzCandidate(options);
    std::fputs(report.text.c_str(), stdout);
    return report.exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gnomon: %s\n", error.what());
    return 3;
  }
}
