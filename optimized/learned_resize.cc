// The idea: a resize is two passes of weighted sums of runs. For a row of the result, whole rows of
// the table, column by column and dim by dim, are added up with the weights of that axis into one
// buffer; of that the columns. Weights are formed in binary64 and rounded once, so what is left of
// the bound is for the sums (LEARNED-12).
#include "gnomon/optimized/learned_resize.h"

#include <cmath>
#include <cstring>

#include "gnomon/optimized/formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/learned_resize.cc"
// clang-format off
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y = w x, or y + w x.
void AddWeighted(const float* x, float w, size_t size, bool first, float* y) {
  const hn::ScalableTag<float> d;
  const auto weight = hn::Set(d, w);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= size; i += hn::Lanes(d)) {
    const auto from = hn::LoadU(d, x + i);
    hn::StoreU(first ? hn::Mul(weight, from) : hn::MulAdd(weight, from, hn::LoadU(d, y + i)), d,
               y + i);
  }
  for (; i < size; ++i) y[i] = first ? w * x[i] : w * x[i] + y[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(AddWeighted);

namespace {

using gnomon::learned::Coordinates;
using gnomon::learned::ResizedAxis;
using gnomon::learned::ResizeFilter;
using gnomon::learned::ResizeParameters;

// LEARNED-9 (AXES-6, AXES-8). Horner in |s|.
double FilterAt(const ResizeParameters& p, double s) {
  const double t = std::abs(s), a = p.a;
  if (p.filter == ResizeFilter::kBilinear) return t < 1 ? 1 - t : 0;
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? a * (((t - 5) * t + 8) * t - 4) : 0;
}

// LEARNED-8.
double CoordinateOf(const ResizeParameters& p, const ResizedAxis& axis, int64_t output) {
  const double i = static_cast<double>(output), n = static_cast<double>(axis.from),
               N = static_cast<double>(axis.to);
  if (p.coordinates == Coordinates::kHalfPixel) return ((2 * i + 1) * n / N - 1) / 2;
  return axis.to > 1 ? i * (n - 1) / (N - 1) : 0;
}

// sum of weight times run, the runs `stride` floats apart.
void SumRuns(const std::vector<WeightedInput>& weights, const float* from, size_t stride,
             size_t size, float* to) {
  bool first = true;
  for (const WeightedInput& w : weights) {
    HWY_DYNAMIC_DISPATCH(AddWeighted)
    (from + static_cast<size_t>(w.input) * stride, w.weight, size, first, to);
    first = false;
  }
}

}  // namespace

std::vector<WeightedInput> WeightsAlong(const ResizeParameters& p, const ResizedAxis& axis,
                                        int64_t output) {
  const double x = CoordinateOf(p, axis, output);
  // LEARNED-10.
  const double r =
      p.antialias ? std::max(1.0, static_cast<double>(axis.from) / static_cast<double>(axis.to))
                  : 1.0;
  const double around = r * (p.filter == ResizeFilter::kBilinear ? 1 : 2);
  const int64_t last = axis.from - 1;
  std::vector<std::pair<int64_t, double>> found;
  double sum = 0;
  for (int64_t j = static_cast<int64_t>(std::ceil(x - around));
       static_cast<double>(j) <= x + around; ++j) {
    if (p.antialias && (j < 0 || j > last)) continue;
    const double weight = FilterAt(p, (static_cast<double>(j) - x) / r);
    const int64_t input = std::min(std::max<int64_t>(j, 0), last);
    sum += weight;
    if (!found.empty() && found.back().first == input) {
      found.back().second += weight;
    } else {
      found.emplace_back(input, weight);
    }
  }
  std::vector<WeightedInput> weights;
  for (const auto& [input, weight] : found) {
    const float rounded = static_cast<float>(p.antialias ? weight / sum : weight);
    if (rounded != 0) weights.push_back({input, rounded});
  }
  return weights;
}

void ResizeTable(const ResizeParameters& p, const ConstTensorView& table,
                 const TensorView& resized) {
  const Format format = FormatOf(table.dtype);
  const int64_t size = SizeOf(table.dtype);
  const size_t width = static_cast<size_t>(p.width);
  const size_t run = static_cast<size_t>(p.columns.from) * width;
  const float* from = reinterpret_cast<const float*>(table.data);
  std::vector<float> copy;
  if (format != Format::kF32 || !table.contiguous()) {
    copy.reserve(static_cast<size_t>(p.rows.from) * run);
    for (int64_t i = 0; i < p.rows.from; ++i)
      for (int64_t j = 0; j < p.columns.from; ++j)
        for (int64_t k = 0; k < p.width; ++k)
          copy.push_back(DecodeToF32(
              format,
              table.data +
                  (i * table.strides[0] + j * table.strides[1] + k * table.strides[2]) * size));
    from = copy.data();
  }
  std::vector<std::vector<WeightedInput>> columns;
  for (int64_t j = 0; j < p.columns.to; ++j) columns.push_back(WeightsAlong(p, p.columns, j));
  std::vector<float> row(run), cell(width);
  // AXES-9: over the rows, then over the columns.
  for (int64_t i = 0; i < p.rows.to; ++i) {
    SumRuns(WeightsAlong(p, p.rows, i), from, run, run, row.data());
    for (int64_t j = 0; j < p.columns.to; ++j) {
      SumRuns(columns[static_cast<size_t>(j)], row.data(), width, width, cell.data());
      // LEARNED-11: NaN and infinities go through the sums.
      for (int64_t k = 0; k < p.width; ++k)
        StoreBits(
            resized.dtype,
            resized.data +
                (i * resized.strides[0] + j * resized.strides[1] + k * resized.strides[2]) * size,
            EncodeF32(format, cell[static_cast<size_t>(k)]));
    }
  }
}

void LookUpGrid(const ConstTensorView& table, const ConstTensorView& positions,
                const TensorView& rows) {
  const int64_t size = SizeOf(table.dtype), tokens = positions.shape[1], width = table.shape[2];
  for (int64_t token = 0; token < tokens; ++token) {
    const int64_t row = IntegerAt(positions, token), column = IntegerAt(positions, tokens + token);
    if (row < 0 || row >= table.shape[0] || column < 0 || column >= table.shape[1])
      throw Rejected("positions", std::to_string(row) + ", " + std::to_string(column),
                     "is no place of the table", "AXES-7");
    const std::byte* from =
        table.data + (row * table.strides[0] + column * table.strides[1]) * size;
    std::byte* to = rows.data + token * rows.strides[0] * size;
    for (int64_t k = 0; k < width; ++k)
      std::memcpy(to + k * rows.strides[1] * size, from + k * table.strides[2] * size,
                  static_cast<size_t>(size));
  }
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
