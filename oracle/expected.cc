#include "gnomon/oracle/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <ctime>
#include <sstream>

#include "gnomon/oracle/axes.h"
#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/oracle/text.h"

namespace gnomon::oracle {
namespace {

constexpr char kClause[] = "REPORT-4";
constexpr char kNoReason[] = "TODO";

[[noreturn]] void Fail(const std::string& file, size_t line, const std::string& what) {
  throw BadFile(file + ":" + std::to_string(line), what, kClause);
}

bool IsDate(const std::string& text) {
  int year, month, day;
  char rest;
  if (text.size() != 10 ||
      std::sscanf(text.c_str(), "%4d-%2d-%2d%c", &year, &month, &day, &rest) != 3)
    return false;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return date.ok() && fmt::format("{:04}-{:02}-{:02}", year, month, day) == text;
}

bool IsCrashKind(const std::string& text) {
  if (text == "exit" || text == "hang" || text == "output" || text == "crash") return true;
  return text.starts_with("SIG") &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == std::string::npos;
}

// "OPERATION/NAME/FORMAT" and the sources behind it.
std::vector<std::string> Parts(const std::string& pattern) { return SplitList(pattern, '@'); }

ExpectedFailure ParseLine(const std::string& text, const std::string& file, size_t number) {
  std::istringstream fields(text);
  ExpectedFailure failure;
  std::string error;
  fields >> failure.pattern >> error >> failure.mistake >> failure.until;
  if (failure.until.empty())
    Fail(file, number, "must read PATTERN ERROR MISTAKE UNTIL REASON, not " + Quoted(text));
  std::getline(fields >> std::ws, failure.reason);
  const std::vector<std::string> parts = Parts(failure.pattern);
  const auto slashes = std::count(parts[0].begin(), parts[0].end(), '/');
  if ((slashes != 0 && slashes != 2) ||
      std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); }))
    Fail(file, number,
         "PATTERN = " + Quoted(failure.pattern) +
             ": must be NAME or OPERATION/NAME/FORMAT, then @SUBJECT or @PATH if it has to be so");
  if (IsCrashKind(error)) {
    failure.crash = error;
  } else if (error != "-") {
    char* end = nullptr;
    failure.error = std::strtod(error.c_str(), &end);
    if (*end != '\0' || !(*failure.error >= 0))
      Fail(file, number,
           "ERROR = " + Quoted(error) +
               ": must be a number, inf, - or how it crashes: SIGSEGV, exit, hang, output, crash");
  }
  if (failure.until != "-" && !IsDate(failure.until))
    Fail(file, number, "UNTIL = " + Quoted(failure.until) + ": must be YYYY-MM-DD or -");
  return failure;
}

std::string Render(const ExpectedFailure& f) {
  std::string error = f.crash.empty() ? "-" : f.crash;
  if (f.error) error = std::isfinite(*f.error) ? Rough(*f.error) : "inf";
  return fmt::format("{}  {}  {}  {}  {}", f.pattern, error, f.mistake, f.until,
                     f.reason.empty() ? kNoReason : f.reason);
}

// The error as reports print it: that is what people copy.
double AsReported(double error) { return std::isfinite(error) ? std::stod(Rough(error)) : error; }

std::string Spaceless(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}
std::vector<std::string> MistakesOf(const Result& result) {
  std::vector<std::string> mistakes;
  for (const std::string& mistake : result.mistakes.value_or(std::vector<std::string>()))
    mistakes.push_back(Spaceless(mistake));
  return mistakes;
}
bool HasMistake(const Result& result, const std::string& mistake) {
  const std::vector<std::string> mistakes = MistakesOf(result);
  return std::find(mistakes.begin(), mistakes.end(), mistake) != mistakes.end();
}

// What a failing result does that the line does not allow; empty: nothing.
std::string Departure(const ExpectedFailure& line, const Result& result) {
  if (result.verdict == Verdict::kRefused) return "is " + result.detail;
  if (line.crash != result.crash)
    return (result.crash.empty() ? result.status : "crashes by " + result.crash) +
           (line.crash.empty() ? "; the line says nothing of that"
                               : "; the line says " + line.crash);
  if (result.largest && !line.error)
    return "errs by " + result.LargestText() + "; the line must state the largest error allowed";
  if (!result.largest && line.error)
    return result.status + ", and measures no error; the line must have - for it";
  if (result.largest && AsReported(*result.largest) > *line.error)
    return fmt::format("errs by {}, more than the {} allowed", result.LargestText(),
                       Rough(*line.error));
  if (line.mistake == "-" || HasMistake(result, line.mistake)) return "";
  if (!result.mistakes)
    return "was not diagnosed, so that mistake " + line.mistake + " cannot be told; write -";
  if (result.mistakes->empty()) return "shows no known mistake; the line says " + line.mistake;
  return fmt::format("shows mistake {}; the line says {}", fmt::join(MistakesOf(result), ", "),
                     line.mistake);
}

void TakeOver(const Result& result, ExpectedFailure* line) {
  line->crash = result.crash;
  if (!result.largest) {
    line->error.reset();
  } else if (!line->error || AsReported(*result.largest) > *line->error) {
    line->error = AsReported(*result.largest);
  }
  if (line->mistake == "-" || HasMistake(result, line->mistake)) return;
  const std::vector<std::string> mistakes = MistakesOf(result);
  line->mistake = mistakes.empty() ? "-" : mistakes.front();
}

// What stands between white space, at signs and slashes, as a glob.
std::string AsGlob(std::string text) {
  for (char& c : text)
    if (std::isspace(static_cast<unsigned char>(c)) || c == '@') c = '?';
  return text;
}

// The shortest pattern that fits this result and no other. Of several subjects it names the one.
std::string OwnPattern(const Result& result, const std::vector<Result>& results,
                       const std::string& list) {
  const bool several = std::any_of(results.begin(), results.end(), [&](const Result& other) {
    return other.subject != result.subject;
  });
  const std::string subject =
      several && !result.subject.empty() ? "@" + AsGlob(result.subject) : "";
  Result by_file = result;
  by_file.name = AsGlob(result.file.empty() ? result.name : result.file);
  for (const std::string& pattern : {result.Label() + subject, by_file.Label() + subject,
                                     result.Label() + "@" + AsGlob(result.source) + subject}) {
    const ExpectedFailure line{pattern, std::nullopt, "", "-", "-", ""};
    const auto fits = [&](const Result& other) { return line.Matches(other); };
    if (fits(result) && std::count_if(results.begin(), results.end(), fits) == 1) return pattern;
  }
  throw BadFile(list,
                "is not updated: no pattern tells " + result.Label() + " (" + result.source +
                    ") from the other results of this run; judge them in runs of their own",
                kClause);
}

}  // namespace

bool ExpectedFailure::Matches(const Result& result) const {
  using properties::GlobMatches;
  if (!result.applicable) return false;
  const std::vector<std::string> parts = Parts(pattern);
  for (size_t i = 1; i < parts.size(); ++i)
    if (!GlobMatches(parts[i], result.source) && !GlobMatches(parts[i], result.subject))
      return false;
  const auto is_name = [&](const std::string& glob) {
    return GlobMatches(glob, result.name) ||
           (!result.file.empty() && GlobMatches(glob, result.file));
  };
  if (parts[0].find('/') == std::string::npos) return is_name(parts[0]);
  const std::vector<std::string> of_case = SplitList(parts[0], '/');
  const bool operation = std::any_of(result.operations.begin(), result.operations.end(),
                                     [&](const auto& o) { return GlobMatches(of_case[0], o); });
  return operation && is_name(of_case[1]) &&
         (result.format.empty() || GlobMatches(of_case[2], result.format));
}

std::string ExpectedList::Text() const {
  std::string text;
  for (const Line& line : lines) text += line.text + "\n";
  return text;
}

ExpectedList ParseExpected(std::string_view text, const std::string& file) {
  ExpectedList list{file, {}};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // as some editors begin a file
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    ExpectedList::Line& entry = list.lines.emplace_back(ExpectedList::Line{line, std::nullopt});
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') continue;
    entry.failure = ParseLine(line, file, list.lines.size());
  }
  return list;
}

ExpectedOutcome CompareWithExpected(const ExpectedList& list, const std::vector<Result>& results,
                                    const std::string& today) {
  ExpectedOutcome outcome;
  outcome.expected.resize(results.size());
  std::vector<bool> listed(results.size());
  for (size_t i = 0; i < list.lines.size(); ++i) {
    const auto& line = list.lines[i].failure;
    if (!line) continue;
    const auto problem = [&](const std::string& what) {
      outcome.problems.push_back(fmt::format("{}:{}: {}", list.file, i + 1, what));
    };
    if (line->reason.empty() || line->reason.starts_with(kNoReason))
      problem("has no reason: write a link, or why");
    if (line->until != "-" && today > line->until) problem("expired on " + line->until);
    bool any = false;
    for (size_t r = 0; r < results.size(); ++r) {
      const Result& result = results[r];
      if (!line->Matches(result)) continue;
      any = listed[r] = true;
      const std::string what = result.Label() + " (" + result.source + ") ";
      if (result.passes()) {
        problem(what + "passes: remove the line, or narrow it");
      } else if (const std::string departure = Departure(*line, result); !departure.empty()) {
        problem(what + departure);
      }
    }
    if (!any) problem("matches nothing that was judged");
  }
  for (size_t r = 0; r < results.size(); ++r) {
    const Result& result = results[r];
    if (result.passes() || !result.applicable) continue;
    outcome.expected[r] = listed[r] && result.verdict != Verdict::kRefused;
    if (!listed[r])
      outcome.problems.push_back(fmt::format("{}: {} ({}) {}, and is not listed", list.file,
                                             result.Label(), result.source, result.status));
  }
  return outcome;
}

ExpectedList UpdatedExpected(const ExpectedList& list, const std::vector<Result>& results) {
  for (const Result& result : results)
    if (result.verdict == Verdict::kRefused)
      throw BadFile(list.file, "is not updated: " + result.source + " is " + result.detail,
                    kClause);
  ExpectedList updated{list.file, {}};
  std::vector<bool> listed(results.size());
  // One line for this result alone.
  const auto add = [&](ExpectedFailure failure, const Result& result) {
    failure.pattern = OwnPattern(result, results, list.file);
    TakeOver(result, &failure);
    for (const ExpectedList::Line& line : updated.lines)
      if (line.failure && line.failure->pattern == failure.pattern) return;
    updated.lines.push_back({Render(failure), failure});
  };
  for (const ExpectedList::Line& line : list.lines) {
    if (!line.failure) {
      updated.lines.push_back(line);
      continue;
    }
    bool passes = false;
    std::vector<const Result*> failing;
    for (size_t r = 0; r < results.size(); ++r) {
      if (!line.failure->Matches(results[r])) continue;
      passes |= results[r].passes();
      if (results[r].passes()) continue;
      failing.push_back(&results[r]);
      listed[r] = true;
    }
    if (failing.empty()) continue;
    ExpectedFailure whole = *line.failure;
    for (const Result* result : failing)
      if (!Departure(whole, *result).empty()) TakeOver(*result, &whole);
    const bool fits = std::all_of(failing.begin(), failing.end(), [&](const Result* result) {
      return Departure(whole, *result).empty();
    });
    if (passes || !fits) {  // too wide, or what it fits needs different words
      for (const Result* result : failing) add(*line.failure, *result);
    } else if (Render(whole) == Render(*line.failure)) {
      updated.lines.push_back(line);
    } else {
      updated.lines.push_back({Render(whole), whole});
    }
  }
  for (size_t r = 0; r < results.size(); ++r) {
    const Result& result = results[r];
    if (listed[r] || result.passes() || !result.applicable) continue;
    const std::vector<std::string> mistakes = MistakesOf(result);
    add({"", std::nullopt, "", mistakes.empty() ? "-" : mistakes.front(), "-", kNoReason}, result);
  }
  // Whatever is still wrong, reasons and dates apart, would fail right after.
  ExpectedList reasoned = updated;
  for (ExpectedList::Line& line : reasoned.lines)
    if (line.failure) {
      line.failure->reason = line.failure->until = "-";
      line.text = Render(*line.failure);
    }
  reasoned = ParseExpected(reasoned.Text(), list.file);
  for (const std::string& problem : CompareWithExpected(reasoned, results, "").problems)
    throw BadFile(list.file, "is not updated, it would fail again: " + problem, kClause);
  return updated;
}

std::string Today() {
  const std::chrono::year_month_day date(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace gnomon::oracle
