#include "gnomon/reference/angle_terms.h"

#include <array>
#include <cmath>
#include <string>

#include "gnomon/reference/certify.h"
#include "gnomon/spec/rope_scaling.h"

namespace gnomon::reference {
namespace {

constexpr size_t kMostTerms = 4096;  // enough for the pairs of a row; keeps memory flat
constexpr size_t kMostQuickTerms = size_t{1} << 21;  // 64 MiB: heads of a recording come again
constexpr size_t kTermsOfARow = 4;                   // what a row takes beside its terms

// Times any two numbers of f32 it is still normal: what is 0 then is 0 exactly.
constexpr double kLeastQuick = 0x1p-700;

// A number of 128 bits, rounded to them and otherwise known but for `error`, as the fast path wants
// it: its nearest binary64, provided that only this rounding counts.
bool Narrow(mpfr_srcptr x, double error, double* nearest) {
  *nearest = mpfr_get_d(x, MPFR_RNDN);
  const double size = std::abs(*nearest);
  return (error == 0 && size == 0) || (error <= size * 0x1p-64 && size > kLeastQuick);
}

QuickAngle TurnOf(int64_t position, const Interval& frequency) {
  QuickAngle quick;
  quick.known = true;
  const Interval angle = Interval(position) * frequency;
  if (mpfi_is_zero(angle.backend().data())) return {0, 1, 0, true, true};
  // Cosine and sine of the middle of the enclosure: off by at most its width, beside the rounding.
  // The product of a given frequency is a point.
  Interval middle = angle, cosine = angle, sine = angle;  // for their memory
  mpfr_ptr m = &middle.backend().data()->left, c = &cosine.backend().data()->left,
           s = &sine.backend().data()->left;
  mpfi_mid(m, angle.backend().data());
  mpfr_sin_cos(s, c, m, MPFR_RNDN);
  const double error = WidthOf(angle);
  quick.usable = Narrow(m, error, &quick.angle) && Narrow(c, error, &quick.cos) &&
                 Narrow(s, error, &quick.sin);
  quick.angle = std::abs(quick.angle);
  return quick;
}

// The same turns are asked for again by every case, kernel and hypothesis: the last ones are kept,
// by position and by the bits of the enclosed frequency at kFirstPrecision.
QuickAngle KnownTurn(int64_t position, const Interval& frequency) {
  constexpr size_t kMost = 1 << 16;
  thread_local std::unordered_map<std::string, QuickAngle> turns;
  thread_local std::string key;
  key.assign(reinterpret_cast<const char*>(&position), sizeof position);
  for (const mpfr_srcptr end : {Lower(frequency), Upper(frequency)}) {
    if (!mpfr_regular_p(end)) return TurnOf(position, frequency);
    const std::array<int64_t, 2> head = {mpfr_get_exp(end), mpfr_signbit(end) != 0};
    key.append(reinterpret_cast<const char*>(head.data()), sizeof head);
    key.append(reinterpret_cast<const char*>(mpfr_custom_get_significand(end)),
               mpfr_custom_get_size(mpfr_get_prec(end)));
  }
  const auto found = turns.find(key);
  if (found != turns.end()) return found->second;
  if (turns.size() >= kMost) turns.clear();
  return turns.emplace(key, TurnOf(position, frequency)).first->second;
}

// BOUND-3. An angle that the working format cannot hold must be exact: nothing else is promised.
bool LeavesTheRange(double angle, Format output) {
  return angle > LargestFinite(WorkingFormat(output));
}

}  // namespace

bool SignIsOpen(const AngleTerm& term, const Interval& D, Format tables, bool flushes,
                const Interval& lost) {
  if (IsPoint(term.sin)) return false;
  const auto reaches_zero = [&](const Interval& v, const Interval& slope) {
    return LessOrEqual(abs(v), TableBound(tables, v, slope, D, 0, 1, flushes) + lost);
  };
  return reaches_zero(term.cos, term.sin) || reaches_zero(term.sin, term.cos);
}

const Interval& AngleTerms::FrequencyOf(int64_t pair) const {
  const unsigned precision = Interval::default_precision();
  if (precision != precision_) {
    frequencies_.clear();
    terms_.clear();
    precision_ = precision;
  }
  const auto found = frequencies_.find(pair);
  if (found != frequencies_.end()) return found->second;
  if (frequencies_.size() >= kMostTerms) frequencies_.clear();
  return frequencies_.emplace(pair, frequency_(pair)).first->second;
}

const AngleOrigin& AngleTerms::OriginOf(int64_t pair) const {
  const auto found = origins_.find(pair);
  return found != origins_.end() ? found->second
                                 : origins_.emplace(pair, origin_(pair)).first->second;
}

const AngleTerm& AngleTerms::At(int64_t position, int64_t pair) const {
  const Interval& frequency = FrequencyOf(pair);
  const std::pair<int64_t, int64_t> key(position, pair);
  const auto found = terms_.find(key);
  if (found != terms_.end()) return found->second;
  if (terms_.size() >= kMostTerms) terms_.clear();
  const Interval angle = Interval(position) * frequency;
  return terms_.emplace(key, AngleTerm{frequency, angle, cos(angle), sin(angle)}).first->second;
}

const QuickAngle& AngleTerms::QuickAt(int64_t position, int64_t pair) const {
  if (last_row_ == nullptr || position != last_position_) {
    if (quick_terms_ >= kMostQuickTerms) {
      quick_.clear();
      quick_terms_ = 0;
    }
    last_row_ = &quick_[position];
    quick_terms_ += kTermsOfARow;
    last_position_ = position;
  }
  std::vector<QuickAngle>& row = *last_row_;
  if (static_cast<size_t>(pair) >= row.size()) {
    quick_terms_ += static_cast<size_t>(pair) + 1 - row.size();
    row.resize(static_cast<size_t>(pair) + 1);
  }
  QuickAngle& quick = row[static_cast<size_t>(pair)];
  if (!quick.known) {
    ScopedPrecision precision(kFirstPrecision);
    quick = KnownTurn(position, FrequencyOf(pair));
  }
  return quick;
}

const std::array<double, 4>& AngleTerms::CountsOf(int64_t pair) const {
  const auto found = known_counts_.find(pair);
  return found != known_counts_.end() ? found->second
                                      : known_counts_.emplace(pair, counts_(pair)).first->second;
}

// BOUND-3. Position 0 has no error.
double AngleTerms::RelativeError(AngleForm form, int64_t position, int64_t pair,
                                 Format output) const {
  if (!counts_) return AngleError(form, OriginOf(pair), position, output);
  return gnomon::rope_scaling::ScaledAngleError(form, CountsOf(pair), position, output);
}

Interval AngleTerms::Error(const Profile& profile, Format output, int64_t position,
                           int64_t pair) const {
  if (LeavesTheRange(Midpoint(abs(At(position, pair).angle)), output)) return Interval(0);
  if (position == 0) return Interval(0);
  return RelativeError(profile.angle, position, pair, output) * abs(At(position, pair).angle) +
         AngleUnderflow<Interval>(profile.angle, position, output, profile.flushes);
}

std::array<double, kProfiles.size()> AngleTerms::QuickErrors(const Profiles& profiles,
                                                             Format output, int64_t position,
                                                             int64_t pair, double angle) const {
  while (quick_errors_.size() <= static_cast<size_t>(pair)) {
    const int64_t next = static_cast<int64_t>(quick_errors_.size());
    auto& errors = quick_errors_.emplace_back();
    for (size_t i = 0; i < kProfiles.size(); ++i)
      errors[i] = {RelativeError(kProfiles[i].angle, 1, next, output),
                   RelativeError(kProfiles[i].angle, kMaxPosition, next, output)};
  }
  const auto& relative = quick_errors_[static_cast<size_t>(pair)];
  const bool large = std::abs(static_cast<double>(position)) >
                     ExactPowerOfTwo(Traits(WorkingFormat(output)).precision);
  // The same for all forms but the exact one.
  const double underflow =
      AngleUnderflow<double>(AngleForm::kWorking, position, output, profiles.back().flushes);
  std::array<double, kProfiles.size()> errors{};
  if (position == 0) return errors;
  for (size_t i = 0; i < kProfiles.size(); ++i)
    if (!LeavesTheRange(angle, output))
      errors[i] =
          relative[i][large] * angle + (profiles[i].angle == AngleForm::kExact ? 0 : underflow);
  return errors;
}

double LogBaseUpperBound(const Number& base) {
  ScopedPrecision precision(kFirstPrecision);
  return mpfr_get_d(Upper(abs(log(Exactly<Interval>(base)))), MPFR_RNDU);
}

}  // namespace gnomon::reference
