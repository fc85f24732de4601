#include "gnomon/oracle/diagnose_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/diagnosis_json.h"
#include "gnomon/properties/cases.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using properties::OutputViews;
using properties::Subject;

constexpr int64_t kLargestCase = 4096;  // elements
constexpr size_t kFailingKept = 24, kPassingKept = 12;

struct Asked {
  Case c;
  Outputs outputs;
  std::map<std::string, ConstTensorView> views;
  int64_t count = 0;
};

// The smallest ones, and others of all sizes.
std::vector<Asked*> Chosen(std::vector<Asked*> all, size_t most) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Asked* a, const Asked* b) { return a->count < b->count; });
  if (all.size() <= most) return all;
  std::vector<Asked*> some(all.begin(), all.begin() + static_cast<int64_t>(most / 4));
  const size_t rest = most - some.size();
  for (size_t i = 0; i < rest; ++i)
    some.push_back(all[most / 4 + i * (all.size() - 1 - most / 4) / (rest - 1)]);
  return some;
}

// What the subject answers to these cases, asked in order.
std::vector<Asked> Ask(Subject& subject, const std::string& operation, Format format,
                       const properties::SuiteOptions& options) {
  std::vector<Asked> all;
  for (int64_t number = 0; number < options.cases; ++number) {
    std::optional<Case> c = properties::NumberedCase(operation, format, options.seed, number,
                                                     subject.LimitsOf(operation));
    if (!c) continue;
    Asked asked{*c, properties::GuardedOutputs(*c), {}, 0};
    for (const auto& [role, tensor] : asked.outputs) asked.count += tensor.count();
    if (asked.count == 0 || asked.count > kLargestCase) continue;
    OutputViews views;
    for (auto& [role, tensor] : asked.outputs) views.emplace(role, tensor.view());
    // The copy: its mistakes may write to the inputs.
    if (subject.Run(*c, views).status != properties::Outcome::kOk) continue;
    all.push_back(std::move(asked));
    for (const auto& [role, tensor] : all.back().outputs)
      all.back().views.emplace(role, tensor.view());
  }
  return all;
}

std::optional<SubjectDiagnosis> DiagnoseKind(Subject& subject, const std::string& operation,
                                             Format format,
                                             const properties::SuiteOptions& options) {
  std::vector<Asked> answers = Ask(subject, operation, format, options);
  std::vector<Asked*> failing, passing;
  for (Asked& asked : answers) {
    const bool fails = reference::Judge(asked.c, asked.views, {{}, subject.FlushesSubnormals()})
                           .profiles[subject.Promise()]
                           .outside > 0;
    (fails ? failing : passing).push_back(&asked);
  }
  if (failing.empty()) return std::nullopt;
  SubjectDiagnosis one;
  one.operation = operation;
  one.format = format;
  one.asked = static_cast<int64_t>(answers.size());
  one.failing = static_cast<int64_t>(failing.size());
  std::vector<Answered> given;
  for (const auto& chosen : {Chosen(failing, kFailingKept), Chosen(passing, kPassingKept)})
    for (const Asked* asked : chosen) given.push_back({&asked->c, &asked->views});
  Demand demand;
  demand.profile = subject.Promise();
  demand.flushes_subnormals = subject.FlushesSubnormals();
  one.diagnosis = Diagnose(given, demand);
  one.smallest = CutDown(given[one.diagnosis.smallest_case], one.diagnosis.smallest_output,
                         one.diagnosis.smallest_element);
  return one;
}

}  // namespace

std::vector<SubjectDiagnosis> DiagnoseSubject(Subject& subject,
                                              const properties::SuiteOptions& options) {
  std::vector<SubjectDiagnosis> all;
  for (const OperationSpec* operation : AllOperations())
    for (const FormatTraits& traits : kFormats) {
      const Format format = *FormatFromName(traits.name);
      if (!properties::GlobMatches(options.operation, operation->name) ||
          !subject.Declares(operation->name, format))
        continue;
      if (auto one = DiagnoseKind(subject, operation->name, format, options))
        all.push_back(std::move(*one));
    }
  return all;
}

Json ToJson(const SubjectDiagnosis& one) {
  Json json = ToJson(one.diagnosis);
  json["operation"] = one.operation;
  json["format"] = Traits(one.format).name;
  json["cases"] = one.asked;
  json["failing_cases"] = one.failing;
  json["smallest"] = CaseId(one.smallest.c);
  return json;
}

std::string ToText(const std::vector<SubjectDiagnosis>& all, const std::string& repeat,
                   const std::string& folder) {
  std::string text;
  for (const SubjectDiagnosis& one : all) {
    text += fmt::format("diagnosis of {} in {}, by {} failing cases of {}\n", one.operation,
                        Traits(one.format).name, one.failing, one.asked);
    for (const std::string& line : one.diagnosis.Lines()) text += "  " + line + "\n";
    text += "  smallest failing case: " + properties::Describe(one.smallest.c) + "\n";
    if (folder.empty()) {
      text += "    write it to a file: gnomon check " + repeat + " --out DIR\n";
    } else {
      text += "    gnomon check " + WriteInto(folder, one.smallest) + "\n";
    }
  }
  return text;
}

}  // namespace gnomon::oracle
