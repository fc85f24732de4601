// Somebody's program as a subject (SUBJ-5, SUBJ-7): it is asked over pipes, in batches, and started
// again where it dies.
#ifndef GNOMON_ORACLE_PROCESS_SUBJECT_H_
#define GNOMON_ORACLE_PROCESS_SUBJECT_H_

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gnomon/oracle/child.h"
#include "gnomon/oracle/child_process.h"

namespace gnomon::oracle {

struct ProcessOptions {
  std::chrono::milliseconds case_time{5000};    // in a batch, of each
  std::chrono::milliseconds start_time{30000};  // to start and describe itself
  size_t batch_cases = 64;
  size_t batch_bytes = size_t{1} << 24;  // of the case files of a batch of two or more
};

// The words of a command: white space separates them, '..' and ".." keep it, a backslash takes the
// next character as it is except within '..'. No shell is asked. Throws Rejected.
std::vector<std::string> SplitCommand(const std::string& command);

class ProcessSubject : public DescribedSubject {
 public:
  // Starts it and takes its description. Throws BadFile, or Rejected for a bad command.
  explicit ProcessSubject(const std::string& command, const ProcessOptions& options = {});
  ~ProcessSubject() override;

  std::string Name() const override { return origin_; }
  std::vector<properties::Outcome> RunBatch(const std::vector<properties::Call>& calls) override;

 private:
  struct Question {
    const properties::Call* call = nullptr;
    Bytes file;
    properties::Outcome outcome;
  };
  using Batch = std::span<Question>;

  // The text of its description. Throws ChildDied.
  std::string Start();
  void EnsureStarted();
  // One exchange, whose answers are then the outcomes. Throws ChildDied. Of a subject that is given
  // up nothing is asked, and that is the outcome.
  void Ask(Batch batch);
  // The outcome of a batch on which it died.
  void Crash(const ChildDied& died, Batch batch, const std::string& more = "") const;
  // Ask, and who kills the process is found and marked.
  void AskSafely(Batch batch);
  void FindWhoDies(const ChildDied& died, Batch batch);
  // Both ask parts of a batch that has died, each of a new process; whether one of them dies again.
  bool Halve(Batch batch);
  bool OneByOne(Batch batch);
  // SUBJ-6: the second of two equal calls.
  void CompareAgain(const Reply& first, const Reply& again, Question* question) const;

  const std::vector<std::string> arguments_;
  const std::string origin_;  // "process:" and the command
  const ProcessOptions options_;
  std::unique_ptr<ChildProcess> child_;
  std::string described_;  // the bytes of its description
  size_t batch_ = 1;       // grows while all is well
  int64_t asked_ = 0;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_PROCESS_SUBJECT_H_
