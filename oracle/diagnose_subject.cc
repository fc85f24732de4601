#include "gnomon/oracle/diagnose_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/diagnosis_json.h"
#include "gnomon/oracle/run_cases.h"
#include "gnomon/properties/numbered_case.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using properties::Limits;
using properties::OutputViews;
using properties::Subject;

constexpr int64_t kLargestCase = 4096;  // elements
constexpr size_t kFailingKept = 24, kPassingKept = 12;
// The search for a smaller case: from so many failing ones, each so long.
constexpr size_t kShrunk = 2;
constexpr int kShrinkTrials = 400;
constexpr double kShrinkSeconds = 0.5;

struct Asked {
  properties::NumberedDraw drawn;
  Outputs outputs;
  std::map<std::string, ConstTensorView> views;
  int64_t count = 0;
  bool answered = false;
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
    auto drawn = properties::DrawNumbered(operation, format, options.seed, number,
                                          subject.LimitsOf(operation));
    if (!drawn) continue;
    Case c = drawn->c;  // the copy: its mistakes may write to the inputs
    Asked asked{std::move(*drawn), properties::GuardedOutputs(c), {}, 0, false};
    for (const auto& [role, tensor] : asked.outputs) asked.count += tensor.count();
    if (asked.count == 0 || asked.count > kLargestCase) continue;
    OutputViews views;
    for (auto& [role, tensor] : asked.outputs) views.emplace(role, tensor.view());
    asked.answered = subject.Run(c, views).status == properties::Outcome::kOk;
    all.push_back(std::move(asked));
    for (const auto& [role, tensor] : all.back().outputs)
      all.back().views.emplace(role, tensor.view());
  }
  return all;
}

Cut Whole(const Answered& answered) {
  Cut all{*answered.c, {}};
  for (const auto& [role, view] : *answered.outputs) {
    Tensor tensor(view.dtype, view.shape);
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.SetBits(i, BitsAt(view, i));
    all.outputs.emplace(role, std::move(tensor));
  }
  return all;
}

// What the subject answers wrongly to the case, asked by itself.
std::optional<Cut> FailsAlone(Subject& subject, const Case& c) {
  CaseResult answer = std::move(RunCases(subject, {c})[0]);
  if (!answer.judgement || answer.judgement->profiles[subject.Promise()].outside == 0)
    return std::nullopt;
  return Cut{c, std::move(answer.outputs)};
}

// What a person would call the size: numbers to read, then how large they are.
std::pair<int64_t, double> SizeOfCase(const Case& c) {
  std::pair<int64_t, double> size;
  for (const auto& [role, tensor] : c.inputs) {
    size.first += tensor.count();
    for (int64_t i = 0; i < tensor.count() && !IsFloat(tensor.dtype()); ++i)
      size.second += std::abs(static_cast<double>(tensor.Integer(i)));
  }
  for (const OutputShape& output : Validate(c)) size.first += ElementCount(output.shape);
  return size;
}

// By simpler choices of the generator, then by leaving out batch rows, tokens and heads.
std::optional<Cut> Shrunk(Subject& subject, const Asked& from) {
  std::optional<Cut> smallest = FailsAlone(subject, from.drawn.c);
  if (!smallest) return std::nullopt;
  const Limits limits = subject.LimitsOf(from.drawn.c.operation);
  properties::SimplestTape(
      from.drawn.tape,
      [&](const properties::Tape& tape) -> std::optional<size_t> {
        properties::Source source(tape);
        const auto c = properties::DrawCase(*from.drawn.from, source, from.drawn.c.format, limits);
        if (!c || SizeOfCase(*c).first > SizeOfCase(smallest->c).first) return std::nullopt;
        auto fails = FailsAlone(subject, *c);
        if (!fails) return std::nullopt;
        smallest = std::move(fails);
        return source.used();
      },
      kShrinkTrials, kShrinkSeconds);
  const reference::Judgement judgement = reference::Judge(
      smallest->c, smallest->outputs, {{}, subject.FlushesSubnormals(), subject.Promise()});
  const auto& first = judgement.profiles[subject.Promise()].first_outside;
  std::map<std::string, ConstTensorView> views;
  for (const auto& [role, tensor] : smallest->outputs) views.emplace(role, tensor.view());
  const std::vector<TensorSpec>& outputs = OperationOf(smallest->c).outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].role != first->output) continue;
    // What shows beside another alone needs two on the axis that they are on.
    for (const char* keep : {"", "heads", "seq", "n", "m", "query", "batch"}) {
      Case part = CutDown({&smallest->c, &views}, static_cast<int>(i), first->element, keep).c;
      if (!limits.takes("seq_len")) part.parameters.erase("seq_len");
      if (SizeOfCase(part) >= SizeOfCase(smallest->c)) continue;
      auto fails = FailsAlone(subject, part);
      if (fails) return fails;
    }
    break;
  }
  return smallest;
}

std::optional<SubjectDiagnosis> DiagnoseKind(Subject& subject, const std::string& operation,
                                             Format format,
                                             const properties::SuiteOptions& options) {
  SubjectDiagnosis one;
  std::vector<Asked> answers = Ask(subject, operation, format, options);
  std::vector<Asked*> failing, passing;
  // What each was asked after; of the first that is not known.
  std::map<const Case*, const Case*> before;
  for (size_t i = 1; i < answers.size(); ++i) before[&answers[i].drawn.c] = &answers[i - 1].drawn.c;
  for (Asked& asked : answers) {
    if (!asked.answered) continue;
    ++one.asked;
    const bool fails = reference::Judge(asked.drawn.c, asked.views,
                                        {{}, subject.FlushesSubnormals(), subject.Promise()})
                           .profiles[subject.Promise()]
                           .outside > 0;
    (fails ? failing : passing).push_back(&asked);
  }
  if (failing.empty()) return std::nullopt;
  one.operation = operation;
  one.format = format;
  one.failing = static_cast<int64_t>(failing.size());
  std::vector<Answered> given;
  for (const auto& chosen : {Chosen(failing, kFailingKept), Chosen(passing, kPassingKept)})
    for (const Asked* asked : chosen)
      given.push_back({&asked->drawn.c, &asked->views, {}, before[&asked->drawn.c]});
  one.diagnosis = Diagnose(given, DemandOf(subject));
  const Answered& smallest = given[one.diagnosis.smallest_case];
  one.smallest = CutDown(smallest, one.diagnosis.smallest_output, one.diagnosis.smallest_element);
  if (!Fails(one.smallest, DemandOf(subject))) one.smallest = Whole(smallest);
  if (!options.shrink) return one;
  std::stable_sort(failing.begin(), failing.end(),
                   [](const Asked* a, const Asked* b) { return a->count < b->count; });
  failing.resize(std::min(failing.size(), kShrunk));
  for (const Asked* asked : failing) {
    std::optional<Cut> shrunk = Shrunk(subject, *asked);
    if (!shrunk || (one.alone && SizeOfCase(shrunk->c) >= SizeOfCase(one.smallest.c))) continue;
    one.smallest = std::move(*shrunk);
    one.alone = true;
  }
  return one;
}

}  // namespace

Demand DemandOf(const Subject& subject) {
  Demand demand;
  demand.profile = subject.Promise();
  demand.flushes_subnormals = subject.FlushesSubnormals();
  return demand;
}

std::vector<SubjectDiagnosis> DiagnoseSubject(Subject& subject,
                                              const properties::SuiteOptions& options) {
  std::vector<SubjectDiagnosis> all;
  for (const OperationSpec* operation : AllOperations())
    for (const FormatTraits& traits : kFormats) {
      const Format format = *FormatFromName(traits.name);
      if (!properties::GlobMatches(options.operation, operation->name) ||
          !subject.Declares(operation->name, format) || options.stopped())
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
  json["smallest_alone"] = one.alone;
  return json;
}

std::string ToText(const std::vector<SubjectDiagnosis>& all, const Subject& subject,
                   const SubjectArguments& arguments) {
  std::string text;
  for (const SubjectDiagnosis& one : all) {
    text += fmt::format("diagnosis of {} in {}, by {} failing cases of {}\n", one.operation,
                        Traits(one.format).name, one.failing, one.asked);
    for (const std::string& line : one.diagnosis.Lines()) text += "  " + line + "\n";
    text += "  smallest failing case: " + properties::Describe(one.smallest.c) + "\n";
    if (!one.alone) text += "    it fails as a part of a larger one, and not alone\n";
    if (arguments.out.empty()) {
      text += fmt::format(
          "    write it to a file: gnomon check --subject {} --operation {} --cases {} --seed {}{} "
          "--out DIR\n",
          properties::ShellQuoted(subject.Name()), properties::ShellQuoted(arguments.operation),
          arguments.cases, arguments.seed, CaseTimeOption(arguments));
      continue;
    }
    const std::string file = WriteInto(arguments.out, one.smallest);
    if (one.alone) text += "    ask again: " + RepeatWords(arguments, subject.Name(), file) + "\n";
    text += fmt::format("    as answered: gnomon check {}{}\n", properties::ShellQuoted(file),
                        DemandOf(subject).Options());
  }
  return text;
}

}  // namespace gnomon::oracle
