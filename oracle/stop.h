// A run that is stopped still reports what it has (REPORT-1).
#ifndef GNOMON_ORACLE_STOP_H_
#define GNOMON_ORACLE_STOP_H_

#include <signal.h>
#include <sys/types.h>

namespace gnomon::oracle {

// While it lives, the first SIGINT or SIGTERM is noted, passed on to a child that works for this
// process, and nothing else. Another one ends the program, but not within a second: `timeout` sends
// its signal twice, and a terminal sends the child its own. One that was ignored before, as in the
// background of a script, stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  static bool Came();
  static void PassOnTo(pid_t child);  // 0: to none

 private:
  struct sigaction before_[2];
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_STOP_H_
