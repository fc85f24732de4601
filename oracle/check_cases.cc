// `gnomon check --subject S FILE...`: given cases, asked of a live subject.
#include <fmt/format.h>

#include <filesystem>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/conclusion.h"
#include "gnomon/oracle/report.h"
#include "gnomon/oracle/report_json.h"
#include "gnomon/oracle/run_cases.h"
#include "gnomon/oracle/subjects.h"

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

// One file, one verdict: of the answer where there is one, else of how there is none.
struct FileResult {
  Verdict verdict = Verdict::kNothingRun;
  std::string sentence, text;
  Json json;
  Result result;  // for lists and reports (REPORT-1)
};

FileResult ResultOf(const std::string& file, const Case& c, const CaseResult& result,
                    size_t promise) {
  FileResult of_file;
  if (!result.judgement) {
    if (result.asked())
      of_file.verdict =
          result.outcome.status == Outcome::kCrashed ? Verdict::kCrashed : Verdict::kNonconforming;
    of_file.sentence = Name(of_file.verdict) + ": " +
                       (result.asked() ? Why(result.outcome)
                                       : "outside what the subject declares: " + result.outside);
    of_file.text = of_file.sentence + "\n";
    of_file.json = {{"verdict", Name(of_file.verdict)}, {"finding", of_file.sentence}};
    of_file.result.name = CaseId(c);
    of_file.result.operations = {c.operation};
    of_file.result.format = Traits(c.format).name;
    of_file.result.status = Name(of_file.verdict);
    of_file.result.verdict = of_file.verdict;
    of_file.result.applicable = result.asked();  // what is not declared is no part of the verdict
    of_file.result.detail = of_file.sentence;
  } else {
    Recording recording;
    recording.c = c;
    for (const auto& [role, tensor] : result.outputs) recording.outputs[role] = tensor.view();
    const Report report(recording, *result.judgement, {promise});
    of_file.verdict = report.verdict;
    of_file.sentence = report.Sentence() + ".";
    of_file.text = report.Text();
    of_file.json = Json::parse(report.JsonText());
    of_file.result = gnomon::oracle::ResultOf(file, recording, *result.judgement, report);
  }
  of_file.json["file"] = file;
  return of_file;
}

}  // namespace

int CheckCases(const SubjectArguments& arguments, const std::vector<std::string>& files,
               std::ostream& out) {
  std::vector<Case> cases;
  for (const std::string& file : files) cases.push_back(ReadCaseFile(file).c);
  const auto subjects = SubjectsNamed(arguments.subject, ToOptions(arguments));
  std::vector<FileResult> all;
  Json json = Json::array();
  for (const auto& subject : subjects) {
    const std::vector<CaseResult> results = RunCases(*subject, cases);
    for (size_t i = 0; i < files.size(); ++i) {
      FileResult result = ResultOf(files[i], cases[i], results[i], subject->Promise());
      result.json["subject"] = subject->Name();
      result.result.source = subjects.size() > 1 ? subject->Name() + " " + files[i] : files[i];
      result.result.file = std::filesystem::path(files[i]).filename();
      result.result.repeat = "gnomon check --subject " + subject->Name() + " " + files[i];
      const bool alone = files.size() == 1 && subjects.size() == 1;
      if (!arguments.json)
        out << (alone ? result.text
                      : fmt::format("{}{}: {}\n", subjects.size() > 1 ? subject->Name() + " " : "",
                                    files[i], result.sentence));
      json.push_back(result.json);
      all.push_back(std::move(result));
    }
  }
  std::vector<Result> results;
  for (const FileResult& one : all) results.push_back(one.result);
  const Conclusion conclusion = Conclude(std::move(results), arguments.reports);
  if (arguments.json) {
    Json report = conclusion.Envelope("answers");
    report["answers"] = std::move(json);
    out << report.dump(2) << "\n";
    return conclusion.exit_code;
  } else if (all.size() > 1) {
    int64_t counts[4] = {};
    for (const FileResult& result : all) ++counts[static_cast<size_t>(result.verdict)];
    out << fmt::format(
        "{}: of {} answers {} conform, {} do not, {} are crashes, {} prove nothing\n",
        Name(conclusion.verdict), all.size(), counts[0], counts[1], counts[2], counts[3]);
  }
  out << conclusion.Text();
  return conclusion.exit_code;
}

}  // namespace gnomon::oracle
