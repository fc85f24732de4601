#include "gnomon/properties/suite.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "gnomon/properties/trial.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

constexpr std::array<const char*, 6> kStatusNames = {"holds",   "fails",          "crashes",
                                                     "starved", "not applicable", "not run"};

bool Declares(const Subject& subject, const std::string& operation) {
  for (size_t i = 0; i < kFormats.size(); ++i)
    if (subject.Declares(operation, static_cast<Format>(i))) return true;
  return false;
}

// SUBJ-7. Nothing was ever answered, and this would ask only what it died on.
bool DiesOnly(const Subject& subject, const std::vector<PropertyReport>& before,
              const Property& property) {
  std::set<std::string> died_on;
  int died = 0;
  for (const PropertyReport& p : before) {
    if (p.cases > 0 || p.vacuous > 0 || p.status == PropertyReport::kFails) return false;
    if (p.status != PropertyReport::kCrashes) continue;
    ++died;
    if (!p.asked.empty()) died_on.insert(p.asked.back().operation);
  }
  return died >= kMostHangs && std::all_of(property.operations.begin(), property.operations.end(),
                                           [&](const std::string& o) {
                                             return died_on.count(o) || !Declares(subject, o);
                                           });
}

// Empty: the subject is asked.
std::string WhyNotAsked(const Subject& subject, const SuiteReport& before, const SuiteOptions& left,
                        const Property& property) {
  if (left.most_hangs <= 0) return WhyNotRun(before);
  if (DiesOnly(subject, before.properties, property))
    return "the subject died in " + std::to_string(kMostHangs) +
           " properties and answered nothing (SUBJ-7)";
  return left.stopped() ? kStoppedText : "";
}

// One that it asks; the one whose answer was wrong, where it is known.
std::string OperationToRepeat(const PropertyReport& report) {
  const std::vector<std::string>& operations = report.property.operations;
  if (report.asked.empty()) return operations.front();
  const std::string& last = report.asked.back().operation;
  return std::count(operations.begin(), operations.end(), last) ? last : operations.front();
}

// "alibi.*" where all operations of a scheme are among them.
std::set<std::string> ByScheme(const std::set<std::string>& operations) {
  const auto scheme = [](const std::string& operation) {
    return operation.substr(0, operation.find('.'));
  };
  std::set<std::string> partly, names;
  for (const OperationSpec* operation : AllOperations())
    if (!operations.count(operation->name)) partly.insert(scheme(operation->name));
  for (const std::string& operation : operations)
    names.insert(partly.count(scheme(operation)) ? operation : scheme(operation) + ".*");
  return names;
}

}  // namespace

const char* Name(PropertyReport::Status status) { return kStatusNames[status]; }

std::vector<Format> FormatsFor(const Subject& subject, const Property& property) {
  std::vector<Format> formats;
  for (size_t i = 0; i < kFormats.size(); ++i) {
    const Format format = static_cast<Format>(i);
    if (std::any_of(property.operations.begin(), property.operations.end(),
                    [&](const std::string& o) { return subject.Declares(o, format); }))
      formats.push_back(format);
  }
  return formats;
}

bool GlobMatches(const std::string& pattern, const std::string& text) {
  size_t p = 0, t = 0, star = std::string::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

int64_t SuiteReport::count(PropertyReport::Status status) const {
  return std::count_if(properties.begin(), properties.end(),
                       [&](const PropertyReport& p) { return p.status == status; });
}
bool SuiteReport::nothing_ran() const {
  return count(PropertyReport::kNotApplicable) == static_cast<int64_t>(properties.size());
}
bool SuiteReport::holds() const {
  return !nothing_ran() && count(PropertyReport::kFails) == 0 && !crashed() &&
         count(PropertyReport::kStarved) == 0 && count(PropertyReport::kNotRun) == 0;
}

bool SuiteReport::gave_up() const {
  int hangs = 0;
  for (const PropertyReport& p : properties) hangs += p.hangs;
  return hangs >= options.most_hangs || count(PropertyReport::kNotRun) > 0;
}

std::string WhyNotRun(const SuiteReport& report) {
  for (const PropertyReport& p : report.properties)
    if (p.status == PropertyReport::kNotRun) return p.finding;
  return HungText(report.options);
}

std::string HungText(const SuiteOptions& options) {
  return "the subject exceeded its time " + std::to_string(options.most_hangs) + " times (SUBJ-7)";
}

SuiteReport RunSuite(Subject& subject, const SuiteOptions& options) {
  SuiteReport report{subject.Name(), options, {}};
  SuiteOptions left = options;
  for (const Property& property : AllProperties()) {
    if (options.which != Which::kAll && property.algebraic != (options.which == Which::kAlgebraic))
      continue;
    if (!GlobMatches(options.property, property.name)) continue;
    if (std::none_of(property.operations.begin(), property.operations.end(),
                     [&](const std::string& o) { return GlobMatches(options.operation, o); }))
      continue;
    if (options.progress) options.progress(property);
    const std::string why_not = WhyNotAsked(subject, report, left, property);
    PropertyReport& entry = report.properties.emplace_back();
    entry.property = property;
    const std::vector<Format> formats = FormatsFor(subject, property);
    if (formats.empty()) continue;
    if (!why_not.empty()) {
      entry.status = PropertyReport::kNotRun;
      entry.finding = why_not;
      continue;
    }
    RunProperty(subject, formats, left, &entry);
    left.most_hangs -= entry.hangs;
  }
  return report;
}

std::string ShellQuoted(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string RepeatCommand(const SuiteReport& report, const PropertyReport& property) {
  return "gnomon check --subject " + ShellQuoted(report.subject) + " --operation " +
         OperationToRepeat(property) + " --seed " + std::to_string(report.options.seed) +
         " --cases " + std::to_string(report.options.cases) + report.options.repeat_with;
}

std::string ToText(const SuiteReport& report) {
  std::string text = report.subject + ", seed " + std::to_string(report.options.seed) + ", " +
                     std::to_string(report.options.cases) + " cases a property\n";
  std::set<std::string> undeclared;
  std::string in_part;  // something of what they ask is declared
  for (const PropertyReport& p : report.properties) {
    if (p.status == PropertyReport::kNotApplicable) {
      if (p.declined > 0) in_part += (in_part.empty() ? "" : ", ") + p.property.name;
      undeclared.insert(p.property.operations.begin(), p.property.operations.end());
      continue;
    }
    if (p.status == PropertyReport::kNotRun) continue;
    std::string name = "  " + p.property.name + " (" + p.property.clause + ")";
    name.resize(std::max<size_t>(name.size() + 1, 44), ' ');
    std::string status = Name(p.status);
    if (p.status != PropertyReport::kHolds)
      for (char& c : status) c = static_cast<char>(std::toupper(c));
    text += name + status;
    text += " cases " + std::to_string(p.cases);
    if (p.vacuous) text += ", vacuous " + std::to_string(p.vacuous);
    if (p.declined) text += ", declined " + std::to_string(p.declined);
    text += "\n";
    if (p.status == PropertyReport::kHolds) continue;
    if (!p.finding.empty()) text += "    " + p.finding + "\n";
    for (const Case& c : p.asked) text += "    asked: " + Describe(c) + "\n";
    text += "    repeat: " + RepeatCommand(report, p) + "\n";
  }
  if (const int64_t count = report.count(PropertyReport::kNotApplicable)) {
    text += "  " + std::to_string(count) +
            " properties are not applicable: too little declared, or nothing inside the limits, of";
    for (const std::string& names : ByScheme(undeclared)) text += " " + names;
    text += "\n";
    if (!in_part.empty()) text += "  of what is declared these were left out: " + in_part + "\n";
  }
  if (const int64_t count = report.count(PropertyReport::kNotRun))
    text += "  " + std::to_string(count) + (count == 1 ? " property was" : " properties were") +
            " NOT RUN: " + WhyNotRun(report) + "\n";
  if (report.nothing_ran()) text += "  nothing was run\n";
  return text;
}

}  // namespace gnomon::properties
