// A plug-in as a subject: in a process of its own, its memory watched (SUBJ-4, SUBJ-6, SUBJ-7).
#ifndef GNOMON_ORACLE_PLUGIN_SUBJECT_H_
#define GNOMON_ORACLE_PLUGIN_SUBJECT_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/arena.h"
#include "gnomon/oracle/child.h"
#include "gnomon/oracle/placement.h"
#include "gnomon/oracle/worker.h"

namespace gnomon::oracle {

class PluginSubject : public DescribedSubject {
 public:
  // Throws BadFile where the library cannot be loaded or its description read.
  explicit PluginSubject(const std::string& path, const WorkerLimits& limits = {});
  ~PluginSubject() override;

  std::string Name() const override { return "plugin:" + path_; }
  std::vector<properties::Outcome> RunBatch(const std::vector<properties::Call>& calls) override;

 private:
  // One call of `run`: where its tensors lie. Where the case is in place, its input is an output.
  struct Laid {
    std::vector<Placement> inputs, outputs;
  };
  using Bits = std::vector<uint64_t>;
  static constexpr size_t kRunsOfCase = 2;  // at either guard page

  void EnsureWorker();
  std::optional<Worker::Death> Ask(size_t runs);
  bool Lay(const properties::Call& call, Side side, Junk junk);
  // Cases from `from` on that fit the arena, at most `most`.
  size_t LayAll(const std::vector<properties::Call>& calls, size_t from, size_t most);
  void MakeRoom(const properties::Call& call);
  // Of that case in that run.
  properties::Outcome Crash(const Worker::Death& death, const Case& c, size_t run);
  static Bits BitsOf(const Laid& laid);
  properties::Outcome OutcomeOf(size_t run);
  // Hands on the answer of the case whose first run that is.
  properties::Outcome Look(const properties::Call& call, size_t run, bool* equal);
  properties::Outcome Decide(const properties::Call& call,
                             const std::array<Bits, kRunsOfCase>& answers);

  std::string path_;
  WorkerLimits limits_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Worker> worker_;
  std::vector<Laid> laid_;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_PLUGIN_SUBJECT_H_
