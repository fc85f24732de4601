// The child's side of a worker.
#ifndef GNOMON_ORACLE_WORKER_CHILD_H_
#define GNOMON_ORACLE_WORKER_CHILD_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "gnomon/oracle/arena.h"

namespace gnomon::oracle {

struct ChildSetup {
  std::string path;
  pid_t parent = 0;
  int out = -1, err = -1;  // become standard output and error
  int64_t memory_bytes = 0;
};

// Sleeps while *word == value, at most that long. A wake-up without reason is possible.
void FutexWait(std::atomic<uint32_t>* word, uint32_t value, int64_t nanoseconds);
void FutexWake(std::atomic<uint32_t>* word);

// Loads the library and answers until it is killed.
[[noreturn]] void BeChild(Arena& arena, const ChildSetup& setup) noexcept;

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_WORKER_CHILD_H_
