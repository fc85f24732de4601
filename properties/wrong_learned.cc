// Plain kernels of the operations on learned positions, and the mistakes people make in them. Each
// is one precise change, marked by Is().
#include <algorithm>
#include <cmath>

#include "gnomon/properties/plain_kernel.h"
#include "gnomon/spec/learned.h"

namespace gnomon::properties::learned {
namespace {

using gnomon::learned::LookupParameters;
using gnomon::learned::ReadLookup;

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
};

constexpr int64_t kLanes = 4;

class PlainLearned : public PlainKernel<M> {
 public:
  PlainLearned(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "learned") {}

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
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
      const double value = ValueAt(x, i, address);
      double p = ValueAt(table.view(), number, In(table.view(), number));
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
  double ValueAt(const ConstTensorView& view, int64_t number, const std::byte* address) const {
    double value = Read(DecodeBits(format_, LoadBits(view.dtype, address)));
    if (Is(M::kReadsPadding) && number % view.shape.back() == view.shape.back() - 1)
      value += 0 * DecodeBits(format_, LoadBits(view.dtype, address + view.strides.back() *
                                                                          SizeOf(view.dtype)));
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

  std::vector<int64_t> previous_;  // kStalePrevious
};

constexpr RoundingRow kRoundings[] = {
    {"plain", "sums in float32", "standard", {}},
    {"plain", "sums in the output's format", "f32-angle-16", {}},
    {"float64", "sums in float64", "rounded", {.float64 = true}},
};

}  // namespace

std::vector<WrongSubject> WrongSubjects() { return WrongWith<PlainLearned>(kRows, "learned"); }

std::vector<RightSubject> RightSubjects() {
  return RightWith<PlainLearned>(M::kNone, kRoundings, "learned");
}

}  // namespace gnomon::properties::learned
