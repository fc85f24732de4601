// What the two kinds of child have in common, the process of a plug-in (worker.h) and a program
// behind pipes (child_process.h): how they end, and what is said of it (SUBJ-7).
#ifndef GNOMON_ORACLE_CHILD_H_
#define GNOMON_ORACLE_CHILD_H_

#include <sys/types.h>

#include <map>
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
// Of a refusal (SUBJ-2) that came with none.
inline constexpr const char* kNoMessage = "without a message";
// "; asked rope.apply f32 x[1, 2, 1, 8] positions[2]"
std::string AskedText(const Case& c);

// SUBJ-7. A child that could be started once is tried so often again before it is given up.
inline constexpr int kMostStarts = 3;

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
  // SUBJ-7. Why this case is not asked any more; empty: it is.
  std::string GivenUp(const Case& c) const;
  static properties::Outcome NotAsked(const std::string& why) {
    return {properties::Outcome::kNotAsked, why};
  }

  Description description_;
  int hangs_ = 0;
  bool answered_ = false;  // anything, ever
  std::string dead_;       // why it cannot be started any more

  // Given cases come many at once; one alone is a question of the suite, which counts properties
  // and may ask sixty simpler ones to explain a single crash.
  void BeginBatch(size_t cases) {
    if (cases == 1) died_on_.clear();
  }
  void DiedOn(const Case& c) { ++died_on_[c.operation]; }

 private:
  std::map<std::string, int> died_on_;  // operation -> cases; counts until something is answered
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CHILD_H_
