// Plain kernels of the operations on learned positions, and the mistakes people make in them. Each
// is one precise change, marked by Is().
#include <algorithm>
#include <cmath>

#include "gnomon/properties/plain_kernel.h"
#include "gnomon/spec/learned.h"
#include "gnomon/spec/learned_resize.h"

namespace gnomon::properties::learned {
namespace {

using gnomon::learned::Coordinates;
using gnomon::learned::LookupParameters;
using gnomon::learned::ReadLookup;
using gnomon::learned::ResizedAxis;
using gnomon::learned::ResizeFilter;
using gnomon::learned::ResizeParameters;

enum class M {
  kNone,
  kOffsetIgnored,
  kOffsetTwo,
  kOffsetSubtracted,
  kPlusOne,
  kCumulativeFromOne,
  kMaskIgnored,
  kPaddingNext,
  kPaddingZero,
  kMaskAcrossRows,
  kMaskInverted,
  kArange,
  kBatchZero,
  kClamps,
  kWraps,
  kReadsAcross,
  kNotAdded,
  kAddsTwice,
  kOneRowForAll,
  kScaled,
  kBf16Table,
  kStalePrevious,
  kInputStrides,
  kOutputStrides,
  kReadsPadding,
  kTailSkipped,
  kTailBeyond,
  kShortOffsets,
  kWritesInput,
  kOverwrittenTwice,
  kMagnitude,
  kBf16Arithmetic,
  kTruncates,
  kRoundsTwice,
  kSaturates,
  kFlushesResult,
  kFlushesInput,
  kNanAsZero,
  kCapsInfinity,
  kResizeCorners,
  kResizeNoHalf,
  kResizeNoAntialias,
  kResizeAntialias,
  kResizeCoefficient,
  kResizeFilter,
  kResizeNearest,
  kResizeZeros,
  kResizeReflects,
  kResizeTapsClamped,
  kResizeUnnormalised,
  kResizeAxes,
  kResizeTransposed,
  kResizeScaleFactor,
  kGridSwapped,
  kGridStride,
  kGridTransposed,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

constexpr MistakeRow<M> kRows[] = {
    {M::kOffsetIgnored, "learned-offset/ignored", "offset left out", kFormula, "standard"},
    {M::kOffsetTwo, "learned-offset/two", "offset 2, whatever is asked", kFormula, "standard"},
    {M::kOffsetSubtracted, "learned-offset/subtracted", "t - offset, counted from the end",
     kFormula, "standard"},
    {M::kPlusOne, "learned-offset/one-more", "positions from 1", kFormula, "standard"},
    {M::kCumulativeFromOne, "learned-mask/from-one", "the sum of the mask for the sum less one",
     kFormula, "standard"},
    {M::kMaskIgnored, "learned-mask/ignored", "0..T-1 whatever the mask says", kFormula,
     "standard"},
    {M::kPaddingNext, "learned-mask/padding-counted", "padding has the position of the last token",
     kFormula, "standard"},
    {M::kPaddingZero, "learned-mask/padding-zero", "padding at position 0", kFormula, "standard"},
    {M::kMaskAcrossRows, "learned-mask/across", "the count goes on from one sequence to the next",
     kFormula, "standard"},
    {M::kMaskInverted, "learned-mask/inverted", "1 taken as padding", kFormula, "standard"},
    {M::kArange, "arange-positions", "0..T-1 whatever the positions are", kFormula, "standard"},
    {M::kBatchZero, "row-positions", "positions of batch row 0 for every row", kFormula,
     "standard"},
    {M::kClamps, "table-clamp/last", "the last row never read: clamped to the one before", kFormula,
     "standard"},
    {M::kWraps, "table-wrap/last", "the last row never read: row 0 for it", kFormula, "standard"},
    {M::kReadsAcross, "learned-table/transposed", "the table read as [width, row]", kFormula,
     "standard"},
    {M::kNotAdded, "learned-add/left-out", "the row not added", kFormula, "standard"},
    {M::kAddsTwice, "learned-add/twice", "the row added twice", kFormula, "standard"},
    {M::kOneRowForAll, "learned-add/first-token", "the first token's row for all", kFormula,
     "standard"},
    {M::kScaled, "learned-add/scaled", "x times the square root of the width", kFormula,
     "standard"},
    {M::kBf16Table, "learned-table/bf16", "the table rounded to bf16", kFormula, "standard"},
    {M::kStalePrevious, "stale-table/previous", "positions of the previous call", kState,
     "standard"},
    {M::kInputStrides, "stride-ignored/input", "inputs taken as contiguous", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/output", "output taken as contiguous", kState, "standard"},
    {M::kReadsPadding, "stride-ignored/padding", "reads past the end of a row", kState, "standard"},
    {M::kTailSkipped, "tail-vector", "last elements of a row not written", kState, "standard"},
    {M::kTailBeyond, "tail-overwrite", "whole vectors stored past the row", kState, "standard"},
    {M::kShortOffsets, "int32-index/16-bits", "offsets in 16 bits", kState, "standard"},
    {M::kWritesInput, "in-place/input", "writes the sum into x", kState, "standard"},
    {M::kOverwrittenTwice, "in-place/twice", "in place the row is added twice", kState, "standard"},
    {M::kMagnitude, "magnitude", "everything times 1.0003", kFormula, "standard"},
    {M::kBf16Arithmetic, "sum-16bit", "the sum in bf16", kFormula, "standard"},
    {M::kTruncates, "bf16-truncated", "bf16 by dropping bits", kFormula, "standard"},
    {M::kSaturates, "f16-saturated", "overflow gives the largest number", kFormula, "standard"},
    {M::kFlushesResult, "subnormals-flushed/result", "subnormal results become 0", kFormula,
     "standard"},
    {M::kFlushesInput, "subnormals-flushed/input", "subnormal inputs count as 0", kFormula,
     "standard"},
    {M::kNanAsZero, "nan-lost/as-zero", "NaN inputs count as 0", kFormula, "standard"},
    {M::kCapsInfinity, "nan-lost/infinity", "infinite results become the largest number", kFormula,
     "standard"},
    {M::kResizeCorners, "learned-resize/corners", "the other convention of corners", kFormula,
     "standard"},
    {M::kResizeNoHalf, "learned-resize/half-pixel", "i n / N: the half pixel left out", kFormula,
     "standard"},
    {M::kResizeNoAntialias, "learned-resize/antialias", "no antialiasing where it is asked",
     kFormula, "standard"},
    {M::kResizeAntialias, "learned-resize/antialias-always", "antialiasing where it is not asked",
     kFormula, "standard"},
    {M::kResizeCoefficient, "learned-resize/coefficient", "a = -1/2 for -3/4, or the reverse",
     kFormula, "standard"},
    {M::kResizeFilter, "learned-resize/filter", "bilinear for bicubic", kFormula, "standard"},
    {M::kResizeNearest, "learned-resize/nearest", "the nearest input alone", kFormula, "standard"},
    {M::kResizeZeros, "learned-resize/zeros", "inputs beyond the ends count as 0", kFormula,
     "standard"},
    {M::kResizeReflects, "learned-resize/reflected", "inputs beyond the ends reflected", kFormula,
     "standard"},
    {M::kResizeTapsClamped, "learned-resize/taps-clamped",
     "antialiased: weights beyond the ends on the end itself", kFormula, "standard"},
    {M::kResizeUnnormalised, "learned-resize/unnormalised",
     "antialiased: weights divided by the stretch, not by their sum", kFormula, "standard"},
    {M::kResizeAxes, "learned-resize/axes", "sizes of the axes exchanged", kFormula, "standard"},
    {M::kResizeTransposed, "learned-resize/row-major", "the table read as [column, row, width]",
     kFormula, "standard"},
    {M::kResizeScaleFactor, "learned-resize/scale-factor",
     "the ratio of sizes that are a tenth larger", kFormula, "standard"},
    {M::kGridSwapped, "learned-grid/swapped", "row and column of a place exchanged", kFormula,
     "standard"},
    {M::kGridStride, "learned-grid/stride", "row x X + y for x Y + y", kFormula, "standard"},
    {M::kGridTransposed, "learned-grid/column-major", "row y X + x for x Y + y", kFormula,
     "standard"},
};

constexpr int64_t kLanes = 4;

class PlainLearned : public PlainKernel<M> {
 public:
  PlainLearned(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "learned") {}

  // Correctly rounded resizes are a matter of exact arithmetic: none here promises them.
  bool Declares(const std::string& operation, Format format) const override {
    if (operation == "learned.resize" && promise().correctly_rounded) return false;
    return PlainKernel::Declares(operation, format);
  }

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    if (c.operation == "learned.resize") return Resize(c, outputs.at("resized"));
    if (c.operation == "learned.lookup_2d") return LookUpGrid(c, outputs.at("rows"));
    const bool add = c.operation == "learned.add";
    const TensorView& out = outputs.at(add ? "y" : "rows");
    const Tensor& table = c.inputs.at("table");
    const int64_t width = table.shape()[1];
    const std::vector<int64_t> rows = RowsOf(c);
    ConstTensorView x;
    if (add) x = c.in_place.empty() ? c.inputs.at("x").view() : ConstTensorView(out);
    for (int64_t i = 0; i < out.count(); ++i) {
      size_t token = static_cast<size_t>(i / width) % rows.size();
      if (add && Is(M::kOneRowForAll)) token = 0;
      int64_t number = rows[token] * width + i % width;
      if (Is(M::kReadsAcross)) number = i % width * table.shape()[0] + rows[token];
      if (!add) {
        Copy(table, number, out, i);
        continue;
      }
      const std::byte* address = In(x, i);
      const double value = ValueAt(c.inputs.at("x"), x, i, address);
      double p = ValueAt(table, table.view(), number, In(table.view(), number));
      if (Is(M::kBf16Table)) p = RoundToFormat(Format::kBf16, p);
      double sum = Sum(Is(M::kScaled) ? value * std::sqrt(static_cast<double>(width)) : value, p);
      if (Is(M::kNotAdded)) sum = value;
      if (Is(M::kAddsTwice) || (Is(M::kOverwrittenTwice) && !c.in_place.empty())) sum = Sum(sum, p);
      if (!Written(out, i)) continue;
      StoreAt(out, Address(out, i), Is(M::kMagnitude) ? sum * 1.0003 : sum);
      if (Is(M::kWritesInput) && c.in_place.empty())
        StoreBits(x.dtype, const_cast<std::byte*>(address), LoadBits(out.dtype, Address(out, i)));
    }
    return {};
  }

 private:
  double Sum(double a, double b) const {
    if (Is(M::kBf16Arithmetic)) return RoundToFormat(Format::kBf16, a + b);
    return rounding().float64 ? a + b : Rounded(a + b);
  }
  const std::byte* In(const ConstTensorView& view, int64_t number) const {
    int64_t offset = Is(M::kInputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    return view.data + offset * SizeOf(view.dtype);
  }
  // `of`: what the row lies in.
  double ValueAt(const Tensor& of, const ConstTensorView& view, int64_t number,
                 const std::byte* address) const {
    double value = Read(DecodeBits(format_, LoadBits(view.dtype, address)));
    if (Is(M::kReadsPadding) && number % view.shape.back() == view.shape.back() - 1)
      value += 0 * ReadPast(of, address + view.strides.back() * SizeOf(view.dtype));
    return value;
  }
  std::byte* Address(const TensorView& view, int64_t number) const {
    int64_t offset = Is(M::kOutputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    return view.data + offset * SizeOf(view.dtype);
  }
  bool Written(const TensorView& view, int64_t number) const {
    const int64_t width = view.shape.back(), column = number % width;
    if (Is(M::kTailBeyond) && column == width - 1 && width % kLanes != 0)
      StoreBits(view.dtype, Address(view, number) + view.strides.back() * SizeOf(view.dtype), 0);
    return !Is(M::kTailSkipped) || column < width / kLanes * kLanes;
  }
  void Copy(const Tensor& from, int64_t number, const TensorView& to, int64_t element) const {
    if (!Written(to, element)) return;
    uint64_t bits = LoadBits(from.dtype(), In(from.view(), number));
    double value = DecodeBits(format_, bits);
    const bool zero =
        (Is(M::kNanAsZero) && std::isnan(value)) || (Is(M::kFlushesInput) && Read(value) == 0);
    if (zero) bits = 0;
    if (Is(M::kBf16Table)) value = RoundToFormat(Format::kBf16, value);
    if (Is(M::kMagnitude)) value *= 1.0003;
    if (Is(M::kMagnitude) || Is(M::kBf16Table)) return StoreAt(to, Address(to, element), value);
    StoreBits(to.dtype, Address(to, element), bits);
  }

  // AXES-7: inside the table whatever the mistake.
  Outcome LookUpGrid(const Case& c, const TensorView& out) {
    const Tensor &table = c.inputs.at("table"), &positions = c.inputs.at("positions");
    const int64_t X = table.shape()[0], Y = table.shape()[1], width = table.shape()[2];
    const int64_t tokens = positions.shape()[1];
    for (int64_t i = 0; i < out.count(); ++i) {
      const int64_t token = i / width;
      int64_t x = positions.Integer(token), y = positions.Integer(tokens + token);
      if (Is(M::kArange)) x = token % X, y = token % Y;
      if (Is(M::kGridSwapped)) std::swap(x, y);
      int64_t row = x * Y + y;
      if (Is(M::kGridStride)) row = x * X + y;
      if (Is(M::kGridTransposed)) row = y * X + x;
      Copy(table, row % (X * Y) * width + i % width, out, i);
    }
    return {};
  }

  // The inputs of one output along one axis, each with its weight.
  using Taps = std::vector<std::pair<int64_t, double>>;

  // LEARNED-9, in float32 as it is deployed, or in float64.
  template <class F>
  F FilterAt(ResizeFilter filter, F a, F s) const {
    s = std::abs(s);
    if (filter == ResizeFilter::kBilinear) return s < 1 ? 1 - s : 0;
    if (s <= 1) return ((a + 2) * s - (a + 3)) * s * s + 1;
    return s < 2 ? ((s - 5) * s + 8) * s * a - 4 * a : 0;
  }

  template <class F>
  Taps TapsOf(const ResizeParameters& p, const ResizedAxis& axis, const ResizedAxis& other,
              int64_t output) const {
    const bool aligned = (p.coordinates == Coordinates::kAlignCorners) != Is(M::kResizeCorners);
    const bool antialias =
        (p.antialias && !Is(M::kResizeNoAntialias)) || (Is(M::kResizeAntialias) && !aligned);
    ResizeFilter filter = p.filter;
    F a = static_cast<F>(p.a);
    if (Is(M::kResizeCoefficient)) a = p.a == -0.75 ? F(-0.5) : F(-0.75);
    if (Is(M::kResizeFilter)) filter = ResizeFilter::kBilinear;
    const ResizedAxis& sized = Is(M::kResizeAxes) ? other : axis;
    F n = static_cast<F>(sized.from), N = static_cast<F>(sized.to);
    if (Is(M::kResizeScaleFactor)) N += F(0.1);
    const F scale = !aligned ? n / N : sized.to > 1 ? (n - 1) / (N - 1) : F(0);
    const F i = static_cast<F>(output), half = Is(M::kResizeNoHalf) || aligned ? F(0) : F(0.5);
    const F x = scale * (i + half) - half;
    const F reach = filter == ResizeFilter::kBilinear ? F(1) : F(2);
    const int64_t last = axis.from - 1;
    Taps taps;
    if (Is(M::kResizeNearest)) {
      const int64_t nearest = static_cast<int64_t>(std::floor(x + F(0.5)));
      return {{std::clamp<int64_t>(nearest, 0, last), 1.0}};
    }
    if (antialias) {
      const F r = std::max(scale, F(1));
      F sum = 0;
      for (F j = std::ceil(x - reach * r); j <= x + reach * r; ++j) {
        const int64_t input = static_cast<int64_t>(j);
        if ((input < 0 || input > last) && !Is(M::kResizeTapsClamped)) continue;
        const F weight = FilterAt<F>(filter, a, (j - x) / r);
        sum += weight;
        taps.emplace_back(std::clamp<int64_t>(input, 0, last), weight);
      }
      for (auto& [input, weight] : taps)
        weight = static_cast<F>(weight) / (Is(M::kResizeUnnormalised) ? r : sum);
      return taps;
    }
    const F floor = std::floor(x), t = x - floor;
    for (F k = 1 - reach; k <= reach; ++k) {
      int64_t input = static_cast<int64_t>(floor + k);
      if (Is(M::kResizeZeros) && (input < 0 || input > last)) continue;
      if (Is(M::kResizeReflects)) input = input < 0 ? -input : std::min(input, 2 * last - input);
      taps.emplace_back(std::clamp<int64_t>(input, 0, last), FilterAt<F>(filter, a, t - k));
    }
    return taps;
  }
  std::vector<Taps> AllTaps(const ResizeParameters& p, bool rows) const {
    const ResizedAxis &axis = rows ? p.rows : p.columns, &other = rows ? p.columns : p.rows;
    std::vector<Taps> all;
    for (int64_t i = 0; i < axis.to; ++i)
      all.push_back(rounding().float64 ? TapsOf<double>(p, axis, other, i)
                                       : TapsOf<float>(p, axis, other, i));
    return all;
  }

  // sum + w v
  double Added(double sum, double w, double v) const {
    if (rounding().float64) return sum + w * v;
    if (Is(M::kBf16Arithmetic)) return RoundToFormat(Format::kBf16, sum + w * v);
    if (rounding().fused == Rounding::kFirst) return Fused(w, v, sum);
    return Rounded(sum + Rounded(w * v));
  }
  double Narrowed(double weight) const { return rounding().float64 ? weight : Rounded(weight); }

  Outcome Resize(const Case& c, const TensorView& out) {
    const ResizeParameters p = gnomon::learned::ReadResize(c);
    const Tensor& table = c.inputs.at("table");
    std::vector<Taps> rows = AllTaps(p, true), columns = AllTaps(p, false);
    if (Is(M::kStalePrevious)) {
      const Shape sizes = {p.rows.from, p.rows.to, p.columns.from, p.columns.to};
      rows.swap(previous_rows_);
      columns.swap(previous_columns_);
      const bool fits = previous_sizes_ == sizes;
      previous_sizes_ = sizes;
      if (!fits) rows = previous_rows_, columns = previous_columns_;
    }
    const int64_t h = p.rows.from, w = p.columns.from, width = p.width;
    for (int64_t i = 0; i < out.count(); ++i) {
      const int64_t place = i / width;
      const auto entry = [&](int64_t row, int64_t column) {
        int64_t number = (row * w + column) * width + i % width;
        if (Is(M::kResizeTransposed)) number = (column * h + row) * width + i % width;
        const double v = ValueAt(table, table.view(), number, In(table.view(), number));
        return Is(M::kBf16Table) ? RoundToFormat(Format::kBf16, v) : v;
      };
      const Taps& down = rows[static_cast<size_t>(place / p.columns.to)];
      const Taps& across = columns[static_cast<size_t>(place % p.columns.to)];
      double sum = 0;
      if (rounding().sum == Rounding::kBackward) {
        // Weights multiplied first, from the end.
        for (size_t r = down.size(); r-- > 0;)
          for (size_t k = across.size(); k-- > 0;)
            sum = Added(sum, Narrowed(Narrowed(down[r].second) * Narrowed(across[k].second)),
                        entry(down[r].first, across[k].first));
      } else {
        for (const auto& [row, a] : down) {
          double inner = 0;
          for (const auto& [column, b] : across)
            inner = Added(inner, Narrowed(b), entry(row, column));
          sum = Added(sum, Narrowed(a), inner);
        }
      }
      if (!Written(out, i)) continue;
      StoreAt(out, Address(out, i), Is(M::kMagnitude) ? sum * 1.0003 : sum);
    }
    return {};
  }

  // LEARNED-1, LEARNED-2, LEARNED-4: inside the table whatever the mistake.
  std::vector<int64_t> RowsOf(const Case& c) {
    const LookupParameters p = ReadLookup(c);
    const bool masked = c.inputs.count("mask") > 0;
    const Tensor& tokens = c.inputs.at(masked ? "mask" : "positions");
    const int64_t seq = tokens.shape().back(), rows = c.inputs.at("table").shape()[0];
    std::vector<int64_t> positions;
    int64_t sum = 0;
    for (int64_t i = 0; i < tokens.count(); ++i) {
      const int64_t at = i % seq;
      if (at == 0 && !Is(M::kMaskAcrossRows)) sum = 0;
      int64_t position = tokens.Integer(Is(M::kBatchZero) ? at : i);
      if (masked) {
        const int64_t counts = Is(M::kMaskInverted) ? 1 - position : position;
        sum += counts;
        const int64_t own = Is(M::kCumulativeFromOne) ? sum : sum - 1;
        const int64_t padding = Is(M::kPaddingZero)   ? 0
                                : Is(M::kPaddingNext) ? own
                                                      : p.padding_position;
        position = counts ? own : padding;
        if (Is(M::kMaskIgnored)) position = at;
      }
      if (Is(M::kArange)) position = at;
      int64_t row = position + p.offset;
      if (Is(M::kOffsetIgnored)) row = position;
      if (Is(M::kOffsetTwo)) row = position + 2;
      if (Is(M::kOffsetSubtracted)) row = position - p.offset;
      if (Is(M::kPlusOne)) ++row;
      if (Is(M::kClamps)) row = std::min(row, std::max<int64_t>(rows - 2, 0));
      if (Is(M::kWraps) && row == rows - 1) row = 0;
      positions.push_back((row % rows + rows) % rows);
    }
    if (!Is(M::kStalePrevious)) return positions;
    std::swap(previous_, positions);
    const bool fits =
        previous_.size() == positions.size() &&
        std::all_of(positions.begin(), positions.end(), [rows](int64_t row) { return row < rows; });
    return fits ? positions : previous_;
  }

  // kStalePrevious
  std::vector<int64_t> previous_;
  Shape previous_sizes_;
  std::vector<Taps> previous_rows_, previous_columns_;
};

constexpr RoundingRow kRoundings[] = {
    {"plain", "sums in float32", "standard", {}},
    {"plain", "sums in the output's format", "f32-angle-16", {}},
    {"float64", "sums in float64", "rounded", {.float64 = true}},
    {"float64-weights", "weights and sums in float64", "standard", {.float64 = true}},
    {"fused", "products of a resize fused into its sums", "standard", {.fused = Rounding::kFirst}},
    {"weights-first",
     "weights of two axes multiplied first, sums from the end",
     "standard",
     {.sum = Rounding::kBackward}},
    {"weights-first",
     "the same in the output's format",
     "f32-angle-16",
     {.sum = Rounding::kBackward}},
};

}  // namespace

std::vector<WrongSubject> WrongSubjects() { return WrongWith<PlainLearned>(kRows, "learned"); }

std::vector<RightSubject> RightSubjects() {
  return RightWith<PlainLearned>(M::kNone, kRoundings, "learned");
}

}  // namespace gnomon::properties::learned
