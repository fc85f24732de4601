// Plain kernels of the operations on relative position vectors, and the mistakes people make in
// them. Each is one precise change, marked by Is().
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gnomon/properties/plain_attention.h"
#include "gnomon/properties/plain_kernel.h"
#include "gnomon/spec/relative.h"

namespace gnomon::properties::relative {
namespace {

using gnomon::relative::ReadShift;
using gnomon::relative::ReadVectors;
using gnomon::relative::ShiftParameters;
using gnomon::relative::VectorParameters;

enum class M {
  kNone,
  kReversed,
  kNoClip,
  kNoOrigin,
  kClipShort,
  kAbsolute,
  kPastOnly,
  kThirtyTwoBits,
  kScaleIgnored,
  kScaleContentOnly,
  kScaleByDim,
  kTableIgnored,
  kTableByKey,
  kLastWeight,
  kEdgesDropped,
  kFirstRows,
  kPadRight,
  kUnshifted,
  kKeepsLeftover,
  kZeroesLeftover,
  kAfterTopLeft,
  kMaskDiagonal,
  kFullByOne,
  kHeadZero,
  kArange,
  kOffset,
  kUint16,
  kInt16,
  kStalePrevious,
  kInputStrides,
  kOutputStrides,
  kReadsPadding,
  kTailSkipped,
  kTailBeyond,
  kShortOffsets,
  kWritesInput,
  kBf16Arithmetic,
  kMagnitude,
  kTruncates,
  kRoundsTwice,
  kSaturates,
  kFlushesResult,
  kFlushesInput,
  kNanAsZero,
  kCapsInfinity,
  kKeysLeftOut,
  kValuesLeftOut,
  kOneTable,
  kBatchZero,
  kMaskByPosition,
  kMaskIgnored,
  kMaskTopLeft,
  kPaddingIgnored,
  kLeaksValue,
  kKvModulo,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

constexpr MistakeRow<M> kRows[] = {
    {M::kReversed, "shaw-clip/reversed", "query minus key for key minus query, or the reverse",
     kFormula, "standard"},
    {M::kNoClip, "shaw-clip/missing", "no clip: an index outside counts round the table", kFormula,
     "standard"},
    {M::kNoOrigin, "shaw-clip/origin", "+ K left out: negative rows count from the end", kFormula,
     "standard"},
    {M::kClipShort, "shaw-clip/short", "clipped to K - 1", kFormula, "standard"},
    {M::kAbsolute, "shaw-clip/absolute", "|n - m| for n - m", kFormula, "standard"},
    {M::kPastOnly, "shaw-clip/past", "distances above 0 clipped to 0", kFormula, "standard"},
    {M::kThirtyTwoBits, "int32-index/distance", "n - m in 32 bits", kFormula, "standard"},
    {M::kScaleIgnored, "shaw-scale/ignored", "scale left out", kFormula, "standard"},
    {M::kScaleContentOnly, "shaw-scale/content", "scale on q.k alone", kFormula, "standard"},
    {M::kScaleByDim, "shaw-scale/head-dim", "divided by head_dim, not its root", kFormula,
     "standard"},
    {M::kTableIgnored, "shaw-table/ignored", "table left out", kFormula, "standard"},
    {M::kTableByKey, "shaw-table/key", "k.a for q.a", kFormula, "standard"},
    {M::kLastWeight, "shaw-bins/last", "the last weight of a row for their sum", kFormula,
     "standard"},
    {M::kEdgesDropped, "shaw-bins/edges", "weights of clipped keys left out", kFormula, "standard"},
    {M::kFirstRows, "xl-shift", "the last row dropped, [:-1] for [1:]", kFormula, "standard"},
    {M::kPadRight, "xl-shift/right", "padded on the right", kFormula, "standard"},
    {M::kUnshifted, "xl-shift/none", "not shifted", kFormula, "standard"},
    {M::kKeepsLeftover, "xl-after/leftover", "keys after the query not zeroed", kFormula,
     "standard"},
    {M::kZeroesLeftover, "xl-after/zero", "keys after the query zeroed where they are asked",
     kFormula, "standard"},
    {M::kAfterTopLeft, "xl-after/top-left", "zeros from key i + 1 on, whatever the lengths",
     kFormula, "standard"},
    {M::kMaskDiagonal, "xl-after/diagonal", "the query's own key zeroed too", kFormula, "standard"},
    {M::kFullByOne, "skew-column", "full form one column further", kFormula, "standard"},
    {M::kHeadZero, "row-positions/head-zero", "batch 0, head 0 for all", kState, "standard"},
    {M::kArange, "arange-positions", "0..T-1 whatever the positions are", kFormula, "standard"},
    {M::kOffset, "offset", "position m + 1", kFormula, "standard"},
    {M::kUint16, "position-width/uint16", "positions in unsigned 16 bits", kFormula, "standard"},
    {M::kInt16, "position-width/int16", "positions in signed 16 bits", kFormula, "standard"},
    {M::kStalePrevious, "stale-table/previous", "positions of the previous call", kState,
     "standard"},
    {M::kInputStrides, "stride-ignored/input", "inputs taken as contiguous", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/output", "output taken as contiguous", kState, "standard"},
    {M::kReadsPadding, "stride-ignored/padding", "reads past the end of a row", kState, "standard"},
    {M::kTailSkipped, "tail-vector", "last elements of a row not written", kState, "standard"},
    {M::kTailBeyond, "tail-overwrite", "whole vectors stored past the row", kState, "standard"},
    {M::kShortOffsets, "int32-index/16-bits", "offsets in 16 bits", kState, "standard"},
    {M::kWritesInput, "in-place/input", "writes into an input", kState, "standard"},
    {M::kBf16Arithmetic, "sum-16bit", "sums in the 16-bit format where float32 is promised",
     kFormula, "standard"},
    {M::kMagnitude, "magnitude", "everything times 1.0003", kFormula, "standard"},
    {M::kTruncates, "bf16-truncated", "bf16 by dropping bits", kFormula, "standard"},
    {M::kRoundsTwice, "bf16-double-rounding", "rounded to f32, then to 16 bits", kFormula,
     "rounded"},
    {M::kSaturates, "f16-saturated", "overflow gives the largest number", kFormula, "standard"},
    {M::kFlushesResult, "subnormals-flushed/result", "subnormal results become 0", kFormula,
     "standard"},
    {M::kFlushesInput, "subnormals-flushed/input", "subnormal inputs count as 0", kFormula,
     "standard"},
    {M::kNanAsZero, "nan-lost/as-zero", "NaN inputs count as 0", kFormula, "standard"},
    {M::kCapsInfinity, "nan-lost/infinity", "infinite results become the largest number", kFormula,
     "standard"},
    {M::kKeysLeftOut, "shaw-table/keys", "nothing added to the keys", kFormula, "standard"},
    {M::kValuesLeftOut, "shaw-table/values", "nothing added to the values", kFormula, "standard"},
    {M::kOneTable, "shaw-table/one", "the rows of the keys added to the values too", kFormula,
     "standard"},
    {M::kBatchZero, "row-positions", "positions of batch row 0 for every row", kState, "standard"},
};

constexpr int64_t kLanes = 4;

class PlainRelative : public PlainKernel<M> {
 public:
  PlainRelative(M mistake, const Rounding& rounding, std::string name, const std::string& promise)
      : PlainKernel(mistake, rounding, std::move(name), promise, "relative") {}

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    if (c.operation == "relative.scores") return Scores(c, outputs.at("scores"));
    if (c.operation == "relative.values") return Values(c, outputs.at("y"));
    if (c.operation == "relative.vectors") return Vectors(c, outputs.at("vectors"));
    if (c.operation == "relative.attention") return Attention(c, outputs.at("y"));
    return Shift(c, outputs.at("b"));
  }

 protected:
  virtual bool gathered() const { return false; }

 private:
  // REL-1, REL-2.
  int64_t RowOf(const VectorParameters& p, int64_t m, int64_t n) const {
    const bool forward = p.difference == Difference::kKeyMinusQuery;
    int64_t x = forward != Is(M::kReversed) ? n - m : m - n;
    if (Is(M::kThirtyTwoBits)) x = static_cast<int32_t>(static_cast<uint32_t>(x));
    if (Is(M::kAbsolute)) x = std::abs(x);
    const int64_t K = Is(M::kClipShort) && p.K > 0 ? p.K - 1 : p.K;
    if (!Is(M::kNoClip)) x = x < -K ? -K : x > K ? K : x;
    if (Is(M::kPastOnly) && x > 0) x = 0;
    if (!Is(M::kNoOrigin)) x += p.K;
    return (x % p.rows() + p.rows()) % p.rows();
  }

  double At(const Tensor& tensor, int64_t number) const {
    const ConstTensorView view = tensor.view();
    int64_t offset = Is(M::kInputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    const std::byte* address = view.data + offset * SizeOf(view.dtype);
    double value = Read(DecodeBits(format_, LoadBits(view.dtype, address)));
    if (Is(M::kReadsPadding) && number % view.shape.back() == view.shape.back() - 1)
      value += 0 * ReadPast(tensor, address + view.strides.back() * SizeOf(view.dtype));
    return value;
  }
  std::byte* Address(const TensorView& view, int64_t number) const {
    int64_t offset = Is(M::kOutputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    return view.data + offset * SizeOf(view.dtype);
  }
  // False where the element is not written.
  bool Written(const TensorView& view, int64_t number) const {
    const int64_t width = view.shape.back(), column = number % width;
    if (Is(M::kTailBeyond) && column == width - 1 && width % kLanes != 0)
      StoreBits(view.dtype, Address(view, number) + view.strides.back() * SizeOf(view.dtype), 0);
    return !Is(M::kTailSkipped) || column < width / kLanes * kLanes;
  }
  void Store(const TensorView& view, int64_t number, double value) const {
    if (!Written(view, number)) return;
    StoreAt(view, Address(view, number), Is(M::kMagnitude) ? value * 1.0003 : value);
  }
  // A copy: an integer load and store, so that bits are kept.
  void Copy(const Tensor& from, int64_t number, const TensorView& to, int64_t element) const {
    const ConstTensorView view = from.view();
    if (!Written(to, element)) return;
    int64_t offset = Is(M::kInputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    uint64_t bits = LoadBits(view.dtype, view.data + offset * SizeOf(view.dtype));
    const double value = DecodeBits(format_, bits);
    if (Is(M::kNanAsZero) && std::isnan(value)) bits = 0;
    if (Is(M::kFlushesInput) && Read(value) == 0) bits = 0;
    if (Is(M::kMagnitude)) return StoreAt(to, Address(to, element), value * 1.0003);
    StoreBits(to.dtype, Address(to, element), bits);
  }

  std::vector<int64_t> PositionsOf(const Case& c, const std::string& role) {
    const Tensor& tensor = c.inputs.at(role);
    const bool queries = role == "m" || role == "query_positions";
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      const int64_t column = i % tensor.shape().back();
      const int64_t from = Is(M::kBatchZero) ? column : i;
      const int64_t p = MistakenPosition(mistake(), tensor.Integer(from));
      positions.push_back(Is(M::kArange) ? column : p + (Is(M::kOffset) && queries));
    }
    if (!Is(M::kStalePrevious)) return positions;
    std::vector<int64_t>& previous = previous_[queries];
    std::swap(previous, positions);
    return positions.size() == previous.size() ? positions : previous;
  }

  // One order of additions; each rounds to the format that the arithmetic runs in.
  double Sum(const std::vector<double>& terms) const {
    if (rounding().sum == Rounding::kFloat64 || promise().correctly_rounded) {
      double sum = 0;
      for (const double term : terms) sum += term;
      return Rounded(sum);
    }
    if (rounding().sum == Rounding::kPairwise) return Pairwise(terms, 0, terms.size());
    double sum = 0;
    for (size_t i = 0; i < terms.size(); ++i)
      sum = Rounded(sum + terms[rounding().sum == Rounding::kBackward ? terms.size() - 1 - i : i]);
    return sum;
  }
  double Pairwise(const std::vector<double>& terms, size_t begin, size_t end) const {
    if (end - begin <= 1) return end == begin ? 0 : terms[begin];
    const size_t middle = begin + (end - begin) / 2;
    return Rounded(Pairwise(terms, begin, middle) + Pairwise(terms, middle, end));
  }
  struct Pair {
    double a, b;
  };
  double Dot(const std::vector<Pair>& pairs) const {
    if (rounding().sum == Rounding::kFusedForward) {
      double sum = 0;
      for (const Pair& p : pairs) sum = Fused(p.a, p.b, sum);
      return sum;
    }
    std::vector<double> terms;
    for (const Pair& p : pairs) terms.push_back(Rounded(p.a * p.b));
    return Sum(terms);
  }

  // REL-3.
  Outcome Scores(const Case& c, const TensorView& scores) {
    const VectorParameters p = ReadVectors(c);
    const std::vector<int64_t> m = PositionsOf(c, "m"), n = PositionsOf(c, "n");
    const Tensor &q = c.inputs.at("q"), &k = c.inputs.at("k"), &table = c.inputs.at("table");
    const int64_t dims = q.shape()[1], keys = k.shape()[0];
    double scale = p.rsqrt ? 1 / std::sqrt(static_cast<double>(dims)) : p.scale.value;
    if (p.rsqrt && Is(M::kScaleByDim)) scale = 1 / static_cast<double>(dims);
    if (Is(M::kScaleIgnored)) scale = 1;
    scale = Rounded(scale);
    for (int64_t i = 0; i < scores.count(); ++i) {
      const int64_t query = i / keys, key = i % keys;
      const int64_t row = RowOf(p, m[static_cast<size_t>(query)], n[static_cast<size_t>(key)]);
      std::vector<Pair> own, rows, sums;
      for (int64_t d = 0; d < dims; ++d) {
        const double x = At(q, query * dims + d), y = At(k, key * dims + d);
        const double a = Is(M::kTableIgnored) ? 0 : At(table, row * dims + d);
        own.push_back({x, y});
        rows.push_back({Is(M::kTableByKey) ? y : x, a});
        sums.push_back({x, Rounded(y + a)});
      }
      const bool apart = gathered() || Is(M::kScaleContentOnly) || Is(M::kTableByKey);
      double score;
      if (apart) {
        const double content = Dot(own), position = Dot(rows);
        score = Is(M::kScaleContentOnly) ? Rounded(Rounded(scale * content) + position)
                                         : Rounded(scale * Rounded(content + position));
      } else {
        score = Rounded(scale * Dot(sums));
      }
      Store(scores, i, score);
    }
    if (Is(M::kWritesInput) && q.count() > 0)
      StoreBits(q.dtype(), const_cast<std::byte*>(q.view().AddressOf(0)), 0);
    return {};
  }

  // REL-4.
  Outcome Values(const Case& c, const TensorView& y) {
    const VectorParameters p = ReadVectors(c);
    const std::vector<int64_t> m = PositionsOf(c, "m"), n = PositionsOf(c, "n");
    const Tensor &w = c.inputs.at("weights"), &v = c.inputs.at("v"), &table = c.inputs.at("table");
    const int64_t dims = v.shape()[1], keys = v.shape()[0];
    for (int64_t i = 0; i < y.count(); ++i) {
      const int64_t query = i / dims, d = i % dims;
      std::vector<Pair> own, sums, bins;
      std::vector<std::vector<double>> weights(static_cast<size_t>(p.rows()));
      for (int64_t key = 0; key < keys; ++key) {
        const int64_t from = m[static_cast<size_t>(query)], to = n[static_cast<size_t>(key)];
        const int64_t row = RowOf(p, from, to);
        const double weight = At(w, query * keys + key), x = At(v, key * dims + d);
        const double a = Is(M::kTableIgnored) ? 0 : At(table, row * dims + d);
        const bool dropped = Is(M::kEdgesDropped) && std::abs(to - from) > p.K;
        own.push_back({weight, x});
        sums.push_back({weight, dropped ? x : Rounded(x + a)});
        std::vector<double>& bin = weights[static_cast<size_t>(row)];
        if (Is(M::kLastWeight)) bin.clear();
        bin.push_back(weight);
      }
      if (!gathered() && !Is(M::kLastWeight)) {
        Store(y, i, Dot(sums));
        continue;
      }
      for (size_t row = 0; row < weights.size(); ++row)
        if (!weights[row].empty())
          bins.push_back({Sum(weights[row]), At(table, static_cast<int64_t>(row) * dims + d)});
      Store(y, i, Rounded(Dot(own) + Dot(bins)));
    }
    if (Is(M::kWritesInput) && w.count() > 0)
      StoreBits(w.dtype(), const_cast<std::byte*>(w.view().AddressOf(0)), 0);
    return {};
  }

  HeadMistake AroundTheRows() const {
    if (Is(M::kScaleContentOnly)) return HeadMistake::kScaleContentOnly;
    if (Is(M::kTableByKey)) return HeadMistake::kVectorByKey;
    return Is(M::kLastWeight) ? HeadMistake::kLastOfRow : OfHeads(mistake());
  }
  // REL-12.
  Outcome Attention(const Case& c, const TensorView& y) {
    gnomon::relative::AttentionParameters p = gnomon::relative::ReadAttention(c);
    const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
    const std::vector<int64_t> m = PositionsOf(c, "query_positions"),
                               n = PositionsOf(c, "key_positions");
    const bool batched = c.inputs.at("key_positions").shape().size() == 2;
    const Tensor &of_keys = c.inputs.at("key_table"), &of_values = c.inputs.at("value_table");
    if (Is(M::kScaleIgnored)) p.heads.scale = Number(1);
    if (Is(M::kScaleByDim) && !p.heads.scale)
      p.heads.scale = Number(1 / static_cast<double>(e.head_dim));
    const auto at_m = [&](int64_t b, int64_t query) {
      return m[static_cast<size_t>((batched ? b : 0) * e.queries + query)];
    };
    const auto at_n = [&](int64_t b, int64_t key) {
      return n[static_cast<size_t>((batched ? b : 0) * e.keys + key)];
    };
    const auto row = [&](int64_t b, int64_t query, int64_t key) {
      return RowOf(p.rows, at_m(b, query), at_n(b, key));
    };
    PlainHeads how;
    how.mistake = AroundTheRows();
    how.rounded = [this](double v) { return Rounded(v); };
    how.summed = [this](double v) {
      if (Is(M::kBf16Arithmetic)) return Rounded(v);
      return promise().correctly_rounded ? v : static_cast<double>(static_cast<float>(v));
    };
    how.bias = [&](int64_t b, int64_t, int64_t query, int64_t key) {
      const bool later = at_n(b, key) > at_m(b, query);
      const bool out = Is(M::kMaskByPosition) && p.heads.mask == AttentionMask::kCausal && later;
      return out ? -std::numeric_limits<double>::infinity() : 0;
    };
    how.key_vector = [&](int64_t b, int64_t, int64_t query, int64_t key, int64_t i) {
      if (Is(M::kTableIgnored) || Is(M::kKeysLeftOut)) return 0.0;
      return At(of_keys, row(b, query, key) * e.head_dim + i);
    };
    how.value_vector = [&](int64_t b, int64_t, int64_t query, int64_t key, int64_t i) {
      if (Is(M::kTableIgnored) || Is(M::kValuesLeftOut)) return 0.0;
      if (Is(M::kEdgesDropped) && std::abs(at_n(b, key) - at_m(b, query)) > p.rows.K) return 0.0;
      if (Is(M::kOneTable) && e.head_dim == e.value_dim)
        return At(of_keys, row(b, query, key) * e.head_dim + i);
      return At(of_values, row(b, query, key) * e.value_dim + i);
    };
    if (gathered() || how.mistake == HeadMistake::kScaleContentOnly ||
        how.mistake == HeadMistake::kVectorByKey || how.mistake == HeadMistake::kLastOfRow)
      how.row = row;
    how.store = [&](int64_t number, int64_t, double value) { Store(y, number, value); };
    RunPlainHeads(c, p.heads, how);
    if (Is(M::kWritesInput) && of_keys.count() > 0)
      StoreBits(of_keys.dtype(), const_cast<std::byte*>(of_keys.view().AddressOf(0)), 0);
    return {};
  }

  // REL-2.
  Outcome Vectors(const Case& c, const TensorView& vectors) {
    const VectorParameters p = ReadVectors(c);
    const std::vector<int64_t> m = PositionsOf(c, "m"), n = PositionsOf(c, "n");
    const Tensor& table = c.inputs.at("table");
    const int64_t dims = table.shape()[1], keys = static_cast<int64_t>(n.size());
    for (int64_t i = 0; i < vectors.count(); ++i) {
      const int64_t pair = i / dims;
      const int64_t row =
          RowOf(p, m[static_cast<size_t>(pair / keys)], n[static_cast<size_t>(pair % keys)]);
      Copy(table, row * dims + i % dims, vectors, i);
    }
    return {};
  }

  // REL-5, REL-7, REL-8, by way of the padded copy itself.
  Outcome Shift(const Case& c, const TensorView& b) const {
    const ShiftParameters p = ReadShift(c);
    const Tensor& a = c.inputs.at("a");
    const size_t rank = a.shape().size();
    const int64_t queries = a.shape()[rank - 2], columns = a.shape()[rank - 1];
    const int64_t keys = b.shape.back();
    for (int64_t i = 0; i < b.count(); ++i) {
      const int64_t key = i % keys, query = i / keys % queries, head = i / keys / queries;
      const int64_t base = Is(M::kHeadZero) ? 0 : head * queries * columns;
      int64_t from;
      if (p.form == SkewForm::kFull) {
        from = query * columns + key - query + queries - 1;
        if (Is(M::kFullByOne)) from = std::min(from + 1, queries * columns - 1);
      } else {
        int64_t flat = query * keys + key + queries;
        if (Is(M::kFirstRows) || Is(M::kPadRight)) flat -= queries;
        if (Is(M::kPadRight)) {
          const int64_t at = flat % (keys + 1);
          from = at == keys ? -1 : flat / (keys + 1) * keys + at;
        } else {
          const int64_t at = flat % (keys + 1);
          from = at == 0 ? -1 : flat / (keys + 1) * keys + at - 1;
        }
        if (Is(M::kUnshifted)) from = query * columns + key;
        int64_t last = query + keys - queries;  // the query's own key
        if (Is(M::kAfterTopLeft)) last = query;
        if (Is(M::kMaskDiagonal)) --last;
        const bool zero =
            p.after == AfterQuery::kZero ? !Is(M::kKeepsLeftover) : Is(M::kZeroesLeftover);
        if (zero && key > last) from = -1;
      }
      if (from >= 0) {
        Copy(a, base + from, b, i);
      } else if (Written(b, i)) {
        StoreBits(b.dtype, Address(b, i), 0);
      }
    }
    if (Is(M::kWritesInput) && a.count() > 0)
      StoreBits(a.dtype(), const_cast<std::byte*>(a.view().AddressOf(0)), 0x55);
    return {};
  }

  std::vector<int64_t> previous_[2];  // kStalePrevious
};

// The gathered scores and the binned values.
class GatheredRelative : public PlainRelative {
 public:
  using PlainRelative::PlainRelative;

 protected:
  bool gathered() const override { return true; }
};

Rounding Summed(Rounding::Sum sum) {
  Rounding rounding;
  rounding.sum = sum;
  return rounding;
}

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all = WrongWith<PlainRelative>(kRows, "relative");
  for (WrongSubject& subject : WrongWith<PlainRelative>(kHeadRows<M>, "relative"))
    all.push_back(std::move(subject));
  return all;
}

std::vector<RightSubject> RightSubjects() {
  const RoundingRow naive[] = {
      {"plain", "as the formula reads, sums forward", "standard", {}},
      {"plain", "the same in the output's format", "f32-angle-16", {}},
      {"backward", "sums backward", "standard", Summed(Rounding::kBackward)},
      {"pairwise", "sums in pairs", "standard", Summed(Rounding::kPairwise)},
      {"pairwise", "sums in pairs", "f32-angle-16", Summed(Rounding::kPairwise)},
      {"fused", "fused multiply-adds", "standard", Summed(Rounding::kFusedForward)},
      {"float64", "sums in float64", "standard", Summed(Rounding::kFloat64)},
  };
  const RoundingRow gathered[] = {
      {"gathered", "gathered scores, binned values", "standard", {}},
      {"gathered", "the same in the output's format", "f32-angle-16", {}},
      {"gathered-pairwise", "the same, sums in pairs", "standard", Summed(Rounding::kPairwise)},
      {"gathered-fused", "the same, fused", "standard", Summed(Rounding::kFusedForward)},
  };
  std::vector<RightSubject> all = RightWith<PlainRelative>(M::kNone, naive, "relative");
  for (RightSubject& right : RightWith<GatheredRelative>(M::kNone, gathered, "relative"))
    all.push_back(std::move(right));
  return all;
}

}  // namespace gnomon::properties::relative
