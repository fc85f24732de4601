#include "gnomon/oracle/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/text.h"
#include "gnomon/properties/suite.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {

using properties::PropertyReport;
using properties::SuiteReport;

std::string Result::Label() const {
  return (operations.empty() ? "*" : operations.front()) + "/" + name + "/" +
         (format.empty() ? "*" : format);
}

std::string Result::LargestText() const {
  if (!largest) return "-";
  return (std::isfinite(*largest) ? Rough(*largest) : "inf") + " " + unit;
}

std::string Result::MistakesText() const {
  if (!mistakes || mistakes->empty()) return "";
  return fmt::format("; shows mistake {}", fmt::join(*mistakes, " or "));
}

Result ResultOf(const std::string& file, const Recording& recording,
                const reference::Judgement& judgement, const Report& report) {
  Result result;
  result.source = file;
  result.file = std::filesystem::path(file).filename();
  result.name = CaseId(recording.c);
  result.operations = {judgement.operation};
  result.format = Traits(judgement.format).name;
  result.status = Name(report.verdict);
  result.verdict = report.verdict;
  if (report.met) result.profile = kProfiles[*report.met].name;
  if (judgement.elements > 0) result.largest = judgement.histogram.largest;
  result.unit = UnitName(judgement.unit);
  result.mistakes = report.mistakes;
  result.detail = report.Sentence();
  return result;
}

std::string CrashKind(const std::string& finding) {
  std::string kind = "crash";
  size_t first = std::string::npos;  // what is said first; the rest may quote the subject
  const auto says = [&](const std::string& text, const std::string& meaning) {
    const size_t at = finding.find(text), end = at + text.size();
    if (at >= first ||
        (end < finding.size() && std::isalnum(static_cast<unsigned char>(finding[end]))))
      return;
    first = at;
    kind = meaning;
  };
  says("no answer within", "hang");
  says("did not answer within", "hang");
  says("exited with status", "exit");
  says("wrote on standard output", "output");
  for (int number = 1; number < NSIG; ++number) {
    const char* const abbreviation = sigabbrev_np(number);
    if (abbreviation == nullptr) continue;
    const std::string name = std::string("SIG") + abbreviation;
    says(name, name);
    says("died by signal " + std::to_string(number), name);
  }
  return kind;
}

std::vector<Result> ResultsOf(const SuiteReport& report,
                              const std::vector<std::optional<double>>& worst) {
  std::vector<Result> results;
  for (const PropertyReport& p : report.properties) {
    Result& result = results.emplace_back();
    result.source = result.subject = report.subject;
    result.name = p.property.name;
    result.clause = p.property.clause;
    result.operations = p.property.operations;
    result.status = properties::Name(p.status);
    result.applicable = p.status != PropertyReport::kNotApplicable;
    if (p.status == PropertyReport::kHolds) result.verdict = Verdict::kConforms;
    if (p.status == PropertyReport::kFails || p.status == PropertyReport::kStarved)
      result.verdict = Verdict::kNonconforming;
    if (p.status == PropertyReport::kCrashes) result.verdict = Verdict::kCrashed;
    if (!p.asked.empty()) {
      result.operations = {p.asked.back().operation};
      result.format = Traits(p.asked.back().format).name;
    }
    result.detail = p.finding;
    if (p.status == PropertyReport::kCrashes) result.crash = CrashKind(p.finding);
    if (results.size() <= worst.size()) result.largest = worst[results.size() - 1];
    if (result.largest) result.unit = "of the bound";
    const bool asked = result.applicable && p.status != PropertyReport::kNotRun;
    if (!result.passes() && asked) result.repeat = RepeatCommand(report, p);
  }
  return results;
}

Verdict Overall(const std::vector<Verdict>& verdicts) {
  for (Verdict verdict :
       {Verdict::kRefused, Verdict::kCrashed, Verdict::kNonconforming, Verdict::kNothingRun})
    if (std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end()) return verdict;
  return verdicts.empty() ? Verdict::kNothingRun : Verdict::kConforms;
}

Verdict VerdictOf(const SuiteReport& report) {
  std::vector<Verdict> verdicts;
  for (const Result& result : ResultsOf(report))
    if (result.applicable) verdicts.push_back(result.verdict);
  return Overall(verdicts);
}

}  // namespace gnomon::oracle
