#include "gnomon/oracle/report_markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "gnomon/oracle/conclusion.h"

namespace gnomon::oracle {
namespace {

// A table's cell, or a line of a list: on one line, with nothing that Markdown takes for its own.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (std::string_view("|<>*_`[]\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return escaped;
}

// A code span, in which nothing is escaped: between more backticks than it has side by side. What
// it begins or ends with may be one, so a space stands there, which Markdown takes off again.
std::string Code(const std::string& text) {
  size_t longest = 0, run = 0;
  std::string line;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  const std::string fence(longest + 1, '`');
  const std::string space = longest > 0 ? " " : "";
  return fence + space + line + space + fence;
}

std::string Row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells)
    row += fmt::format(" {} |", cell.empty() ? std::string("-") : Escaped(cell));
  return row + "\n";
}

std::string RecordingsTable(const std::vector<Result>& results) {
  // Who was asked, where anybody was.
  const bool of_subjects = std::any_of(results.begin(), results.end(),
                                       [](const Result& r) { return !r.subject.empty(); });
  std::string text = of_subjects ? "\n| subject | file" : "\n| file";
  text += " | verdict | profile | largest error | operation | format | case |\n";
  text += of_subjects ? "| --- | --- |" : "| --- |";
  text += " --- | --- | --- | --- | --- | --- |\n";
  for (const Result& r : results) {
    std::vector<std::string> cells;
    if (of_subjects) cells.push_back(r.subject);
    for (const std::string& cell :
         {r.source, r.status, r.profile, r.LargestText(),
          r.operations.empty() ? std::string() : r.operations.front(), r.format, r.name})
      cells.push_back(cell);
    text += Row(cells);
  }
  return text;
}

std::string PropertiesTable(const std::vector<Result>& results) {
  std::string text =
      "\n| subject | property | clause | status | format |\n| --- | --- | --- | --- | --- |\n";
  for (const Result& r : results)
    if (r.applicable) text += Row({r.source, r.name, r.clause, r.status, r.format});
  return text;
}

}  // namespace

std::string Markdown(const Conclusion& conclusion) {
  const std::vector<Result>& results = conclusion.results;
  int64_t applicable = 0, pass = 0;
  for (const Result& r : results) applicable += r.applicable, pass += r.passes();
  std::string text = fmt::format("# gnomon check: {}\n\n{} of {} pass; exit code {}.\n",
                                 Name(conclusion.verdict), pass, applicable, conclusion.exit_code);
  if (conclusion.outcome) {
    text +=
        fmt::format("{} fail as {} lists.\n", conclusion.ExpectedCount(), Code(conclusion.list));
    if (!conclusion.outcome->problems.empty()) text += "\n## Unexpected\n\n";
    for (const std::string& problem : conclusion.outcome->problems)
      text += "- " + Escaped(problem) + "\n";
  }
  if (applicable > 0)
    text += results.front().clause.empty() ? RecordingsTable(results) : PropertiesTable(results);
  std::string failures;
  for (size_t i = 0; i < results.size(); ++i) {
    const Result& r = results[i];
    if (r.passes() || !r.applicable) continue;
    const bool expected = conclusion.outcome && conclusion.outcome->expected[i];
    failures += fmt::format("- {} ({}){}: {}\n", Escaped(r.Label()), Escaped(r.source),
                            expected ? ", expected" : "",
                            Escaped((r.detail.empty() ? r.status : r.detail) + r.MistakesText()));
    if (!r.repeat.empty()) failures += "  repeat: " + Code(r.repeat) + "\n";
  }
  if (!failures.empty()) text += "\n## Failures\n\n" + failures;
  return text;
}

}  // namespace gnomon::oracle
