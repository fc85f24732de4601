// A program behind two pipes: questions on its standard input, answers on its standard output, the
// beginning and the end of what it says meanwhile on its standard error kept for messages (SUBJ-5,
// SUBJ-7).
#ifndef GNOMON_ORACLE_CHILD_PROCESS_H_
#define GNOMON_ORACLE_CHILD_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gnomon/oracle/child.h"
#include "gnomon/oracle/frames.h"

namespace gnomon::oracle {

// How a child came to its end, in words that go on with "it".
class ChildDied : public std::runtime_error {
 public:
  ChildDied(const std::string& how, const std::string& said = "", bool out_of_time = false)
      : std::runtime_error(how + said), how(how), said(said), out_of_time(out_of_time) {}
  const std::string how, said;  // the latter: SaidText
  const bool out_of_time;
};

class ChildProcess {
 public:
  // Throws ChildDied where it cannot be started. The child has a process group of its own, which
  // dies with this object; on Linux the child itself also dies with the thread that started it,
  // however that ends.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends all of `question` while it reads one frame of that type: whoever of the two writes first,
  // neither waits for the other for ever. Throws ChildDied; the child is then dead.
  Bytes Ask(std::span<const std::byte> question, std::string_view answer_type, uint64_t longest,
            std::chrono::milliseconds time);
  // Asks it to end, waits a little, and kills it.
  void End(std::span<const std::byte> farewell);

  bool alive() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }  // -1 once it is dead

 private:
  enum class Stream { kOpen, kClosed };
  [[noreturn]] void Die(const std::string& how, bool out_of_time = false);
  // Where the pipes have closed it is dying, or says no more: which, when, and of what.
  [[noreturn]] void DieOfClosedPipe(const std::string& which, const std::string& when);
  // Waits for its end.
  std::optional<ChildEnd> Wait(std::chrono::milliseconds time);
  void Kill();
  void ReadErrors();
  // Without a reader nothing may come.
  Stream ReadAnswer(FrameReader* reader);
  // How many bytes were taken; a closed pipe sets *closed.
  size_t Write(std::span<const std::byte> bytes, bool* closed);

  pid_t pid_ = -1;
  Descriptor in_, out_, err_;  // our ends
  std::string errors_;         // its standard error since the last answer, at most kErrorsKept
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CHILD_PROCESS_H_
