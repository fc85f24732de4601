// A plug-in as a subject: in a process of its own, its memory watched (SUBJ-4, SUBJ-6, SUBJ-7).
#ifndef GNOMON_ORACLE_PLUGIN_SUBJECT_H_
#define GNOMON_ORACLE_PLUGIN_SUBJECT_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/arena.h"
#include "gnomon/oracle/description.h"
#include "gnomon/oracle/placement.h"
#include "gnomon/oracle/worker.h"
#include "gnomon/properties/subject.h"

namespace gnomon::oracle {

class PluginSubject : public properties::Subject {
 public:
  // Throws BadFile where the library cannot be loaded or its description read.
  explicit PluginSubject(const std::string& path, const WorkerLimits& limits = {});
  ~PluginSubject() override;

  std::string Name() const override { return "plugin:" + path_; }
  bool Declares(const std::string& operation, Format format) const override {
    return description_.Declares(operation, format);
  }
  properties::Limits LimitsOf(const std::string& operation) const override {
    return description_.LimitsOf(operation);
  }
  size_t Promise() const override { return description_.promise; }
  bool FlushesSubnormals() const override { return description_.flushes_subnormals; }
  properties::Outcome Run(const Case& c, const properties::OutputViews& outputs) override;
  std::vector<properties::Outcome> RunBatch(const std::vector<properties::Call>& calls) override;

  const Description& description() const { return description_; }

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
  properties::Outcome Crash(const Worker::Death& death, const Laid& laid) const;
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
  Description description_;
  std::vector<Laid> laid_;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_PLUGIN_SUBJECT_H_
