#include "gnomon/reference/angle_terms.h"

#include <cmath>

#include "gnomon/reference/certify.h"

namespace gnomon::reference {
namespace {

constexpr size_t kMostTerms = 4096;  // enough for the pairs of a row; keeps memory flat

uint64_t Key(int64_t position, int64_t pair) {
  return static_cast<uint64_t>(position) << 32 ^ static_cast<uint64_t>(pair);
}

// Sets `nearest` to x; true if x's enclosure is so narrow that only the rounding counts.
bool Narrow(const Interval& x, double* nearest) {
  *nearest = Midpoint(x);
  if (*nearest == 0) return IsPoint(x);
  mpfr_t diameter;
  mpfr_init2(diameter, 64);
  mpfi_diam_abs(diameter, x.backend().data());
  const bool narrow = mpfr_get_d(diameter, MPFR_RNDU) <= std::abs(*nearest) * 0x1p-64;
  mpfr_clear(diameter);
  return narrow && std::abs(*nearest) > 0x1p-1000;
}

}  // namespace

const Interval& AngleTerms::FrequencyOf(int64_t pair) const {
  const unsigned precision = Interval::default_precision();
  if (precision != precision_) {
    frequencies_.clear();
    terms_.clear();
    precision_ = precision;
  }
  const auto found = frequencies_.find(pair);
  return found != frequencies_.end() ? found->second
                                     : frequencies_.emplace(pair, frequency_(pair)).first->second;
}

const AngleOrigin& AngleTerms::OriginOf(int64_t pair) const {
  const auto found = origins_.find(pair);
  return found != origins_.end() ? found->second
                                 : origins_.emplace(pair, origin_(pair)).first->second;
}

const AngleTerm& AngleTerms::At(int64_t position, int64_t pair) const {
  const Interval& frequency = FrequencyOf(pair);
  const uint64_t key = Key(position, pair);
  const auto found = terms_.find(key);
  if (found != terms_.end()) return found->second;
  if (terms_.size() >= kMostTerms) terms_.clear();
  const Interval angle = Interval(position) * frequency;
  return terms_.emplace(key, AngleTerm{frequency, angle, cos(angle), sin(angle)}).first->second;
}

const QuickAngle& AngleTerms::QuickAt(int64_t position, int64_t pair) const {
  std::vector<QuickAngle>& row = quick_[position];
  if (static_cast<size_t>(pair) >= row.size()) row.resize(static_cast<size_t>(pair) + 1);
  QuickAngle& quick = row[static_cast<size_t>(pair)];
  if (quick.known) return quick;
  ScopedPrecision precision(kFirstPrecision);
  const Interval angle = Interval(position) * FrequencyOf(pair);
  quick.known = true;
  quick.usable = Narrow(abs(angle), &quick.angle) && Narrow(cos(angle), &quick.cos) &&
                 Narrow(sin(angle), &quick.sin);
  return quick;
}

Interval AngleTerms::Error(const Profile& profile, Format output, int64_t position,
                           int64_t pair) const {
  return AngleError(profile.angle, OriginOf(pair), position, output) * abs(At(position, pair).angle);
}

double AngleTerms::QuickError(size_t profile, Format output, int64_t position, int64_t pair) const {
  while (quick_errors_.size() <= static_cast<size_t>(pair)) {
    const AngleOrigin& origin = OriginOf(static_cast<int64_t>(quick_errors_.size()));
    auto& errors = quick_errors_.emplace_back();
    for (size_t i = 0; i < kProfiles.size(); ++i)
      errors[i] = {AngleError(kProfiles[i].angle, origin, 0, output),
                   AngleError(kProfiles[i].angle, origin, kMaxPosition, output)};
  }
  const bool large = std::abs(static_cast<double>(position)) >
                     std::ldexp(1.0, Traits(WorkingFormat(output)).precision);
  return quick_errors_[static_cast<size_t>(pair)][profile][large];
}

double LogBaseUpperBound(const Number& base) {
  ScopedPrecision precision(kFirstPrecision);
  return mpfr_get_d(Upper(abs(log(Exactly<Interval>(base)))), MPFR_RNDU);
}

}  // namespace gnomon::reference
