#include "gnomon/fuzz/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "gnomon/fuzz/loaded_plugin.h"
#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/subjects.h"
#include "gnomon/properties/suite.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::fuzz {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<properties::Subject> OneSubject(const CandidateOptions& options) {
  std::vector<std::unique_ptr<properties::Subject>> named = oracle::SubjectsNamed(options.subject);
  if (named.size() > 1)
    std::erase_if(named,
                  [&](const auto& s) { return Askable(*s, options.hunt.operations).empty(); });
  if (named.size() != 1)
    throw Rejected("--subject", options.subject,
                   "names " + std::to_string(named.size()) + " subjects that do " +
                       options.hunt.operations + ": one is searched at a time",
                   "SUBJ-1");
  return std::move(named.front());
}

void MakeFolder(const std::string& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (!fs::is_directory(out)) throw oracle::BadFile(out, "is no folder and cannot be made");
}

// The known mistakes that reproduce a find, as one name; empty: none known, or nothing to compare.
std::string MistakeOf(const properties::Subject& subject, const Find& find) {
  if (!find.judged) return "";
  std::map<std::string, ConstTensorView> outputs;
  for (const auto& [role, tensor] : find.outputs) outputs.emplace(role, tensor.view());
  const oracle::Diagnosis diagnosis = oracle::Diagnose(
      {{&find.c, &outputs}}, {std::nullopt, subject.Promise(), subject.FlushesSubnormals()});
  return fmt::format("{}", fmt::join(diagnosis.mistakes, " or "));
}

struct Named {
  const Find* find;
  std::string mistake;
};

// Of finds with one operation, format, clause and known mistake, the plainest.
std::vector<Named> OneOfEachMistake(const properties::Subject& subject,
                                    const std::vector<Find>& finds) {
  std::vector<Named> named;
  for (const Find& find : finds) {
    const std::string mistake = MistakeOf(subject, find);
    const auto same = std::find_if(named.begin(), named.end(), [&](const Named& other) {
      return !mistake.empty() && other.mistake == mistake &&
             other.find->c.operation == find.c.operation && other.find->c.format == find.c.format &&
             other.find->clause == find.clause;
    });
    if (same == named.end()) {
      named.push_back({&find, mistake});
    } else if (find.where.within(same->find->where)) {
      same->find = &find;
    }
  }
  return named;
}

// The command that asks a find again.
std::string Repeat(const CandidateOptions& options, const std::string& file) {
  return "gnomon check --subject " + properties::ShellQuoted(options.subject) + " " +
         properties::ShellQuoted(file);
}

}  // namespace

CandidateReport FuzzCandidate(const CandidateOptions& options) {
  if (!options.out.empty()) MakeFolder(options.out);
  const auto isolated = [&] { return OneSubject(options); };
  const auto searched = [&]() -> std::unique_ptr<properties::Subject> {
    if (const auto path = oracle::PluginPath(options.subject))
      return std::make_unique<LoadedPlugin>(*path);
    return OneSubject(options);
  };
  const std::unique_ptr<properties::Subject> subject = isolated();
  const HuntResult result = Hunt(searched, isolated, options.hunt);

  CandidateReport report;
  const auto line = [&](const std::string& text) { report.text += text + "\n"; };
  const std::string what = subject->Name() + ": " + std::to_string(result.asked) +
                           fmt::format(" questions in {:.0f} s, seed ", result.seconds) +
                           std::to_string(options.hunt.seed) +
                           (result.guided ? ", led by the candidate's coverage"
                                          : ", not led by coverage: the candidate is not "
                                            "instrumented, or is no plug-in");
  const std::vector<Named> named = OneOfEachMistake(*subject, result.finds);
  const size_t finds = named.size();
  if (finds > 0) {
    line(std::to_string(finds) + (finds == 1 ? " find: " : " finds: ") + what);
  } else if (result.asked == 0 && result.unrepeated.empty()) {
    line("nothing run: " + what);
    report.exit_code = 4;
  } else {
    line((result.unrepeated.empty() ? "nothing found: " : "nothing that repeats: ") + what);
  }
  for (const auto& [found, mistake] : named) {
    const Find& find = *found;
    report.exit_code = std::max(report.exit_code, find.crashed ? 2 : 1);
    line("  " + find.Signature());
    line("    " + find.question.property + ": " + find.message);
    if (!mistake.empty()) line("    mistake: " + mistake);
    if (options.out.empty()) continue;
    const std::string file =
        (fs::path(options.out) / (find.c.operation + "-" + oracle::CaseId(find.c) + ".safetensors"))
            .string();
    oracle::WriteCaseFile(file, find.c, find.outputs);
    line("    repeat: " + Repeat(options, file));
  }
  for (const std::string& seen : result.unrepeated) {
    report.exit_code = std::max(report.exit_code, 1);
    line("  seen in the search, and not when it was asked again: " + seen);
  }
  if (result.crashes > 0)
    line("  the candidate took its process down " + std::to_string(result.crashes) + " times");
  if (result.stopped)
    line(fmt::format("  the search was stopped after {:.0f} of {} s", result.seconds,
                     options.hunt.seconds));
  if (result.not_searched > 0)
    line(fmt::format("  {:.0f} of {} s were NOT SEARCHED: {}", result.not_searched,
                     options.hunt.seconds, properties::HungText({})));
  if (result.not_asked > 0)
    line(fmt::format("  {} questions were NOT RUN in a process of its own: {}", result.not_asked,
                     result.why_not_asked));
  return report;
}

}  // namespace gnomon::fuzz
