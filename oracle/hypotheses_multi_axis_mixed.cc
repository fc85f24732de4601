#include "gnomon/oracle/hypotheses_multi_axis_mixed.h"

#include <cmath>
#include <limits>

#include "gnomon/reference/certify.h"
#include "gnomon/spec/multi_axis.h"

namespace gnomon::oracle::multi_axis {

using reference::Interval;
using reference::Midpoint;

double MixedChange::Frequency(const ConstTensorView& w, int64_t axis, int64_t head,
                              int64_t pair) const {
  const int64_t axes = w.shape[0], lists = w.shape[1], pairs = w.shape[2];
  if (first_list) axis = 0;
  if (first_head || lists == 1) head = 0;
  const int64_t list = heads_first ? head * axes + axis : axis * lists + head;
  return ValueAt(w, list * pairs + pair);
}

Turn MixedTurn(Format format, const Change& change, const std::vector<MixedTerm>& terms) {
  Turn turn;
  int64_t count = 0;
  bool rounded = false;
  double positions = 0;
  reference::ScopedPrecision precision(512);  // products of 2^160 cancel, and keep 300 bits
  Interval angle(0), products(0);
  for (const MixedTerm& term : terms) {
    const std::optional<int64_t> p =
        change.position ? change.position(term.position) : term.position;
    double w = term.frequency;
    if (change.frequencies_in) w = RoundToFormat(*change.frequencies_in, w);
    if (w == 0 && change.zero_frequency) w = *change.zero_frequency;
    if (change.absolute_frequency) w = std::abs(w);
    if (!p || !std::isfinite(w)) {
      turn.cos = turn.sin = std::nan("");
      return turn;
    }
    Interval product = Interval(*p) * Interval(w);
    if (change.inverse && w != 0) product = Interval(*p) / Interval(w);
    angle += product;
    products += abs(product);
    if (*p == 0 || w == 0) continue;
    ++count;
    rounded |= gnomon::multi_axis::IsPositionRounded(*p, format);
    positions += std::abs(static_cast<double>(*p));
  }
  const double size = Midpoint(products), whole = Midpoint(angle);
  turn.angle = std::abs(whole);
  turn.cos = Midpoint(cos(angle));
  turn.sin = Midpoint(sin(angle));
  if (!gnomon::multi_axis::LeavesTheRange(size, format))
    for (size_t i = 0; i < kProfiles.size(); ++i)
      turn.D[i] = gnomon::multi_axis::MixedAngleError<double>(kProfiles[i], format, count, rounded,
                                                              size, positions);
  const Format working = WorkingFormat(format);
  if (change.any)  // granted as Turns::At grants it
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      turn.D[i] += size * 0x1p-51;
      if (kProfiles[i].angle == AngleForm::kExact) continue;
      if (change.working_positions) turn.D[i] = std::numeric_limits<double>::infinity();
      if (change.inverse) turn.D[i] += size * Gamma(2, UnitRoundoff(working));
    }
  if (change.angles_in) {
    const double a = RoundToFormat(*change.angles_in, whole);
    turn.cos = std::cos(a);
    turn.sin = std::sin(a);
    turn.D.fill(0);
  }
  if (change.float_two_pi) ReduceShort(whole, &turn);
  TabulateTurn(change, format, &turn);
  return turn;
}

}  // namespace gnomon::oracle::multi_axis
