#include "gnomon/oracle/expected.h"

#include <fmt/format.h>

#include <algorithm>
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

ExpectedFailure ParseLine(const std::string& text, const std::string& file, size_t number) {
  std::istringstream fields(text);
  ExpectedFailure failure;
  std::string error;
  fields >> failure.pattern >> error >> failure.mistake >> failure.until;
  if (failure.until.empty())
    Fail(file, number, "must read PATTERN ERROR MISTAKE UNTIL REASON, not " + Quoted(text));
  std::getline(fields >> std::ws, failure.reason);
  const auto slashes = std::count(failure.pattern.begin(), failure.pattern.end(), '/');
  if (slashes != 0 && slashes != 2)
    Fail(file, number,
         "PATTERN = " + Quoted(failure.pattern) + ": must be NAME or OPERATION/NAME/FORMAT");
  if (error != "-") {
    char* end = nullptr;
    failure.error = std::strtod(error.c_str(), &end);
    if (*end != '\0' || !(*failure.error >= 0))
      Fail(file, number, "ERROR = " + Quoted(error) + ": must be a number, inf or -");
  }
  if (failure.until != "-" && !IsDate(failure.until))
    Fail(file, number, "UNTIL = " + Quoted(failure.until) + ": must be YYYY-MM-DD or -");
  return failure;
}

std::string Render(const ExpectedFailure& f) {
  std::string error = "-";
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
  if (!result.largest) {
    line->error.reset();
  } else if (!line->error || AsReported(*result.largest) > *line->error) {
    line->error = AsReported(*result.largest);
  }
  if (line->mistake == "-" || HasMistake(result, line->mistake)) return;
  const std::vector<std::string> mistakes = MistakesOf(result);
  line->mistake = mistakes.empty() ? "-" : mistakes.front();
}

// A pattern that fits this result and none that passes, if there is one.
std::string NarrowPattern(const Result& result, const std::vector<Result>& results) {
  ExpectedFailure line{result.Label(), std::nullopt, "-", "-", ""};
  const bool too_wide = std::any_of(results.begin(), results.end(), [&](const Result& other) {
    return other.passes() && line.Matches(other);
  });
  if (!too_wide || result.file.empty()) return line.pattern;
  Result by_file = result;
  by_file.name = result.file;
  for (char& c : by_file.name)
    if (c == ' ' || c == '\t') c = '?';
  return by_file.Label();
}

}  // namespace

bool ExpectedFailure::Matches(const Result& result) const {
  using properties::GlobMatches;
  if (!result.applicable) return false;
  const auto is_name = [&](const std::string& glob) {
    return GlobMatches(glob, result.name) ||
           (!result.file.empty() && GlobMatches(glob, result.file));
  };
  if (pattern.find('/') == std::string::npos) return is_name(pattern);
  const std::vector<std::string> parts = SplitList(pattern, '/');
  const bool operation = std::any_of(result.operations.begin(), result.operations.end(),
                                     [&](const auto& o) { return GlobMatches(parts[0], o); });
  return operation && is_name(parts[1]) &&
         (result.format.empty() || GlobMatches(parts[2], result.format));
}

std::string ExpectedList::Text() const {
  std::string text;
  for (const Line& line : lines) text += line.text + "\n";
  return text;
}

ExpectedList ParseExpected(std::string_view text, const std::string& file) {
  ExpectedList list{file, {}};
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
    outcome.expected[r] = listed[r];
    if (!listed[r])
      outcome.problems.push_back(fmt::format("{}: {} ({}) {}, and is not listed", list.file,
                                             result.Label(), result.source, result.status));
  }
  return outcome;
}

ExpectedList UpdatedExpected(const ExpectedList& list, const std::vector<Result>& results) {
  ExpectedList updated{list.file, {}};
  std::vector<bool> listed(results.size());
  // One line for this result alone; for two that a pattern cannot tell apart, one that allows both.
  const auto add = [&](ExpectedFailure failure, const Result& result) {
    failure.pattern = NarrowPattern(result, results);
    for (ExpectedList::Line& line : updated.lines) {
      if (!line.failure || line.failure->pattern != failure.pattern) continue;
      TakeOver(result, &*line.failure);
      line.text = Render(*line.failure);
      return;
    }
    TakeOver(result, &failure);
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
    ExpectedFailure whole = *line.failure;
    bool fits = true;
    for (const Result* result : failing) {
      fits &= Departure(whole, *result).empty();
      TakeOver(*result, &whole);
    }
    if (failing.empty()) continue;
    if (!passes && fits) {
      updated.lines.push_back(line);
    } else if (!passes) {
      updated.lines.push_back({Render(whole), whole});
    } else {  // too wide
      for (const Result* result : failing) add(*line.failure, *result);
    }
  }
  for (size_t r = 0; r < results.size(); ++r) {
    const Result& result = results[r];
    if (listed[r] || result.passes() || !result.applicable) continue;
    const std::vector<std::string> mistakes = MistakesOf(result);
    add({"", std::nullopt, mistakes.empty() ? "-" : mistakes.front(), "-", kNoReason}, result);
  }
  return updated;
}

std::string Today() {
  const std::chrono::year_month_day date(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace gnomon::oracle
