// The process in which a plug-in runs (SUBJ-4, SUBJ-7): a fork of ours that loads the library and
// answers what lies in the arena. Not exec'ed, so that any program that links this library can have
// one. A fork holds the forking thread alone, and locks as they were: a plug-in must not use what
// other threads of the host program may have held.
#ifndef GNOMON_ORACLE_WORKER_H_
#define GNOMON_ORACLE_WORKER_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "gnomon/oracle/arena.h"
#include "gnomon/oracle/child.h"

namespace gnomon::oracle {

struct WorkerLimits {
  double run_seconds = 5;    // for one call
  double load_seconds = 10;  // for loading the library
  // Of memory that the process may map to write, above what it begins with; 0: no limit. Address
  // space that is only reserved, as GPU runtimes do, does not count.
  int64_t memory_bytes = int64_t{4} << 30;
};

class Worker {
 public:
  // Loads the library at `path`. Throws BadFile where that fails or kills the process.
  Worker(Arena& arena, const std::string& path, const WorkerLimits& limits);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::string& description_text() const { return text_; }

  // How a process ended, in words: "SIGSEGV", "exited with status 3", "no answer within 5 s".
  struct Death {
    std::string how;
    std::string said;    // of standard error, by the call under way: SaidText
    uint32_t run = 0;    // the call under way
    bool begun = false;  // not: it died before it had seen the question
    std::optional<Fault> fault;
    bool out_of_time = false;
  };
  // Answers the questions in the arena. None: all are answered. After a death the worker is of no
  // more use.
  std::optional<Death> Answer(uint32_t count);
  // What the last questions made it write on standard output.
  std::string OnStandardOutput() const;
  bool alive() const { return pid_ > 0; }

 private:
  enum class Phase { kLoading, kAnswering };
  std::optional<Death> Wait(Phase phase, uint32_t number);
  Death Buried(std::string how);

  Arena& arena_;
  WorkerLimits limits_;
  const Descriptor out_, err_;  // standard output and error of the child
  pid_t pid_ = -1;
  uint32_t number_ = 0;  // of the last batch
  std::string text_;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_WORKER_H_
