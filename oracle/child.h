// What the two kinds of child have in common, the process of a plug-in (worker.h) and a program
// behind pipes (child_process.h): how they end, and what is said of it (SUBJ-7).
#ifndef GNOMON_ORACLE_CHILD_H_
#define GNOMON_ORACLE_CHILD_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "gnomon/oracle/description.h"
#include "gnomon/properties/subject.h"

namespace gnomon::oracle {

// A file descriptor that is closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void Reset(int fd);
  void Close() { Reset(-1); }

 private:
  int fd_;
};

struct ChildEnd {
  std::string how;      // "SIGSEGV", "exited with status 3", "stopped by SIGSTOP"
  bool signal = false;  // it died of one
};
// Nothing while it runs. Its number stays its own until KillAndReap.
std::optional<ChildEnd> EndOf(pid_t pid);
// With all it started that is still in its process group.
void KillAndReap(pid_t pid);

// "; its standard error: "thread panicked ... aborting"", or nothing where nothing was said.
std::string SaidText(std::string_view standard_error);
// "; asked rope.apply f32 x[1, 2, 1, 8] positions[2]"
std::string AskedText(const Case& c);

// A subject in a process of its own, which says of itself what it does (SUBJ-1).
class DescribedSubject : public properties::Subject {
 public:
  bool Declares(const std::string& operation, Format format) const override {
    return description_.Declares(operation, format);
  }
  properties::Limits LimitsOf(const std::string& operation) const override {
    return description_.LimitsOf(operation);
  }
  size_t Promise() const override { return description_.promise; }
  bool FlushesSubnormals() const override { return description_.flushes_subnormals; }
  properties::Outcome Run(const Case& c, const properties::OutputViews& outputs) override {
    return RunBatch({{&c, outputs}}).front();
  }
  const Description& description() const { return description_; }

 protected:
  // SUBJ-7. After so many hangs it is asked no more.
  bool gave_up() const { return hangs_ >= properties::kMostHangs; }
  static properties::Outcome NotAsked();

  Description description_;
  int hangs_ = 0;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CHILD_H_
