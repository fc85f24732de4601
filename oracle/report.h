// A judgement, for people and for programs.
#ifndef GNOMON_ORACLE_REPORT_H_
#define GNOMON_ORACLE_REPORT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/recording.h"
#include "gnomon/reference/judge.h"

namespace gnomon::oracle {

struct Diagnosis;  // diagnosis.h

enum class Verdict { kConforms, kNonconforming, kCrashed, kRefused, kNothingRun };

// "conforms", "nonconforming", "crashed", "refused", "nothing run".
std::string Name(Verdict verdict);
// 0, 1, 2, 3, 4. Refused: bad input. Nothing run (BOUND-7): no element, or none but vacuous ones.
int ExitCode(Verdict verdict);

// What the user asks: one profile, or any up to a floor (indices into kProfiles).
struct Demand {
  std::optional<size_t> profile;
  size_t floor = kProfiles.size() - 1;
  bool flushes_subnormals = false;  // declared by who answered (BOUND-8)

  // As options of `gnomon check`: " --profile standard"; empty where nothing is asked.
  std::string Options() const;
};

struct Report {
  Report(const Recording& recording, const reference::Judgement& judgement, const Demand& demand);

  Verdict verdict = Verdict::kNothingRun;
  std::optional<size_t> met;  // the profile that the verdict names
  size_t shown = 0;           // the profile whose worst element is shown: met, or the nearest to it

  std::shared_ptr<const Diagnosis> diagnosis;  // of what is nonconforming

  std::vector<std::string> hints;  // what to try next; shown below the sentence
  // Known mistakes (spec/mistakes.md) that reproduce what is wrong; no value: nobody looked.
  std::optional<std::vector<std::string>> mistakes;

  std::string Sentence() const;
  // What the recording cannot show, whatever the verdict.
  std::vector<std::string> Warnings() const;
  std::string Text() const;
  std::string JsonText() const;

 private:
  std::string VacuousText() const;

  const Recording& recording_;
  const reference::Judgement& judgement_;
  Demand demand_;
  std::string case_id_;
};

// Whether the element was held against a bound that can be stated: NaN and infinities are not.
bool HasBound(const reference::ElementReport& element);

// "layout half_split, head_dim 128, rope_theta 10000 (default)": every parameter of the operation
// that is judged: with given tables (ROPE-4) no frequency is.
std::string ParametersText(const Case& c);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_REPORT_H_
