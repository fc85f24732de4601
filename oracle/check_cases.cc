// `gnomon check --subject S FILE...`: given cases, asked of a live subject.
#include <fmt/format.h>

#include <filesystem>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/conclusion.h"
#include "gnomon/oracle/diagnose_subject.h"
#include "gnomon/oracle/recording_files.h"
#include "gnomon/oracle/report_diagnosis.h"
#include "gnomon/oracle/report_json.h"
#include "gnomon/oracle/result.h"
#include "gnomon/oracle/run_cases.h"
#include "gnomon/oracle/subjects.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;

std::string Why(const Outcome& outcome) {
  switch (outcome.status) {
    case Outcome::kUnsupported:
      return "declared, and answered as unsupported (SUBJ-2): " + outcome.message;
    case Outcome::kRejected:
      return "the subject refuses a valid case: " + outcome.message;
    default:
      return outcome.message;
  }
}

// One case, one verdict: of the answer where there is one, else of how there is none.
Judged ResultOfCase(const properties::Subject& subject, const std::string& file, const Case& c,
                    const CaseResult& of_case, const SubjectArguments& arguments) {
  Judged judged;
  Recording recording;
  recording.c = c;
  if (of_case.judgement) {
    for (const auto& [role, tensor] : of_case.outputs) recording.outputs[role] = tensor.view();
    const Demand demand = DemandOf(subject);
    Report report(recording, *of_case.judgement, demand);
    AddDiagnosis(recording, *of_case.judgement, demand, arguments.out, &report);
    judged.result = ResultOf(file, recording, *of_case.judgement, report);
    judged.text = report.Text();
    judged.json = ReportAsJson({report, recording, *of_case.judgement, judged.result.name});
  } else {
    Result& result = judged.result;
    result.file = std::filesystem::path(file).filename();
    result.name = CaseId(c);
    result.operations = {c.operation};
    result.format = Traits(c.format).name;
    const bool not_run = of_case.outcome.status == Outcome::kNotAsked;
    if (of_case.asked() && !not_run)
      result.verdict =
          of_case.outcome.status == Outcome::kCrashed ? Verdict::kCrashed : Verdict::kNonconforming;
    result.applicable = of_case.asked();
    if (result.verdict == Verdict::kCrashed) result.crash = CrashKind(of_case.outcome.message);
    result.status = !of_case.asked() ? "not applicable"
                    : not_run        ? "not run"
                                     : Name(result.verdict);
    result.detail = result.status + ": " +
                    (of_case.asked() ? Why(of_case.outcome)
                                     : "outside what the subject declares: " + of_case.outside);
    judged.text = result.detail + "\n";
    judged.json = {{"verdict", Name(result.verdict)}, {"sentence", result.detail}};
  }
  judged.result.source = file;
  judged.result.subject = subject.Name();
  judged.result.repeat = RepeatWords(arguments, subject.Name(), file);
  judged.json["file"] = file;
  judged.json["subject"] = subject.Name();
  return judged;
}

struct Questions {
  std::vector<std::string> files;
  std::vector<Case> cases;      // of `files`
  std::vector<Judged> refused;  // REPORT-1: the other files
};

Questions ReadQuestions(const std::vector<std::string>& files) {
  Questions questions;
  for (const std::string& file : files) {
    try {
      Case c = ReadCaseFile(file).c;
      Validate(c);
      questions.cases.push_back(std::move(c));
      questions.files.push_back(file);
    } catch (const std::exception& error) {
      questions.refused.push_back(Refused(file, error.what()));
    }
  }
  return questions;
}

}  // namespace

int CheckCases(const SubjectArguments& arguments, const std::vector<std::string>& given,
               std::ostream& out) {
  const auto [files, cases, refused] = ReadQuestions(RecordingFiles(given));
  std::vector<Result> results;
  std::string text;
  Json list = Json::array();
  for (const Judged& one_of_them : refused) {
    text += one_of_them.result.source + ": " + one_of_them.text;
    list.push_back(one_of_them.json);
    results.push_back(one_of_them.result);
  }
  const auto subjects = SubjectsNamed(arguments.subject, ToOptions(arguments));
  const bool one = files.size() == 1 && subjects.size() == 1 && refused.empty();
  int64_t conform = 0, outside = 0, not_run = 0;
  std::string why_not_run;
  for (const auto& subject : subjects) {
    const std::vector<CaseResult> of_cases = RunCases(*subject, cases);
    for (size_t i = 0; i < files.size(); ++i) {
      Judged judged = ResultOfCase(*subject, files[i], cases[i], of_cases[i], arguments);
      outside += !of_cases[i].asked();
      if (of_cases[i].outcome.status == Outcome::kNotAsked && not_run++ == 0)
        why_not_run = of_cases[i].outcome.message;
      conform += judged.result.passes();
      text += one ? judged.text
                  : fmt::format("{} {}: {}\n", subject->Name(), files[i], judged.result.detail);
      list.push_back(std::move(judged.json));
      results.push_back(std::move(judged.result));
    }
  }
  const int64_t answers = static_cast<int64_t>(files.size() * subjects.size());
  const int64_t asked = answers - outside - not_run;
  if (!one)
    text += fmt::format("{} of {} answers conform; {} cases lie outside what is declared\n",
                        conform, asked, outside);
  if (not_run > 0)
    text += fmt::format("{} NOT RUN: {}\n",
                        not_run == 1 ? "1 case was" : fmt::format("{} cases were", not_run),
                        why_not_run);
  const Conclusion conclusion = Conclude(std::move(results), arguments.reports);
  if (arguments.json) {
    Json json = conclusion.Envelope("recordings");
    json["recordings"] = std::move(list);
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  } else {
    out << text << conclusion.Text();
  }
  return conclusion.exit_code;
}

}  // namespace gnomon::oracle
