#include "gnomon/oracle/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "gnomon/oracle/files.h"
#include "gnomon/oracle/report_junit.h"
#include "gnomon/oracle/report_markdown.h"

namespace gnomon::oracle {
namespace {

void Write(const std::string& path, const std::string& text) {
  WriteFile(path, {std::as_bytes(std::span(text))});
}

// The list as it will stand, and whether the file has to be rewritten for that.
struct Held {
  ExpectedList list;
  bool changed = false;
};

Held ListOf(const std::vector<Result>& results, const ReportFiles& files) {
  const bool is_new = files.update && !std::filesystem::exists(files.expected);
  const std::string text = is_new ? "" : std::string(ReadFile(files.expected).text());
  Held held{ParseExpected(text, files.expected)};
  if (!files.update) return held;
  held.list = UpdatedExpected(held.list, results);
  held.changed = is_new || held.list.Text() != text;
  return held;
}

bool WasRefused(const Result& result) { return result.verdict == Verdict::kRefused; }

}  // namespace

int64_t Conclusion::ExpectedCount() const {
  return outcome ? std::count(outcome->expected.begin(), outcome->expected.end(), true) : 0;
}

std::string Conclusion::Text() const {
  if (!outcome) return "";
  std::string text;
  for (const std::string& problem : outcome->problems) text += "unexpected: " + problem + "\n";
  return text + fmt::format("{} of {} results fail as {} lists\n", ExpectedCount(),
                            std::count_if(results.begin(), results.end(),
                                          [](const Result& r) { return r.applicable; }),
                            list);
}

Json Conclusion::Envelope(const std::string& kind) const {
  Json json = {{"schema", kReportSchema},
               {"kind", kind},
               {"verdict", Name(verdict)},
               {"exit_code", exit_code}};
  json["expected"] =
      !outcome
          ? Json(nullptr)
          : Json{{"list", list}, {"failures", ExpectedCount()}, {"problems", outcome->problems}};
  return json;
}

Conclusion Conclude(std::vector<Result> results, const ReportFiles& files) {
  if (!results.empty() && std::all_of(results.begin(), results.end(), WasRefused))
    throw std::runtime_error(results.front().source + ": " + results.front().detail);
  Conclusion conclusion;
  conclusion.results = std::move(results);
  conclusion.list = files.expected;
  std::optional<Held> held;
  if (!files.expected.empty()) {
    held = ListOf(conclusion.results, files);
    conclusion.outcome = CompareWithExpected(held->list, conclusion.results, Today());
  }
  std::vector<Verdict> verdicts, unexpected;
  for (size_t i = 0; i < conclusion.results.size(); ++i) {
    const Result& result = conclusion.results[i];
    if (!result.applicable) continue;
    verdicts.push_back(result.verdict);
    const bool expected = conclusion.outcome && conclusion.outcome->expected[i];
    unexpected.push_back(expected ? Verdict::kConforms : result.verdict);
  }
  conclusion.verdict = Overall(verdicts);
  if (conclusion.outcome && !conclusion.outcome->problems.empty())
    unexpected.push_back(Verdict::kNonconforming);
  conclusion.exit_code = ExitCode(Overall(unexpected));
  if (!files.junit.empty()) Write(files.junit, JUnit(conclusion));
  if (!files.markdown.empty()) Write(files.markdown, Markdown(conclusion));
  if (held && held->changed) Write(files.expected, held->list.Text());
  return conclusion;
}

}  // namespace gnomon::oracle
