// Resizing a learned table, as a contract (spec/learned.md, LEARNED-8 to LEARNED-12).
#ifndef GNOMON_SPEC_LEARNED_RESIZE_H_
#define GNOMON_SPEC_LEARNED_RESIZE_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon::learned {

// LEARNED-9.
enum class ResizeFilter { kBilinear, kBicubic };
// LEARNED-8. Where the outputs stand among the inputs.
enum class Coordinates { kHalfPixel, kAlignCorners };

inline const std::vector<std::string> kResizeFilterNames = {"bilinear", "bicubic"};
inline const std::vector<std::string> kCoordinatesNames = {"half_pixel", "align_corners"};

inline constexpr int64_t kMaxResized = int64_t{1} << 20;

// Inputs and outputs along one axis.
struct ResizedAxis {
  int64_t from = 1, to = 1;
  // LEARNED-12: the weight is 1, in any arithmetic.
  bool none() const { return from == 1 && to == 1; }
};

struct ResizeParameters {
  ResizedAxis rows, columns;  // a list of positions is a grid of one row
  int64_t width = 0;
  ResizeFilter filter = ResizeFilter::kBilinear;
  Coordinates coordinates = Coordinates::kHalfPixel;
  bool antialias = false;
  double a = 0;  // bicubic

  double half_width() const { return filter == ResizeFilter::kBilinear ? 1 : 2; }
  // LEARNED-10: how far the filter is stretched.
  double stretch(const ResizedAxis& axis) const {
    const double ratio = static_cast<double>(axis.from) / static_cast<double>(axis.to);
    return antialias ? std::max(ratio, 1.0) : 1.0;
  }
};

// The case has a table [row, column, width].
inline ResizeParameters ReadResize(const Case& c) {
  ParameterReader reader(c.parameters, "LEARNED-8");
  const Shape& shape = c.inputs.at("table").shape();
  ResizeParameters p;
  p.rows = {shape[0], reader.GetInteger("rows", shape[0], 1, kMaxResized)};
  p.columns = {shape[1], reader.GetRequiredInteger("columns", 1, kMaxResized)};
  p.width = shape[2];
  if (!reader.Has("filter"))
    throw Rejected("filter", "(missing)", "is required: bilinear or bicubic", "LEARNED-9");
  p.filter = reader.GetName("filter", p.filter, kResizeFilterNames);
  p.coordinates = reader.GetName("coordinates", p.coordinates, kCoordinatesNames);
  p.antialias = reader.GetFlag("antialias", p.antialias, "LEARNED-10");
  if (p.antialias && p.coordinates == Coordinates::kAlignCorners)
    throw Rejected("antialias", "true", "is not defined with coordinates align_corners",
                   "LEARNED-10");
  const bool cubic = p.filter == ResizeFilter::kBicubic;
  if (cubic != reader.Has("cubic_a"))
    throw Rejected("cubic_a", cubic ? "(missing)" : "(given)",
                   cubic ? "is required of filter bicubic" : "has no meaning for filter bilinear",
                   "LEARNED-9");
  const Number a = reader.GetNumber("cubic_a", 0);
  if (a.value < -1 || a.value > 0 || IsInexact(a))
    throw Rejected("cubic_a", Plain(a), "must be a value of float32 from -1 to 0", "LEARNED-9");
  p.a = a.value;
  reader.RejectOthers();
  return p;
}

// What makes up for the roundings of these lines themselves.
inline constexpr double kResizeEvaluated = 1 + 0x1p-44;

// LEARNED-12. D: how far off the argument of the filter may be, for output i.
inline double ArgumentError(const ResizeParameters& p, const ResizedAxis& axis, int64_t i,
                            Format output) {
  const double u = UnitRoundoff(WorkingFormat(output));
  const double at = static_cast<double>(i), n = static_cast<double>(axis.from),
               N = static_cast<double>(axis.to);
  double D = 0;
  if (p.coordinates == Coordinates::kAlignCorners) {
    D = axis.to == 1 ? 0 : Gamma(3, u) * (at * (n - 1) / (N - 1));
  } else {
    const double center = (at + 0.5) * n / N, r = p.stretch(axis);
    D = p.antialias ? Gamma(5, u) * (center + 0.5 + p.half_width() * r) / r
                    : Gamma(3, u) * (center + 0.5);
  }
  return D * kResizeEvaluated;
}

// LEARNED-12. How far off the filter's value may be at the argument s.
inline double FilterError(const ResizeParameters& p, double s, double D, Format output) {
  const double u = UnitRoundoff(WorkingFormat(output));
  const double t = std::min(std::abs(s) + D, p.half_width());
  if (p.filter == ResizeFilter::kBilinear) return (D + Gamma(2, u) * (1 + t)) * kResizeEvaluated;
  const double inner = (p.a + 2) * t * t * t + (p.a + 3) * t * t + 1;
  const double outer = -p.a * (t * t * t + 5 * t * t + 8 * t + 4);
  return (1.5 * D + Gamma(8, u) * std::max(inner, outer)) * kResizeEvaluated;
}

// LEARNED-12. The errors of the weights of one output along one axis, from the arguments of the
// inputs in reach and the filter's values there.
inline std::vector<double> WeightErrors(const ResizeParameters& p, const ResizedAxis& axis,
                                        int64_t i, const std::vector<double>& arguments,
                                        const std::vector<double>& values, Format output) {
  std::vector<double> errors(arguments.size(), 0.0);
  if (axis.none()) return errors;
  const double D = ArgumentError(p, axis, i, output);
  double sum = 0, size = 0, all = 0;
  for (size_t k = 0; k < arguments.size(); ++k) {
    errors[k] = FilterError(p, arguments[k], D, output);
    sum += values[k];
    size += std::abs(values[k]);
    all += errors[k];
  }
  if (!p.antialias) return errors;
  const double off =
      all + Gamma(static_cast<double>(arguments.size()), UnitRoundoff(WorkingFormat(output))) *
                (size + all);
  for (size_t k = 0; k < arguments.size(); ++k)
    errors[k] = off < sum
                    ? (errors[k] + std::abs(values[k]) / sum * off) / (sum - off) * kResizeEvaluated
                    : std::numeric_limits<double>::infinity();
  return errors;
}

// What the bound of an element is made of; sums over the pairs of inputs in reach, a and b their
// weights along the two axes, e and f the errors of those.
template <class T>
struct ResizeSums {
  T value = T(0);   // sum of a b P
  T size = T(0);    // S, the sum of |a b P|
  T moved = T(0);   // the sum of (|a| f + |b| e + e f) |P|
  T inputs = T(0);  // the sum of |P|
  double pairs = 0;
};

// LEARNED-12. |computed - y|.
template <class T>
T ResizeBound(const Profile& profile, Format output, const ResizeSums<T>& sums) {
  using std::abs;
  const Format arithmetic = FormatAt(profile.arithmetic, output);
  const T lost = (8 * sums.inputs + 6 * sums.pairs) * PowerOfTwo<T>(EtaExponent(arithmetic));
  const T error = sums.moved +
                  Gamma(sums.pairs + 7, UnitRoundoff(arithmetic)) * (sums.size + sums.moved) + lost;
  if (output == arithmetic) return error;
  const double v = UnitRoundoff(output);
  return v * abs(sums.value) + (1 + v) * error + PowerOfTwo<T>(EtaExponent(output));
}

// LEARNED-11. Whether arithmetic of the profile may overflow on the way to a finite number.
inline bool ResizeMayOverflow(const Profile& profile, Format output, double inputs) {
  return !(4 * inputs <= LargestFinite(FormatAt(profile.arithmetic, output)));
}

}  // namespace gnomon::learned

#endif  // GNOMON_SPEC_LEARNED_RESIZE_H_
