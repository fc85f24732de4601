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

// Each property has a subject of its own, so that none depends on what was asked before it.
template <class Make>
std::vector<PropertyReport> RunEach(const Make& make, const SuiteOptions& options) {
  std::vector<PropertyReport> reports;
  for (const Property& property : AllProperties()) {
    SuiteOptions one = options;
    one.property = property.name;
    const std::unique_ptr<Subject> subject = make();
    for (PropertyReport& report : RunSuite(*subject, one).properties)
      reports.push_back(std::move(report));
  }
  return reports;
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

// The rows of the wrong subjects of a stem, and what its properties killed.
struct Mistakes {
  std::string rows;
  int count = 0;
  std::map<std::string, std::set<std::string>> at_first_seed, at_any_seed;
};

Mistakes RunMistakes(const std::string& stem, int seeds, Score* score) {
  Mistakes all;
  for (const WrongSubject& wrong : WrongSubjects()) {
    if (wrong.stem != stem) continue;
    ++all.count;
    std::vector<int> cases;
    int algebraic = 0;
    std::string killed_by;
    for (int i = 0; i < seeds; ++i) {
      const std::vector<Kill> kills = KillsOf(wrong, ScoreSeed(i));
      if (kills.empty())
        score->survivors.push_back(wrong.id + ", seed " + std::to_string(ScoreSeed(i)));
      else
        cases.push_back(kills.front().cases);
      algebraic +=
          std::any_of(kills.begin(), kills.end(), [](const Kill& k) { return k.algebraic; });
      for (const Kill& kill : kills) {
        if (i == 0) all.at_first_seed[kill.property].insert(wrong.id);
        all.at_any_seed[kill.property].insert(wrong.id);
      }
      if (i == 0) killed_by = KilledBy(kills);
    }
    const std::string after =
        cases.empty() ? "-"
                      : std::to_string(Median(cases)) + ", " +
                            std::to_string(*std::max_element(cases.begin(), cases.end()));
    all.rows += "| " + Code(wrong.id) + " | " + killed_by + " | " + after + " | " +
                std::to_string(cases.size()) + " | " + std::to_string(algebraic) + " |\n";
  }
  return all;
}

std::string PropertyRows(const std::string& stem, const Mistakes& mistakes) {
  const auto size = [](const std::map<std::string, std::set<std::string>>& killed,
                       const std::string& property) {
    const auto found = killed.find(property);
    return std::to_string(found == killed.end() ? 0 : found->second.size());
  };
  std::string rows;
  for (const Property& property : AllProperties()) {
    if (property.name.rfind(stem + ".", 0) != 0) continue;
    rows += "| " + WithoutStem(property.name) + " | " + property.clause + " | " +
            (property.algebraic ? "other answers" : "the truth") + " | " +
            size(mistakes.at_first_seed, property.name) + " | " +
            size(mistakes.at_any_seed, property.name) + " |\n";
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
    for (const PropertyReport& p : RunEach(wrong.make, OptionsFor(wrong.stem, seed, cases)))
      if (p.status == PropertyReport::kFails)
        kills.push_back({p.property.name, p.property.algebraic, p.cases + p.vacuous + 1});
    if (!kills.empty()) break;
  }
  std::sort(kills.begin(), kills.end(), [](const Kill& a, const Kill& b) {
    return std::tie(a.cases, a.property) < std::tie(b.cases, b.property);
  });
  return kills;
}

Alarms AlarmsOf(const RightSubject& right, uint64_t seed) {
  Alarms alarms;
  const std::unique_ptr<Subject> kernel = right.make();
  const auto declared = [&](const std::string& operation) {
    return std::ranges::any_of(kFormats, [&](const FormatTraits& format) {
      return kernel->Declares(operation, *FormatFromName(format.name));
    });
  };
  for (const PropertyReport& p : RunEach(right.make, OptionsFor(right.stem, seed, kScoreCases))) {
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
      "Written by `score_test.cc`, which also compares it. Every wrong subject of `wrong_" + stem +
      ".cc` (the ids: `spec/mistakes.md`) and every right one,\nunder " + runs + " seeds from " +
      std::to_string(kDefaultSeed) + ", " + std::to_string(kScoreCases) +
      " cases a property; a wrong one that outlives them is asked the default " +
      std::to_string(kDefaultCases) + ".\n\n" + "- Runs that a wrong subject survives: **" +
      std::to_string(score.survivors.size()) + "** of " + count + " x " + runs + ".\n" +
      "- False alarms: **" + std::to_string(score.alarms.size()) + "**.\n\n" + "## Mistakes\n\n" +
      "*Killed by*: at the first seed. *Cases*: of one property until the first kill, median and "
      "largest over the seeds. *Kills*: seeds under\nwhich it is killed, and those under which "
      "properties do it that never look at the truth.\n\n" +
      "| mistake | killed by | cases | kills | algebraic |\n| --- | --- | --- | --- | --- |\n" +
      mistakes.rows + "\n## Properties\n\n" + "Mistakes killed, of " + count + ".\n\n" +
      "| property | clause | compares with | first seed | any seed |\n" +
      "| --- | --- | --- | --- | --- |\n" + PropertyRows(stem, mistakes) +
      "\n## Right kernels that round differently\n\n" +
      "Those named `flushed/` declare that they flush subnormals (BOUND-8); undeclared, the same "
      "kernels fail (`flushing_test.cc`).\n\n" +
      "| kernel | what it does | profile | cases | alarms |\n| --- | --- | --- | --- | --- |\n" +
      right;
  return score;
}

}  // namespace gnomon::properties
