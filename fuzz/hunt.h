// The search of `gnomon fuzz`: libFuzzer on one candidate, in a child process that may die of it.
#ifndef GNOMON_FUZZ_HUNT_H_
#define GNOMON_FUZZ_HUNT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/fuzz/find.h"
#include "gnomon/properties/subject.h"

namespace gnomon::fuzz {

struct HuntOptions {
  std::string operations = "*";  // a glob
  int seconds = 60;
  uint64_t seed = 1;
};

struct HuntResult {
  double seconds = 0;    // of the search
  bool stopped = false;  // by SIGINT or SIGTERM, before its time
  int64_t asked = 0;     // questions whose answers were compared
  int64_t crashes = 0;   // times the candidate took its process down, hangs included
  // SUBJ-7. After the third hang nothing more is asked.
  double not_searched = 0;  // seconds that the search was to last longer
  int64_t not_asked = 0;    // questions left out of those asked of the isolated subject
  std::string why_not_asked;
  bool guided = false;      // the candidate is instrumented, and its coverage led the search
  std::vector<Find> finds;  // one of each signature, shrunk
  std::vector<std::string> unrepeated;  // seen in the search and not again, in one line each
};

using MakeSubject = std::function<std::unique_ptr<properties::Subject>()>;

// `searched` makes the subject that is asked in the child's own process; `isolated` the same one
// behind its own process, where a crash can be asked for again.
// SIGINT and SIGTERM end the search; what it found is still asked again.
HuntResult Hunt(const MakeSubject& searched, const MakeSubject& isolated,
                const HuntOptions& options);

}  // namespace gnomon::fuzz

#endif  // GNOMON_FUZZ_HUNT_H_
