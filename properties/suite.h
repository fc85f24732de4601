// The property suite: every property that applies, on any live subject.
#ifndef GNOMON_PROPERTIES_SUITE_H_
#define GNOMON_PROPERTIES_SUITE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gnomon/properties/property.h"
#include "gnomon/properties/subject.h"
#include "gnomon/spec/case.h"

namespace gnomon::properties {

inline constexpr uint64_t kDefaultSeed = 20170612;  // the day "Attention Is All You Need" appeared
inline constexpr int kDefaultCases = 100;
inline constexpr int kThoroughCases = 15 * kDefaultCases;

enum class Which {
  kAll,
  kAlgebraic,  // never compares with the reference
  kJudged,     // the others
};

struct SuiteOptions {
  std::string operation = "*";  // glob over operations: a property runs if one it asks fits
  std::string property = "*";   // glob over names of properties
  int cases = kDefaultCases;    // instances of each property that count
  uint64_t seed = kDefaultSeed;
  Which which = Which::kAll;
  bool shrink = true;  // look for a simpler case that fails too
  int most_hangs = kMostHangs;
  std::string repeat_with;  // more options of the command that repeats a result: " --x 1"
  std::function<void(const Property&)> progress;
  std::function<bool()> stopped = [] { return false; };  // asked before every instance
};

struct PropertyReport {
  enum Status {
    kHolds,
    kFails,
    kCrashes,        // the subject died, hung or broke the protocol
    kStarved,        // too many instances were vacuous for a verdict
    kNotApplicable,  // the subject declares too little of what the property asks, or its limits
                     // leave nothing to ask
    kNotRun,         // the subject is asked no more (SUBJ-7), or the run was stopped
  };
  Property property;
  Status status = kNotApplicable;
  int cases = 0;        // instances that could have failed and did not
  int vacuous = 0;      // instances whose tolerance proved nothing
  int declined = 0;     // instances outside the subject's limits
  int hangs = 0;        // questions on which the subject's time ran out
  int shrinks = 0;      // simpler failing cases found on the way to the one below
  std::string finding;  // kFails, kCrashes, kNotRun: what is wrong, in one line
  std::vector<Case>
      asked;  // the same: what the subject was asked, in order; the last answer was wrong
};

struct SuiteReport {
  std::string subject;
  SuiteOptions options;
  std::vector<PropertyReport> properties;

  int64_t count(PropertyReport::Status status) const;
  bool nothing_ran() const;
  bool crashed() const { return count(PropertyReport::kCrashes) > 0; }
  // It is asked no more: it hung as often as is waited for, or answers nothing at all.
  bool gave_up() const;
  // Something ran, and nothing failed, crashed, starved or was left out.
  bool holds() const;
};

// The formats that the subject declares for something the property asks. Some properties ask one of
// their operations at a time, and others several: an instance that asks one that is not declared is
// declined.
std::vector<Format> FormatsFor(const Subject& subject, const Property& property);

SuiteReport RunSuite(Subject& subject, const SuiteOptions& options = {});

// RapidCheck: random choices, and shrinking. Fills in everything but `property`.
void RunProperty(Subject& subject, const std::vector<Format>& formats, const SuiteOptions& options,
                 PropertyReport* report);

// One line for every property, and below a failing one the case and the command that repeats it.
std::string ToText(const SuiteReport& report);
// Why properties are not run.
std::string WhyNotRun(const SuiteReport& report);
std::string HungText(const SuiteOptions& options);
inline constexpr const char* kStoppedText = "the run was stopped (REPORT-1)";
const char* Name(PropertyReport::Status status);  // "holds", "fails", "crashes", ...
// The text as a shell takes it for one word.
std::string ShellQuoted(const std::string& text);
std::string RepeatCommand(const SuiteReport& report, const PropertyReport& property);

// `*` stands for any text, `?` for any character.
bool GlobMatches(const std::string& pattern, const std::string& text);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_SUITE_H_
