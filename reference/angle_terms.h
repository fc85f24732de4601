// Angles of a case, remembered: one frequency a pair, one angle a (position, pair), at the
// precision in force; and their binary64 neighbours for the fast path.
#ifndef GNOMON_REFERENCE_ANGLE_TERMS_H_
#define GNOMON_REFERENCE_ANGLE_TERMS_H_

#include <array>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gnomon/reference/interval.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon::reference {

struct AngleTerm {
  Interval frequency, angle, cos, sin;
};

// ROPE-7. Whether BOUND-4's bound of a table entry, with `lost` beside it, reaches 0: then the
// entry's sign is left open. Throws Undecided.
bool SignIsOpen(const AngleTerm& term, const Interval& D, Format tables, bool flushes,
                const Interval& lost = Interval(0));

// Within 2^-53 (1 + 2^-10) of the truth, relatively; `usable` false where that is not certain.
struct QuickAngle {
  double angle = 0, cos = 0, sin = 0;
  bool usable = false, known = false;
};

class AngleTerms {
 public:
  // `counts`: C of BOUND-3 by AngleForm, of frequencies that have a count of their own (SCALE-17).
  AngleTerms(std::function<Interval(int64_t pair)> frequency,
             std::function<AngleOrigin(int64_t pair)> origin,
             std::function<std::array<double, 4>(int64_t pair)> counts = {})
      : frequency_(std::move(frequency)), origin_(std::move(origin)), counts_(std::move(counts)) {}

  const AngleTerm& At(int64_t position, int64_t pair) const;
  const QuickAngle& QuickAt(int64_t position, int64_t pair) const;

  const AngleOrigin& OriginOf(int64_t pair) const;
  const std::array<double, 4>& CountsOf(int64_t pair) const;  // where `counts` was given
  // BOUND-3. D of the profile, for this angle.
  Interval Error(const Profile& profile, Format output, int64_t position, int64_t pair) const;
  // The same in binary64, for each of the profiles; `angle`: |position times frequency|.
  std::array<double, kProfiles.size()> QuickErrors(const Profiles& profiles, Format output,
                                                   int64_t position, int64_t pair,
                                                   double angle) const;

 private:
  const Interval& FrequencyOf(int64_t pair) const;
  double RelativeError(AngleForm form, int64_t position, int64_t pair, Format output) const;

  std::function<Interval(int64_t)> frequency_;
  std::function<AngleOrigin(int64_t)> origin_;
  std::function<std::array<double, 4>(int64_t)> counts_;
  mutable std::unordered_map<int64_t, std::array<double, 4>> known_counts_;
  mutable unsigned precision_ = 0;
  mutable std::unordered_map<int64_t, Interval> frequencies_;
  mutable std::unordered_map<int64_t, AngleOrigin> origins_;
  mutable std::map<std::pair<int64_t, int64_t>, AngleTerm> terms_;      // by position and pair
  mutable std::unordered_map<int64_t, std::vector<QuickAngle>> quick_;  // by position, then pair
  mutable size_t quick_terms_ = 0;                                      // in them
  mutable int64_t last_position_ = 0;
  mutable std::vector<QuickAngle>* last_row_ = nullptr;
  // AngleError by pair, profile, and whether the position exceeds the working format.
  mutable std::vector<std::array<std::array<double, 2>, kProfiles.size()>> quick_errors_;
};

// An upper bound of |ln base|, for AngleOrigin.
double LogBaseUpperBound(const Number& base);

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ANGLE_TERMS_H_
