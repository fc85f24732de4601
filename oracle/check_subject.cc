// `gnomon check --subject`: the property suite on live subjects.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/conclusion.h"
#include "gnomon/oracle/declaration.h"
#include "gnomon/oracle/diagnose_subject.h"
#include "gnomon/oracle/diagnosis_json.h"
#include "gnomon/oracle/run_cases.h"
#include "gnomon/oracle/stop.h"
#include "gnomon/oracle/subjects.h"
#include "gnomon/oracle/watched_subject.h"
#include "gnomon/properties/suite.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using properties::PropertyReport;
using properties::SuiteReport;

// Of a property that fails: the largest error / bound, under what is promised, that the subject
// shows on the case that was met first and on the one that it was reduced to. None: no element is
// outside its bound there.
std::optional<double> WorstRatio(properties::Subject& subject, const PropertyReport& p,
                                 const properties::SuiteOptions& options) {
  if (p.status != PropertyReport::kFails || !p.property.check) return std::nullopt;
  properties::SuiteOptions once = options;
  once.shrink = false;
  PropertyReport first;
  first.property = p.property;
  RunProperty(subject, FormatsFor(subject, p.property), once, &first);
  std::vector<Case> cases = p.asked;
  cases.insert(cases.end(), first.asked.begin(), first.asked.end());
  std::optional<double> largest;
  const size_t promise = subject.Promise();
  try {
    for (const CaseResult& answer : RunCases(subject, cases)) {
      if (!answer.judgement || answer.judgement->profiles[promise].outside == 0) continue;
      const reference::ElementReport& e = *answer.judgement->profiles[promise].worst;
      double ratio = kProfiles[promise].correctly_rounded ? e.error_units : e.error / e.bound;
      if (!(ratio > 1) || !std::isfinite(ratio)) ratio = std::numeric_limits<double>::infinity();
      largest = std::max(largest.value_or(0), ratio);
    }
  } catch (const Rejected&) {  // the property itself asked what is no case
    return std::nullopt;
  }
  return largest;
}

// "builtin:AVX2: property 3 of 41, 1200 cases asked", while a suite runs.
class Watch {
 public:
  Watch(properties::Subject& subject, properties::SuiteOptions* options,
        const std::function<void(const std::string&)>& show)
      : name_(subject.Name()), show_(show), watched_(subject, [this](int64_t n) { Tell(n); }) {
    if (!show_) return;
    for (const properties::Property& p : properties::AllProperties())
      all_ += std::any_of(p.operations.begin(), p.operations.end(), [&](const std::string& o) {
        return properties::GlobMatches(options->operation, o);
      });
    options->progress = [this](const properties::Property&) { ++now_; };
  }
  properties::Subject& subject() { return watched_; }
  void Diagnosing() { doing_ = "diagnosing"; }

 private:
  void Tell(int64_t asked) const {
    if (!show_) return;
    show_(fmt::format("{}: {}, {} cases asked", name_,
                      doing_.empty() ? fmt::format("property {} of {}", now_, all_) : doing_,
                      asked));
  }
  const std::string name_;
  const std::function<void(const std::string&)>& show_;
  WatchedSubject watched_;
  std::string doing_;
  int64_t now_ = 0, all_ = 0;
};

Json ToJson(const SuiteReport& report, const std::vector<std::optional<double>>& worst) {
  Json json = {{"subject", report.subject},
               {"verdict", Name(VerdictOf(report))},
               {"seed", report.options.seed},
               {"cases", report.options.cases},
               {"properties", Json::array()}};
  for (size_t i = 0; i < report.properties.size(); ++i) {
    const PropertyReport& p = report.properties[i];
    Json entry = {{"name", p.property.name},  {"clause", p.property.clause},
                  {"status", Name(p.status)}, {"cases", p.cases},
                  {"vacuous", p.vacuous},     {"declined", p.declined}};
    if (!p.finding.empty()) {
      entry["finding"] = p.finding;
      if (p.status != PropertyReport::kNotRun) entry["repeat"] = RepeatCommand(report, p);
      for (const Case& c : p.asked) entry["asked"].push_back(CaseId(c));
    }
    if (p.status == PropertyReport::kCrashes) entry["crash"] = CrashKind(p.finding);
    if (worst[i]) entry["largest_error"] = std::isfinite(*worst[i]) ? Json(*worst[i]) : Json("inf");
    json["properties"].push_back(entry);
  }
  return json;
}

// SUBJ-2; not asked of a subject that is asked no more.
PropertyReport Declaration(properties::Subject& subject, const SuiteReport& report) {
  if (!report.gave_up()) return CheckDeclaration(subject, report.options.operation);
  PropertyReport left_out = DeclarationProperty();
  left_out.status = PropertyReport::kNotRun;
  left_out.finding = WhyNotRun(report);
  return left_out;
}

bool DeclaresAny(const properties::Subject& subject, const std::string& glob) {
  for (const OperationSpec* operation : AllOperations())
    for (const FormatTraits& format : kFormats)
      if (properties::GlobMatches(glob, operation->name) &&
          subject.Declares(operation->name, *FormatFromName(format.name)))
        return true;
  return false;
}

// Of the operations and formats that the property asks.
void AddMistakes(const std::vector<SubjectDiagnosis>& diagnoses, Result* result) {
  if (result->passes()) return;
  for (const SubjectDiagnosis& one : diagnoses) {
    const bool asked = std::find(result->operations.begin(), result->operations.end(),
                                 one.operation) != result->operations.end();
    if (!asked || (!result->format.empty() && result->format != Traits(one.format).name)) continue;
    if (!result->mistakes) result->mistakes.emplace();
    for (const std::string& mistake : one.diagnosis.mistakes)
      if (std::find(result->mistakes->begin(), result->mistakes->end(), mistake) ==
          result->mistakes->end())
        result->mistakes->push_back(mistake);
  }
}

// With a folder, the last case of every crash is written there, and how to ask it again is said.
std::string CrashFiles(const SuiteReport& report, const SubjectArguments& arguments) {
  std::string text;
  if (arguments.out.empty()) return text;
  for (const PropertyReport& p : report.properties)
    if (p.status == PropertyReport::kCrashes && !p.asked.empty())
      text += fmt::format(
          "case of the crash in {}: {}\n", p.property.name,
          RepeatWords(arguments, report.subject, WriteInto(arguments.out, {p.asked.back(), {}})));
  return text;
}

}  // namespace

std::string CaseTimeOption(const SubjectArguments& arguments) {
  if (arguments.case_time_ms == SubjectArguments().case_time_ms) return "";
  return fmt::format(" --case-time {}", arguments.case_time_ms);
}

std::string RepeatWords(const SubjectArguments& arguments, const std::string& subject,
                        const std::string& file) {
  return fmt::format("gnomon check --subject {}{} {}", properties::ShellQuoted(subject),
                     CaseTimeOption(arguments), properties::ShellQuoted(file));
}

SubjectOptions ToOptions(const SubjectArguments& arguments) {
  SubjectOptions options;
  options.case_time = std::chrono::milliseconds(arguments.case_time_ms);
  return options;
}

int CheckSubject(const SubjectArguments& arguments, std::ostream& out) {
  if (arguments.cases < 1 || arguments.cases > std::numeric_limits<int>::max())
    throw Rejected("--cases", std::to_string(arguments.cases), "must be from 1 to 2^31 - 1",
                   "CASE-6");
  properties::SuiteOptions options;
  options.operation = arguments.operation;
  options.cases = static_cast<int>(arguments.cases);
  options.seed = arguments.seed;
  options.repeat_with = CaseTimeOption(arguments);
  const StopSignals stop;
  options.stopped = StopSignals::Came;
  Json all = Json::array();
  int64_t ran = 0, held_all = 0;
  bool idle = false;  // something is declared, but limits leave nothing of it
  std::vector<Result> results;
  for (const auto& named : SubjectsNamed(arguments.subject, ToOptions(arguments))) {
    Watch watch(*named, &options, arguments.progress);
    properties::Subject* const subject = &watch.subject();
    SuiteReport report = RunSuite(*subject, options);
    // A subject among several that does none of the operations asked for is not a finding.
    if (report.nothing_ran()) {
      idle |= DeclaresAny(*subject, options.operation);
      continue;
    }
    report.properties.push_back(Declaration(*subject, report));
    ++ran;
    held_all += report.holds();
    watch.Diagnosing();
    std::vector<std::optional<double>> worst;
    for (const PropertyReport& p : report.properties)
      worst.push_back(report.gave_up() ? std::nullopt : WorstRatio(*subject, p, options));
    std::vector<SubjectDiagnosis> diagnoses;
    if (report.count(PropertyReport::kFails) > 0 && !report.gave_up())
      diagnoses = DiagnoseSubject(*subject, options);
    for (Result& result : ResultsOf(report, worst)) {
      AddMistakes(diagnoses, &result);
      results.push_back(std::move(result));
    }
    if (arguments.json) {
      all.push_back(ToJson(report, worst));
      for (const SubjectDiagnosis& one : diagnoses) all.back()["diagnoses"].push_back(ToJson(one));
    } else {
      const int64_t held = report.count(PropertyReport::kHolds);
      const int64_t asked = static_cast<int64_t>(report.properties.size()) -
                            report.count(PropertyReport::kNotApplicable);
      out << fmt::format(
                 "{}: {} promises {}{}; {} of {} properties hold\n", Name(VerdictOf(report)),
                 subject->Name(), kProfiles[subject->Promise()].name,
                 subject->FlushesSubnormals() ? " and may flush subnormals" : "", held, asked)
          << ToText(report) << CrashFiles(report, arguments)
          << ToText(diagnoses, *subject, arguments) << "\n";
    }
  }
  ReportFiles reports = arguments.reports;
  const bool stopped = StopSignals::Came();
  if (stopped && reports.update) reports.expected.clear();  // what did not run would leave the list
  const Conclusion conclusion = Conclude(std::move(results), reports);
  if (arguments.json) {
    Json json = conclusion.Envelope("subjects");
    json["subjects"] = std::move(all);
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return conclusion.exit_code;
  }
  if (ran == 0 && idle) {
    out << "nothing run: the limits that " << arguments.subject
        << " declares leave nothing to ask of " << arguments.operation << " (SUBJ-3)\n";
  } else if (ran == 0) {
    out << "nothing run: no subject named " << arguments.subject << " does any operation that fits "
        << arguments.operation << "\n";
  } else {
    out << held_all << " of " << ran << (ran == 1 ? " subject conforms\n" : " subjects conform\n");
  }
  if (stopped)
    out << "stopped: what was not asked by then is missing"
        << (reports.update ? ", and " + arguments.reports.expected + " is as it was" : "") << "\n";
  out << conclusion.Text();
  return conclusion.exit_code;
}

}  // namespace gnomon::oracle
