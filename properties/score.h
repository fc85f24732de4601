// The suite's own score: which property tells which wrong subject apart, after how many cases, and
// whether a right one is accused. Written to properties/<stem>_score.md, which a test compares.
#ifndef GNOMON_PROPERTIES_SCORE_H_
#define GNOMON_PROPERTIES_SCORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/properties/suite.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {

inline constexpr int kScoreSeeds = 20;
// Instances of a property that are asked of a wrong subject; one that outlives them gets the
// default number. And of a right one.
inline constexpr int kScoreCases = 12, kAlarmCases = 6;

// The seeds are kDefaultSeed and those after it.
inline uint64_t ScoreSeed(int i) { return kDefaultSeed + static_cast<uint64_t>(i); }

struct Kill {
  std::string property;
  bool algebraic = false;
  int cases = 0;  // instances asked, the one that failed included
};

// Of one seed, the quickest first.
std::vector<Kill> KillsOf(const WrongSubject& wrong, uint64_t seed);
// The first property, of those that kill at another seed in their order, then of all, that does so
// at this one.
std::optional<Kill> FirstKillOf(const WrongSubject& wrong, uint64_t seed,
                                const std::vector<Kill>& likely);
// How often it could have been accused, and the properties that did.
struct Alarms {
  int64_t cases = 0;
  std::vector<std::string> by;
};
Alarms AlarmsOf(const RightSubject& right, uint64_t seed, int cases = kAlarmCases);

// "norms, strides and 3 more": what kills, as the page says it.
std::string KilledBy(const std::vector<Kill>& kills);

// The page, from `seeds` seeds. `survivors` and `alarms` count over all of them.
struct Score {
  std::string page;
  std::vector<std::string> survivors;  // "backward/cosine, seed 20170615"
  std::vector<std::string> alarms;     // "plain/standard: rope.norms, seed 20170612"
};
Score ScoreOf(const std::string& stem, int seeds);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_SCORE_H_
