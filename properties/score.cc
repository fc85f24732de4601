#include "gnomon/properties/score.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace gnomon::properties {
namespace {

SuiteOptions OptionsFor(const std::string& stem, uint64_t seed, int cases) {
  SuiteOptions options;
  options.operation = stem + ".*";
  options.seed = seed;
  options.cases = cases;
  options.shrink = false;
  return options;
}

// A property has a subject of its own, so that none depends on what was asked before it.
template <class Make>
std::vector<PropertyReport> RunOne(const Make& make, SuiteOptions options,
                                   const std::string& property) {
  options.property = property;
  const std::unique_ptr<Subject> subject = make();
  return RunSuite(*subject, options).properties;
}
template <class Make>
std::vector<PropertyReport> RunEach(const Make& make, const SuiteOptions& options) {
  std::vector<PropertyReport> reports;
  for (const Property& property : AllProperties())
    for (PropertyReport& report : RunOne(make, options, property.name))
      reports.push_back(std::move(report));
  return reports;
}

std::optional<Kill> KillBy(const PropertyReport& report) {
  if (report.status != PropertyReport::kFails) return std::nullopt;
  return Kill{report.property.name, report.property.algebraic, report.cases + report.vacuous + 1};
}

std::string WithoutStem(const std::string& property) {
  return property.substr(property.find('.') + 1);
}

// The lower one where there are two.
int Median(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

constexpr size_t kNamesShown = 5;

std::string Code(const std::string& text) { return "`" + text + "`"; }

// The rows of the wrong subjects of a stem, and what its properties killed at the first seed.
struct Mistakes {
  std::string rows;
  int count = 0;
  std::map<std::string, int> killed;
};

Mistakes RunMistakes(const std::string& stem, int seeds, Score* score) {
  Mistakes all;
  for (const WrongSubject& wrong : WrongSubjects()) {
    if (wrong.stem != stem) continue;
    ++all.count;
    const std::vector<Kill> kills = KillsOf(wrong, ScoreSeed(0));
    std::vector<int> cases;
    const auto count = [&](int seed, const std::optional<Kill>& kill) {
      if (kill) {
        cases.push_back(kill->cases);
      } else {
        score->survivors.push_back(wrong.id + ", seed " + std::to_string(ScoreSeed(seed)));
      }
    };
    count(0, kills.empty() ? std::nullopt : std::optional(kills.front()));
    for (int i = 1; i < seeds; ++i) count(i, FirstKillOf(wrong, ScoreSeed(i), kills));
    const auto algebraic =
        std::count_if(kills.begin(), kills.end(), [](const Kill& k) { return k.algebraic; });
    for (const Kill& kill : kills) ++all.killed[kill.property];
    const std::string after =
        cases.empty() ? "-"
                      : std::to_string(Median(cases)) + ", " +
                            std::to_string(*std::max_element(cases.begin(), cases.end()));
    all.rows += "| " + Code(wrong.id) + " | " + KilledBy(kills) + " | " +
                std::to_string(algebraic) + " of " + std::to_string(kills.size()) + " | " + after +
                " | " + std::to_string(cases.size()) + " |\n";
  }
  return all;
}

std::string PropertyRows(const std::string& stem, const Mistakes& mistakes) {
  std::string rows;
  for (const Property& property : AllProperties()) {
    if (property.name.rfind(stem + ".", 0) != 0) continue;
    const auto found = mistakes.killed.find(property.name);
    rows += "| " + WithoutStem(property.name) + " | " + property.clause + " | " +
            (property.algebraic ? "other answers" : "the truth") + " | " +
            std::to_string(found == mistakes.killed.end() ? 0 : found->second) + " |\n";
  }
  return rows;
}

std::string RightRows(const std::string& stem, int seeds, Score* score) {
  std::string rows;
  for (const RightSubject& right : RightSubjects()) {
    if (right.stem != stem) continue;
    Alarms sum;
    for (int i = 0; i < seeds; ++i) {
      const Alarms alarms = AlarmsOf(right, ScoreSeed(i));
      sum.cases += alarms.cases;
      for (const std::string& property : alarms.by) {
        sum.by.push_back(property);
        score->alarms.push_back(right.id + " under " + right.promise + ": " + property + ", seed " +
                                std::to_string(ScoreSeed(i)));
      }
    }
    rows += "| " + Code(right.id) + " | " + right.text + " | `" + right.promise + "` | " +
            std::to_string(sum.cases) + " | " + std::to_string(sum.by.size()) + " |\n";
  }
  return rows;
}

}  // namespace

std::vector<Kill> KillsOf(const WrongSubject& wrong, uint64_t seed) {
  std::vector<Kill> kills;
  for (const int cases : {kScoreCases, kDefaultCases}) {
    for (const PropertyReport& report : RunEach(wrong.make, OptionsFor(wrong.stem, seed, cases)))
      if (const std::optional<Kill> kill = KillBy(report)) kills.push_back(*kill);
    if (!kills.empty()) break;
  }
  std::sort(kills.begin(), kills.end(), [](const Kill& a, const Kill& b) {
    return std::tie(a.cases, a.property) < std::tie(b.cases, b.property);
  });
  return kills;
}

std::optional<Kill> FirstKillOf(const WrongSubject& wrong, uint64_t seed,
                                const std::vector<Kill>& likely) {
  std::vector<std::string> first, all;
  for (const Kill& known : likely) first.push_back(known.property);
  for (const Property& property : AllProperties()) all.push_back(property.name);
  for (const std::vector<std::string>& names : {first, all})
    for (const int cases : {kScoreCases, kDefaultCases})
      for (const std::string& name : names)
        for (const PropertyReport& report :
             RunOne(wrong.make, OptionsFor(wrong.stem, seed, cases), name))
          if (const std::optional<Kill> kill = KillBy(report)) return kill;
  return std::nullopt;
}

Alarms AlarmsOf(const RightSubject& right, uint64_t seed, int cases) {
  Alarms alarms;
  const std::unique_ptr<Subject> kernel = right.make();
  const auto declared = [&](const std::string& operation) {
    return std::ranges::any_of(kFormats, [&](const FormatTraits& format) {
      return kernel->Declares(operation, *FormatFromName(format.name));
    });
  };
  for (const PropertyReport& p : RunEach(right.make, OptionsFor(right.stem, seed, cases))) {
    alarms.cases += p.cases;
    // A property of two operations is not for a kernel of one.
    if (p.status == PropertyReport::kNotApplicable &&
        !std::ranges::all_of(p.property.operations, declared))
      continue;
    if (p.status != PropertyReport::kHolds) alarms.by.push_back(p.property.name);
  }
  return alarms;
}

std::string KilledBy(const std::vector<Kill>& kills) {
  std::vector<std::string> names;
  for (const Kill& kill : kills) names.push_back(WithoutStem(kill.property));
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamesShown); ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > kNamesShown)
    text += " and " + std::to_string(names.size() - kNamesShown) + " more";
  return text.empty() ? "nothing" : text;
}

Score ScoreOf(const std::string& stem, int seeds) {
  Score score;
  const Mistakes mistakes = RunMistakes(stem, seeds, &score);
  const std::string right = RightRows(stem, seeds, &score);
  const std::string count = std::to_string(mistakes.count), runs = std::to_string(seeds);
  score.page =
      "# What the suite sees of " + stem + "\n\n" +
      "Written by `score_test.cc`; `kill_test.cc` compares the first seed. Every wrong subject of "
      "`wrong_" +
      stem + "*.cc` (the ids: `spec/mistakes.md`) and every right\none, under " + runs +
      " seeds from " + std::to_string(kDefaultSeed) + ". A wrong one is asked " +
      std::to_string(kScoreCases) + " cases of a property, and the default " +
      std::to_string(kDefaultCases) + " where it outlives them; a right one\n" +
      std::to_string(kAlarmCases) + " of every property.\n\n" +
      "- Runs that a wrong subject survives: **" + std::to_string(score.survivors.size()) +
      "** of " + count + " x " + runs + ".\n" + "- False alarms: **" +
      std::to_string(score.alarms.size()) + "**.\n\n" + "## Mistakes\n\n" +
      "*Killed by*: at the first seed, by every property that does. *Algebraic*: how many of these "
      "never "
      "look at the truth. *Cases*: of one\nproperty until it kills, the quickest at the first "
      "seed, "
      "those in their order at the others: median and largest. *Seeds*: under which it is "
      "killed.\n\n" +
      "| mistake | killed by | algebraic | cases | seeds |\n| --- | --- | --- | --- | --- |\n" +
      mistakes.rows + "\n## Properties\n\n" + "Mistakes killed at the first seed, of " + count +
      ".\n\n| property | clause | compares with | kills |\n| --- | --- | --- | --- |\n" +
      PropertyRows(stem, mistakes) + "\n## Right kernels that round differently\n\n" +
      "Those named `flushed/` declare that they flush subnormals (BOUND-8); undeclared, the same "
      "kernels fail (`flushing_test.cc`).\n\n" +
      "| kernel | what it does | profile | cases | alarms |\n| --- | --- | --- | --- | --- |\n" +
      right;
  return score;
}

}  // namespace gnomon::properties
