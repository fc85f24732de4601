#include "gnomon/oracle/predict_resize.h"

#include <algorithm>
#include <cmath>

namespace gnomon::oracle::learned {
namespace {

using gnomon::learned::Coordinates;
using gnomon::learned::ResizeBound;
using gnomon::learned::ResizedAxis;
using gnomon::learned::ResizeFilter;
using gnomon::learned::ResizeParameters;

// LEARNED-9: the cubic through its factors, (1 - s)(1 + s - (a + 2) s^2) and a (s - 1)(s - 2)^2.
double Filtered(const ResizeParameters& p, double s) {
  s = std::abs(s);
  if (s >= p.half_width()) return 0;
  if (p.filter == ResizeFilter::kBilinear) return 1 - s;
  if (s < 1) return (1 - s) * (1 + s - (p.a + 2) * s * s);
  return p.a * (s - 1) * (s - 2) * (s - 2);
}

}  // namespace

ResizePredictor::ResizePredictor(const Case& c, const Case& parameters, const Change& shared,
                                 const ResizeChange& change, Entry entry)
    : format_(c.format),
      shared_(shared),
      change_(change),
      p_(gnomon::learned::ReadResize(parameters)),
      entry_(std::move(entry)) {
  p_.width = c.inputs.at("table").shape().back();
  if (change.place == ResizeChange::kOtherCorners)
    p_.coordinates = p_.coordinates == Coordinates::kHalfPixel ? Coordinates::kAlignCorners
                                                               : Coordinates::kHalfPixel;
  if (change.plain) p_.antialias = false;
  if (change.stretched && p_.coordinates == Coordinates::kHalfPixel) p_.antialias = true;
  if (change.other_coefficient) p_.a = p_.a == -0.75 ? -0.5 : -0.75;
  if (change.bilinear) p_.filter = ResizeFilter::kBilinear;
  for (int64_t i = 0; i < p_.rows.to; ++i) rows_.push_back(TapsOf(true, i));
  for (int64_t i = 0; i < p_.columns.to; ++i) columns_.push_back(TapsOf(false, i));
}

// LEARNED-8: where the output stands among the inputs.
double ResizePredictor::Placed(bool rows, int64_t output) const {
  const ResizedAxis& axis =
      rows != (change_.place == ResizeChange::kExchangedAxes) ? p_.rows : p_.columns;
  const double n = static_cast<double>(axis.from), i = static_cast<double>(output);
  double N = static_cast<double>(axis.to);
  if (p_.coordinates == Coordinates::kAlignCorners) {
    if (axis.to == 1) return 0;
    if (change_.place != ResizeChange::kTenthLarger) return i * (n - 1) / (N - 1);
    return i * (n - 1) / (N + 0.1 - 1);
  }
  if (change_.place == ResizeChange::kTenthLarger) N += 0.1;
  return change_.place == ResizeChange::kNoHalfPixel ? i * n / N : (i + 0.5) * n / N - 0.5;
}

std::vector<ResizePredictor::Tap> ResizePredictor::TapsOf(bool rows, int64_t output) const {
  const ResizedAxis& axis = rows ? p_.rows : p_.columns;
  const int64_t last = axis.from - 1;
  const bool placed =
      change_.place == ResizeChange::kAsAsked || change_.place == ResizeChange::kOtherCorners;
  const double x = Placed(rows, output);
  if (change_.nearest)
    return {{std::clamp<int64_t>(static_cast<int64_t>(std::floor(x + 0.5)), 0, last), 1, 0}};
  if (axis.none() && placed) return {{0, 1, 0}};
  ResizedAxis sized = axis;
  if (change_.place == ResizeChange::kExchangedAxes) sized = rows ? p_.columns : p_.rows;
  double r = p_.stretch(sized);
  if (p_.antialias && change_.place == ResizeChange::kTenthLarger)
    r = std::max(1.0, static_cast<double>(sized.from) / (static_cast<double>(sized.to) + 0.1));
  // With aligned corners, as torch has it.
  if (p_.antialias && p_.coordinates == Coordinates::kAlignCorners)
    r = sized.to > 1
            ? std::max(1.0, static_cast<double>(sized.from - 1) / static_cast<double>(sized.to - 1))
            : 1;
  const double D = ArgumentError(p_, sized, output, format_);
  const double reach = (p_.half_width() + D) * r;
  std::vector<Tap> taps;
  std::vector<double> arguments, values;
  double sum = 0;
  for (double j = std::floor(x - reach); j <= x + reach; ++j) {
    if (std::abs(j - x) > reach) continue;
    int64_t input = static_cast<int64_t>(j);
    const bool outside = input < 0 || input > last;
    if (outside && p_.antialias && !change_.taps_clamped) continue;
    if (outside && !p_.antialias && change_.beyond == ResizeChange::kZero) continue;
    if (outside && !p_.antialias && change_.beyond == ResizeChange::kReflected)
      input = input < 0 ? -input : 2 * last - input;
    arguments.push_back((j - x) / r);
    values.push_back(Filtered(p_, arguments.back()));
    sum += values.back();
    taps.push_back({std::clamp<int64_t>(input, 0, last), values.back(), 0});
  }
  // What a mistaken kernel rounds is like what a right one does.
  ResizedAxis rounded = sized;
  if (rounded.none()) rounded.from = 2;
  const std::vector<double> errors = WeightErrors(p_, rounded, output, arguments, values, format_);
  for (size_t k = 0; k < taps.size(); ++k) {
    taps[k].error = errors[k];
    if (p_.antialias) taps[k].weight /= change_.by_stretch ? r : sum;
  }
  return taps;
}

int64_t ResizePredictor::NumberOf(const Tap& row, const Tap& column, int64_t dim) const {
  const int64_t place = change_.columns_first ? column.input * p_.rows.from + row.input
                                              : row.input * p_.columns.from + column.input;
  return place * p_.width + dim;
}

// A sum over rows of sums over columns, each addition rounded to bf16: between the ends that the
// errors of the weights leave, which are mostly one number.
Prediction ResizePredictor::InBf16(const std::vector<Tap>& rows, const std::vector<Tap>& columns,
                                   int64_t dim) const {
  struct Ends {
    double low = 0, high = 0;
  };
  const auto add = [](Ends* sum, const Tap& by, const Ends& v) {
    const double moved = by.error * std::max(std::abs(v.low), std::abs(v.high));
    const double a = by.weight * v.low, b = by.weight * v.high;
    sum->low = RoundToFormat(Format::kBf16, sum->low + std::min(a, b) - moved);
    sum->high = RoundToFormat(Format::kBf16, sum->high + std::max(a, b) + moved);
  };
  Ends sum;
  for (const Tap& row : rows) {
    Ends inner;
    for (const Tap& column : columns) {
      const std::optional<double> P = entry_(NumberOf(row, column, dim));
      if (!P) return {};
      add(&inner, column, {*P, *P});
    }
    add(&sum, row, inner);
  }
  const double middle = sum.low / 2 + sum.high / 2;
  if (!std::isfinite(middle)) return {};
  return Stored(shared_, format_, middle, sum.high - middle, {}, {});
}

Prediction ResizePredictor::At(int64_t element) const {
  const int64_t place = element / p_.width, dim = element % p_.width;
  const std::vector<Tap>& rows = rows_[static_cast<size_t>(place / p_.columns.to)];
  const std::vector<Tap>& columns = columns_[static_cast<size_t>(place % p_.columns.to)];
  gnomon::learned::ResizeSums<double> sums;
  bool certain = false, doubtful = false;
  double non_finite = 0;
  for (const Tap& a : rows)
    for (const Tap& b : columns) {
      const std::optional<double> P = entry_(NumberOf(a, b, dim));
      if (!P) return {};
      ++sums.pairs;
      if (!std::isfinite(*P)) {
        const bool counts = std::abs(a.weight) > a.error && std::abs(b.weight) > b.error;
        (counts ? certain : doubtful) = true;
        non_finite += *P;
        continue;
      }
      const double size = std::abs(*P);
      sums.value += a.weight * b.weight * *P;
      sums.size += std::abs(a.weight * b.weight) * size;
      sums.moved +=
          (std::abs(a.weight) * b.error + std::abs(b.weight) * a.error + a.error * b.error) * size;
      sums.inputs += size;
    }
  // LEARNED-11.
  if (certain) return NonFinite(shared_, format_, non_finite);
  if (doubtful) return {};
  if (std::isnan(sums.value)) return NonFinite(shared_, format_, sums.value);
  if (change_.sums_in_bf16) return InBf16(rows, columns, dim);
  PerProfile bound, narrow;
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    bound[i] = ResizeBound<double>(kProfiles[i], format_, sums);
    narrow[i] = ResizeBound<double>(kProfiles[i], WorkingFormat(format_), sums);
  }
  const double radius = sums.inputs * (sums.pairs + 8) * 0x1p-43 + 0x1p-1000;
  Prediction p = Stored(shared_, format_, sums.value, radius, bound, narrow);
  for (size_t i = 0; i < kProfiles.size(); ++i)
    if (!kProfiles[i].correctly_rounded &&
        gnomon::learned::ResizeMayOverflow(kProfiles[i], format_, sums.inputs))
      p.open |= 1u << i;
  return p;
}

}  // namespace gnomon::oracle::learned
