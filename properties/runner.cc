// The one file that knows RapidCheck: its random numbers fill a tape of choices, and its search for
// a simpler counterexample shortens and lowers the tape.
#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <unordered_map>

#include "gnomon/properties/suite.h"
#include "gnomon/properties/tape.h"
#include "gnomon/properties/trial.h"

namespace gnomon::properties {
namespace {

constexpr int kMostShrinkTrials = 400;
constexpr int kMostCrashTrials = 60;                // each may cost a new process
constexpr std::chrono::seconds kMostCrashTime{10};  // or a time limit
constexpr std::chrono::seconds kMostShrinkTime{5};  // of answers that are wrong
constexpr int kDiscardsPerCase = 20;
// Instances that ask what is not declared, one after the other, until no other is expected: a
// property of one operation at a time has at most three or four of them.
constexpr int kMostUndeclared = 60;

struct Choices {
  Tape tape;
  std::shared_ptr<size_t> used = std::make_shared<size_t>(kTapeLength);  // of them, once asked
};
std::ostream& operator<<(std::ostream& os, const Choices& choices) {
  return os << choices.tape.size() << " choices";
}

std::vector<Choices> Simpler(const Choices& choices) {
  std::vector<Choices> simpler;
  Tape used = choices.tape;
  used.resize(std::min(used.size(), *choices.used));
  for (Tape& tape : SimplerTapes(used)) simpler.push_back({std::move(tape)});
  return simpler;
}

// Reports nothing to nobody: RunProperty's caller decides what is said.
class Quiet : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool accepted) override {
    shrinks += accepted;
  }
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
  int shrinks = 0;
};

// Each property has its own stream, so that running fewer of them changes nothing.
uint64_t SeedFor(const std::string& name, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return Spread(hash ^ Spread(seed + 1));
}

}  // namespace

void RunProperty(Subject& subject, const std::vector<Format>& formats, const SuiteOptions& options,
                 PropertyReport* report) {
  const rc::Gen<Choices> tapes([](const rc::Random& random, int) {
    uint64_t state = rc::Random(random).next();
    Choices drawn;
    for (size_t i = 0; i < kTapeLength; ++i)
      drawn.tape.push_back(Spread(state += 0x9e3779b97f4a7c15u));
    return rc::shrinkable::shrinkRecur(
        std::move(drawn), [](const Choices& c) { return rc::seq::fromContainer(Simpler(c)); });
  });

  using Clock = std::chrono::steady_clock;
  Clock::time_point failed;  // or crashed, for the first time
  int trials_since_failure = 0;
  int undeclared = 0;
  bool asked_no_more = false;
  const auto instance = [&] {
    if (report->hangs >= options.most_hangs || asked_no_more || options.stopped()) return;
    const Choices choices = *tapes;
    const bool crashes = report->status == PropertyReport::kCrashes;
    const bool shrinking = crashes || report->status == PropertyReport::kFails;
    const int most = crashes ? kMostCrashTrials : kMostShrinkTrials;
    if (shrinking && ++trials_since_failure > most) return;
    if (shrinking && Clock::now() - failed > (crashes ? kMostCrashTime : kMostShrinkTime)) return;
    Source source(choices.tape);
    Trial trial(subject, source, formats);
    const Trial::Verdict verdict = trial.Judge(report->property.check);
    *choices.used = source.used();
    report->hangs += trial.out_of_time();
    switch (verdict) {
      case Trial::kHolds:
        report->cases += !shrinking;
        return;
      case Trial::kVacuous:
        report->vacuous += !shrinking;
        RC_DISCARD("vacuous");
      case Trial::kDeclined:
        report->declined += !shrinking;
        undeclared += trial.undeclared();
        if (report->cases + report->vacuous == 0 && undeclared >= kMostUndeclared)
          asked_no_more = true;
        RC_DISCARD("declined");
      case Trial::kNotAsked:
        asked_no_more = true;
        if (shrinking) return;
        report->hangs = options.most_hangs;
        report->status = PropertyReport::kNotRun;
        report->finding = trial.finding();
        return;
      case Trial::kCrashes:
      case Trial::kFails:
        // The last failure is the one RapidCheck settled on: every simpler one that fails is taken.
        // A crash stays the finding when a simpler case only fails.
        if (report->status == PropertyReport::kCrashes && verdict == Trial::kFails) return;
        if (!shrinking || (verdict == Trial::kCrashes && !crashes)) failed = Clock::now();
        report->status =
            verdict == Trial::kFails ? PropertyReport::kFails : PropertyReport::kCrashes;
        report->finding = trial.finding();
        report->asked = trial.asked();
        RC_FAIL(trial.finding());
    }
  };

  rc::detail::TestParams params;
  params.seed = SeedFor(report->property.name, options.seed);
  params.maxSuccess = options.cases;
  params.maxDiscardRatio = kDiscardsPerCase;
  params.disableShrinking = !options.shrink;
  Quiet quiet;
  // With its own, empty map of reproductions: RapidCheck then reads no environment and prints
  // nothing.
  const rc::detail::TestResult result = rc::detail::checkProperty(
      rc::detail::toProperty(instance), rc::detail::TestMetadata(), params, quiet,
      std::unordered_map<std::string, rc::detail::Reproduce>());
  report->shrinks = quiet.shrinks;
  if (report->status != PropertyReport::kNotApplicable) return;
  if (options.stopped()) {
    report->status = PropertyReport::kNotRun;
    report->finding = kStoppedText;
    return;
  }
  // Instances outside the subject's own limits are no fault of it; those that could be asked count.
  const bool enough = result.is<rc::detail::SuccessResult>() || report->declined > report->vacuous;
  if (report->cases == 0 && report->vacuous == 0 && report->declined > 0) {
    report->status = PropertyReport::kNotApplicable;
  } else if (enough && report->cases > 0) {
    report->status = PropertyReport::kHolds;
  } else {
    report->status = PropertyReport::kStarved;
    report->finding = "too few instances could be asked: " + std::to_string(report->cases) +
                      " counted, " + std::to_string(report->vacuous) + " vacuous, " +
                      std::to_string(report->declined) + " declined";
  }
}

}  // namespace gnomon::properties
