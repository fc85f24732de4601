// One instance of a property: the choices it draws, the questions it asks of the subject, and what
// it found. A property reads like its formula because a trial ends itself: the first question that
// the subject cannot answer, and the first comparison that fails, throw TrialEnded, which only the
// runner catches.
#ifndef GNOMON_PROPERTIES_TRIAL_H_
#define GNOMON_PROPERTIES_TRIAL_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gnomon/properties/source.h"
#include "gnomon/properties/subject.h"
#include "gnomon/reference/interval.h"

namespace gnomon::properties {

using reference::Interval;

struct TrialEnded {};

class Trial {
 public:
  enum Verdict {
    kHolds,
    kFails,
    kVacuous,   // nothing that was compared could have failed (BOUND-6)
    kDeclined,  // outside the limits that the subject declares
    kCrashes,   // it died, hung or broke the protocol
    kNotAsked,  // it had hung too often before
  };

  // `formats`: those that the subject declares for something the property asks.
  Trial(Subject& subject, Source& source, std::vector<Format> formats)
      : subject_(subject), source_(source), formats_(std::move(formats)) {}

  // Runs a check and says how it ended. Catches everything.
  Verdict Judge(const std::function<void(Trial&)>& check);

  Source& source() { return source_; }
  // BOUND-1: what the subject says of itself; every tolerance follows from it.
  const Profile& promise() const {
    return ProfilesFor(subject_.FlushesSubnormals())[subject_.Promise()];
  }
  // In one of the formats of this trial.
  bool declares(const std::string& operation) const;
  Format DrawFormat();
  Limits limits(const std::string& operation);
  // A position whose angles mean something: tolerances grow with the angle unless it is exact, so
  // most draws stay where this promise still proves something. |position| < `limit` in any case.
  int64_t DrawPosition(int64_t limit, const Limits& limits = {});

  // The subject's answer. Output memory starts as NaN in every format, with guard zones around it.
  Outputs Run(const Case& c);
  // The same on memory of the caller's making; where the case is in place it must hold the input.
  void RunOn(const Case& c, Outputs* outputs);
  // Ends the trial unless the subject declares this operation in this format.
  void Require(const std::string& operation, Format format);

  // Ends the trial as a failure when error > tolerance for certain; an instance counts only if some
  // tolerance was below the size of what it bounds. `where` is asked for only on failure.
  void Compare(const Interval& error, const Interval& tolerance, const Interval& size,
               const std::function<std::string()>& where);
  // An exact demand.
  void Expect(bool holds, const std::function<std::string()>& where);
  // Something was compared elsewhere (by the judge), and could have failed.
  void NoteCompared() { ++compared_; }
  [[noreturn]] void Fail(const std::string& what);
  // Ends the trial unless the case can be drawn inside the subject's limits.
  void RequireInside(bool inside);

  bool out_of_time() const { return out_of_time_; }
  // kDeclined: what was drawn asks an operation that the subject does not declare in the format.
  bool undeclared() const { return undeclared_; }
  const std::string& finding() const { return finding_; }
  // Everything that was asked, in order.
  const std::vector<Case>& asked() const { return asked_; }
  int64_t compared() const { return compared_; }
  int64_t vacuous() const { return vacuous_; }

 private:
  Subject& subject_;
  Source& source_;
  std::vector<Format> formats_;
  std::vector<Case> asked_;
  std::string finding_;
  Verdict verdict_ = kHolds;
  bool out_of_time_ = false, undeclared_ = false;
  std::set<std::string> limited_;  // operations whose limits the property asked for
  int64_t compared_ = 0, vacuous_ = 0;
};

// Memory for the outputs of a case: NaN, with guard zones; a copy of the input where in place.
Outputs GuardedOutputs(const Case& c, uint8_t fill = 0xff);

// "-0.5 (-0x1p-1)"
std::string Show(double value);
std::string Show(const Interval& value);
// "rope.apply f32 {head_dim: 4, layout: "interleaved"} x[1, 2, 1, 4] positions[2] = (0, 5)"
std::string Describe(const Case& c);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_TRIAL_H_
