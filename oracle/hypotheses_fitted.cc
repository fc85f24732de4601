#include "gnomon/oracle/hypotheses_fitted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

namespace gnomon::oracle {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr size_t kMostRanges = 2048;

struct Range {
  double low, high;
};

// The angle as a function of what is fitted, monotone: t is ln base, ln divisor, or the offset.
struct Curve {
  const Observation* of;
  Fit fit;

  bool moves() const {
    const double w = of->frequency;
    if (fit == Fit::kBase) return of->exponent && *of->exponent > 0 && of->position != 0;
    if (fit == Fit::kOffset) return of->counted && w != 0;
    return of->position != 0 && w != 0;
  }
  double Angle(double t) const {
    const double p = static_cast<double>(of->position);
    if (fit == Fit::kBase) return of->exponent ? p * std::exp(-*of->exponent * t) : 0;
    return fit == Fit::kOffset ? (p + t) * of->frequency : p * of->frequency * std::exp(-t);
  }
  double Solve(double angle) const {
    const double p = static_cast<double>(of->position);
    if (fit == Fit::kOffset) return angle / of->frequency - p;
    if (fit == Fit::kBase) return -std::log(angle / p) / *of->exponent;
    return -std::log(angle / (p * of->frequency));
  }
};

Range Everything(Fit fit) {
  if (fit == Fit::kBase) return {std::log(1.01), std::log(1e12)};
  if (fit == Fit::kDivisor) return {-std::log(1024.0), std::log(1024.0)};
  return {-0x1p17, 0x1p17};
}

// Frequencies and angles of the kernel round, in whatever way.
double SlackOf(Format format) { return 32 * UnitRoundoff(WorkingFormat(format)); }

// The parts of a range where the curve passes through the observed angle, whole turns aside.
void Cut(const Curve& curve, const Range& range, double slack, std::vector<Range>* parts) {
  const double a = curve.Angle(range.low), b = curve.Angle(range.high);
  const double low = std::min(a, b), high = std::max(a, b);
  const double reach = curve.of->error + slack * std::max(std::abs(a), std::abs(b));
  const double own = curve.of->angle;
  for (double k = std::ceil((low - reach - own) / kTurn); own + k * kTurn <= high + reach; ++k) {
    const double from = std::max(low, own + k * kTurn - reach);
    const double to = std::min(high, own + k * kTurn + reach);
    // At an end of the range the end itself: no angle there is beyond it.
    const double s = from <= low ? (a <= b ? range.low : range.high) : curve.Solve(from);
    const double t = to >= high ? (a <= b ? range.high : range.low) : curve.Solve(to);
    parts->push_back({std::max(range.low, std::min(s, t)), std::min(range.high, std::max(s, t))});
  }
}

std::vector<Range> Merged(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.low < b.low; });
  std::vector<Range> merged;
  for (const Range& range : ranges) {
    if (!merged.empty() && range.low <= merged.back().high)
      merged.back().high = std::max(merged.back().high, range.high);
    else
      merged.push_back(range);
  }
  return merged;
}

// The decimal with the fewest digits between the two, both positive.
double Shortest(double low, double high) {
  for (int digits = 1; digits < 17; ++digits) {
    const double step = std::pow(10.0, std::floor(std::log10(high)) - digits + 1);
    const double v = std::round((low + high) / 2 / step) * step;
    if (low <= v && v <= high) return std::strtod(fmt::format("{:.15g}", v).c_str(), nullptr);
  }
  return (low + high) / 2;
}

}  // namespace

std::optional<FittedNumber> FitTo(const std::vector<Observation>& turns, Fit fit, Format format) {
  const Range all = Everything(fit);
  const double slack = SlackOf(format);
  std::vector<Curve> curves;
  for (const Observation& turn : turns)
    if (const Curve curve{&turn, fit}; curve.moves()) curves.push_back(curve);
  // Slow ones first: they leave no doubt about whole turns.
  const auto span = [&](const Curve& c) { return std::abs(c.Angle(all.high) - c.Angle(all.low)); };
  std::stable_sort(curves.begin(), curves.end(),
                   [&](const Curve& a, const Curve& b) { return span(a) < span(b); });
  std::vector<Range> ranges = {all};
  for (int round = 0; round < 2; ++round)
    for (const Curve& curve : curves) {
      double pieces = 0;
      for (const Range& r : ranges)
        pieces += std::abs(curve.Angle(r.high) - curve.Angle(r.low)) / kTurn + 1;
      if (pieces > kMostRanges) continue;  // later, when they are narrower
      std::vector<Range> parts;
      for (const Range& r : ranges) Cut(curve, r, slack, &parts);
      ranges = Merged(std::move(parts));
      if (ranges.empty()) return std::nullopt;
    }
  if (fit == Fit::kOffset)
    std::erase_if(ranges, [](const Range& r) { return std::ceil(r.low) > std::floor(r.high); });
  if (ranges.size() != 1) return std::nullopt;
  FittedNumber fitted;
  const Range r = ranges[0];
  double t = std::ceil(r.low);
  if (fit == Fit::kOffset) {
    if (t != std::floor(r.high)) return std::nullopt;
    fitted = {t, 0, std::log2(all.high - all.low)};
  } else {
    const double low = std::exp(r.low), high = std::exp(r.high);
    // Known to a hundredth, or not known.
    if (!(high < 1.01 * low)) return std::nullopt;
    fitted.value = Shortest(low, high);
    fitted.error = std::max(high - fitted.value, fitted.value - low);
    fitted.bits = std::log2((all.high - all.low) / std::max(r.high - r.low, 0x1p-40));
    t = std::log(fitted.value);
  }
  // Pairs that it moves, against the kernel without the mistake.
  std::set<int64_t> moved;
  for (const Curve& curve : curves) {
    const double own = static_cast<double>(curve.of->position) * curve.of->frequency;
    const double angle = curve.Angle(t);
    const double off = std::abs(std::remainder(angle - own, kTurn));
    if (off > 4 * (curve.of->error + slack * std::max(std::abs(own), std::abs(angle))))
      moved.insert(curve.of->pair);
  }
  if (moved.size() < 2) return std::nullopt;
  return fitted;
}

std::string FittedId(const Hypothesis& hypothesis, double value) {
  const std::string family = hypothesis.id.substr(0, hypothesis.id.find('/'));
  const std::string number = fmt::format("{:.12g}", value);
  switch (hypothesis.fit) {
    case Fit::kBase:
      return family + "/" + number;
    case Fit::kDivisor:
      return family + "/linear-" + number;
    case Fit::kOffset:
      return fmt::format("{}/{:+}", family, static_cast<int64_t>(value));
    default:
      return hypothesis.id;
  }
}

std::string FittedText(const Hypothesis& hypothesis, double value, double error) {
  const std::string number = fmt::format("{:.12g}", value);
  const std::string fitted = fmt::format(", fitted within {:.1e}", error);
  switch (hypothesis.fit) {
    case Fit::kFactor:
      return fmt::format("everything times {:.6g}", value);
    case Fit::kBase:
      return "frequencies of base " + number + fitted + ", whatever the case says";
    case Fit::kDivisor:
      return "positions divided by " + number + fitted + " (linear scaling)";
    case Fit::kOffset:
      return fmt::format("position {} {}", value < 0 ? '-' : '+', std::abs(value));
    default:
      return hypothesis.text;
  }
}

double ReachOf(const Prediction& p) {
  constexpr size_t kAngle = *ProfileFromName("f32-angle");
  if (p.kind != Prediction::kReal) return std::numeric_limits<double>::infinity();
  return std::max(p.high[kAngle] - p.value, p.value - p.low[kAngle]);
}

std::optional<Observation> ObservedTurn(double xa, double xb, double ya, double yb, double reach,
                                        Format format) {
  const double size = std::hypot(xa, xb);
  Observation turn;
  turn.angle = std::atan2(xa * yb - xb * ya, xa * ya + xb * yb);
  const double own = UnitRoundoff(format) * std::max(std::abs(ya), std::abs(yb));
  turn.error = 2 * (reach + own) / size;
  if (!(size > 0) || !std::isfinite(size) || !std::isfinite(turn.angle) || !(turn.error < 0.25))
    return std::nullopt;
  return turn;
}

}  // namespace gnomon::oracle
