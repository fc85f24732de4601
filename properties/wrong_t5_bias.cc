// Plain kernels of T5's bias and DeBERTa's buckets, right ones and wrong ones (spec/mistakes.md).
// Code of its own: nothing here calls the reference, a kernel or a hypothesis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/properties/plain_angle.h"
#include "gnomon/properties/plain_attention.h"
#include "gnomon/properties/plain_kernel.h"
#include "gnomon/properties/wrong_subjects.h"
#include "gnomon/spec/t5_bias.h"

namespace gnomon::properties::t5_bias {
namespace {

enum class M {
  kNone,
  kNoClamp,
  kSign,
  kHalves,
  kDirectionIgnored,
  kCausalIgnored,
  kCausalDistance,
  kLow,
  kFloatLog,
  kBf16Log,
  kNearest,
  kCeil,
  kOneMore,
  kOneLess,
  kLogTwoAbove,
  kLogTenBelow,
  kLogOfDistance,
  kLogOfMax,
  kMaxDistanceMore,
  kNumBuckets,
  kMaxDistance,
  kMaxDistanceLess,
  kExactQuarter,
  kSideWhole,
  kOddUp,
  kTransposed,
  kScaled,
  kHeadZero,
  kDebertaSign,
  kDebertaFloor,
  kDebertaLast,
  kDebertaNoClamp,
  kDebertaClamp,
  kDebertaMiddle,
  kDebertaWithoutSign,
  kDebertaInMiddle,
  kDecodeFromZero,
  kPositionsBf16,
  kPositionsF16,
  kOffset,
  kAbsolutePosition,
  kUint16,
  kInt16,
  kUnsignedPosition,
  kInt32Offset,
  kBatchZero,
  kCountsTokens,
  kMagnitude,
  kNanPayload,
  kFlushesInput,
  kNanAsZero,
  kStalePrevious,
  kInputStrides,
  kTableStrides,
  kOutputStrides,
  kTailSkipped,
  kTailBeyond,
  kShortOffsets,
  kReadsPadding,
  kWritesInput,
  kDirectionByMask,
  kTableKvHeads,
  kMaskByPosition,
  kMaskIgnored,
  kMaskTopLeft,
  kPaddingIgnored,
  kLeaksValue,
  kScaleHeadDim,
  kScaleIgnored,
  kBiasScaled,
  kBiasSubtracted,
  kBiasLeftOut,
  kBiasAfterSoftmax,
  kKvModulo,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

const MistakeRow<M> kRows[] = {
    {M::kNoClamp, "t5-clamp", "the last bucket not clamped", kFormula, "standard"},
    {M::kSign, "t5-sign", "query - key for key - query", kFormula, "standard"},
    {M::kHalves, "t5-sign/halves", "the upper half for keys before the query", kFormula,
     "standard"},
    {M::kDirectionIgnored, "t5-direction/bidirectional", "bidirectional whatever is asked",
     kFormula, "standard"},
    {M::kCausalIgnored, "t5-direction/causal", "causal whatever is asked", kFormula, "standard"},
    {M::kCausalDistance, "t5-direction/future", "causal: |rel| for keys after the query", kFormula,
     "standard"},
    {M::kLow, "t5-rounding", "one low where the formula lands on an integer", kFormula, "standard"},
    {M::kFloatLog, "t5-rounding/f32-low", "an f32 logarithm one ulp low, exact ones promised",
     kFormula, "standard"},
    {M::kBf16Log, "t5-rounding/bf16", "the logarithm in bf16", kFormula, "f32-angle"},
    {M::kNearest, "t5-rounding/nearest", "rounded, not rounded down", kFormula, "standard"},
    {M::kCeil, "t5-rounding/up", "rounded up", kFormula, "standard"},
    {M::kOneMore, "t5-rounding/one-more", "one high beyond the exact buckets", kFormula,
     "standard"},
    {M::kOneLess, "t5-rounding/one-less", "one low beyond the exact buckets", kFormula, "standard"},
    {M::kLogTwoAbove, "t5-log/two-above", "log2 in the numerator alone", kFormula, "standard"},
    {M::kLogTenBelow, "t5-log/ten-below", "log10 in the denominator alone", kFormula, "standard"},
    {M::kLogOfDistance, "t5-log/distance", "the logarithm of the distance, not of its quotient",
     kFormula, "standard"},
    {M::kLogOfMax, "t5-log/max-distance", "divided by the logarithm of max_distance itself",
     kFormula, "standard"},
    {M::kMaxDistanceMore, "t5-max-distance/more", "max_distance + 1", kFormula, "standard"},
    {M::kNumBuckets, "t5-buckets", "32 buckets whatever is asked", kFormula, "standard"},
    {M::kMaxDistance, "t5-max-distance", "128 whatever is asked", kFormula, "standard"},
    {M::kMaxDistanceLess, "t5-max-distance/less", "max_distance - 1", kFormula, "standard"},
    {M::kExactQuarter, "t5-max-exact", "half of the exact buckets", kFormula, "standard"},
    {M::kSideWhole, "t5-max-exact/whole", "not halved for the two directions", kFormula,
     "standard"},
    {M::kOddUp, "t5-odd", "the larger half of an odd count", kFormula, "standard"},
    {M::kTransposed, "t5-table", "the table read as [heads, bucket]", kFormula, "standard"},
    {M::kScaled, "t5-table/scaled", "the bias divided by 8", kFormula, "standard"},
    {M::kHeadZero, "t5-table/head-zero", "the first head's column for every head", kFormula,
     "standard"},
    {M::kDebertaSign, "deberta-sign", "key - query, as T5 has it", kFormula, "standard"},
    {M::kDebertaFloor, "deberta-rounding", "rounded down, not up", kFormula, "standard"},
    {M::kDebertaLast, "deberta-last", "max_relative_positions, not one less", kFormula, "standard"},
    {M::kDebertaNoClamp, "deberta-clamp", "buckets go on where clamp is asked", kFormula,
     "standard"},
    {M::kDebertaClamp, "deberta-clamp/always", "clamped where none is asked", kFormula, "standard"},
    {M::kDebertaMiddle, "deberta-middle", "M logarithmic buckets, not M - 1", kFormula, "standard"},
    {M::kDebertaWithoutSign, "deberta-sign/lost", "no sign beyond the middle", kFormula,
     "standard"},
    {M::kDebertaInMiddle, "deberta-middle/offset", "M not added beyond the middle", kFormula,
     "standard"},
    {M::kDecodeFromZero, "bias-decode", "queries counted from 0", kFormula, "standard"},
    {M::kPositionsBf16, "positions-bf16", "positions rounded to bf16", kFormula, "standard"},
    {M::kPositionsF16, "positions-f16", "positions rounded to f16, saturated", kFormula,
     "standard"},
    {M::kOffset, "offset/query", "position m + 1 for m", kFormula, "standard"},
    {M::kUint16, "position-width/uint16", "positions in unsigned 16 bits", kFormula, "standard"},
    {M::kInt16, "position-width/int16", "positions in signed 16 bits", kFormula, "standard"},
    {M::kAbsolutePosition, "negative-position", "|position|", kFormula, "standard"},
    {M::kUnsignedPosition, "negative-position/unsigned", "positions read as unsigned 32 bits",
     kFormula, "standard"},
    {M::kInt32Offset, "int32-index/distance", "n - m in 32 bits", kFormula, "standard"},
    {M::kBatchZero, "row-positions", "positions of batch row 0 for every row", kState, "standard"},
    {M::kCountsTokens, "arange-positions", "0..T-1 whatever the positions are", kFormula,
     "standard"},
    {M::kMagnitude, "magnitude", "every bias, or output of attention, times 1.0003", kFormula,
     "standard"},
    {M::kNanPayload, "window-not-copied/nan-payload", "a NaN's payload not kept", kFormula,
     "standard"},
    {M::kFlushesInput, "subnormals-flushed/input", "subnormal entries count as 0", kFormula,
     "standard"},
    {M::kNanAsZero, "nan-lost/as-zero", "NaN entries count as 0", kFormula, "standard"},
    {M::kStalePrevious, "stale-table/previous", "the positions of the previous call", kState,
     "standard"},
    {M::kInputStrides, "stride-ignored/input", "positions taken as contiguous", kState, "standard"},
    {M::kTableStrides, "stride-ignored/table", "the table taken as contiguous", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/output", "the output taken as contiguous", kState,
     "standard"},
    {M::kTailSkipped, "tail-vector", "keys after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite", "a full vector written at the tail", kState, "standard"},
    {M::kShortOffsets, "int32-index/16-bits", "offsets in 16 bits", kState, "standard"},
    {M::kReadsPadding, "stride-ignored/padding-read", "adds zero times what lies after the row",
     kState, "standard"},
    {M::kWritesInput, "in-place/input-written", "leaves the last offset in the key positions",
     kState, "standard"},
    {M::kDirectionByMask, "t5-direction/by-mask", "causal buckets under a causal mask, else both",
     kFormula, "standard"},
    {M::kTableKvHeads, "t5-table/kv-heads", "the columns of the key heads, one for each group",
     kFormula, "standard"},
    {M::kScaleHeadDim, "attention-scale/head-dim", "1 / sqrt(head_dim) where no scale is asked",
     kFormula, "standard"},
    {M::kScaleIgnored, "attention-scale/ignored", "scale 1 whatever is asked", kFormula,
     "standard"},
    {M::kBiasScaled, "attention-bias/scaled", "bias added before the scaling", kFormula,
     "standard"},
    {M::kBiasSubtracted, "attention-bias/subtracted", "bias subtracted", kFormula, "standard"},
    {M::kBiasLeftOut, "attention-bias/left-out", "bias left out", kFormula, "standard"},
    {M::kBiasAfterSoftmax, "attention-bias/after-softmax", "bias added to the weights", kFormula,
     "standard"},
};

// Which freedoms of T5-6 a right kernel takes.
enum class Recipe {
  kHuggingFace,    // log(x / E) / log(D / E) * L
  kFlaxformer,     // an epsilon of f32 added to the quotient
  kLlamaCpp,       // E added before it is rounded down
  kFloatConstant,  // log(D / E) in f32 too
  kLogLow,         // every logarithm one ulp low
  kLogHigh,
};
struct RightRow {
  const char* id;
  const char* text;
  const char* promise;
  Recipe recipe;
};
const RightRow kRight[] = {
    {"plain", "integer powers in long double, exact where they fit", "standard",
     Recipe::kHuggingFace},
    {"plain", "an f32 logarithm", "f32-angle", Recipe::kHuggingFace},
    {"plain", "an f32 logarithm", "f32-exp", Recipe::kHuggingFace},
    {"plain", "an f32 logarithm", "f32-angle-16", Recipe::kHuggingFace},
    {"plain", "an f32 logarithm", "f32-chained", Recipe::kHuggingFace},
    {"epsilon", "an epsilon in the logarithm", "f32-angle", Recipe::kFlaxformer},
    {"sum", "max_exact added before rounding down", "f32-angle", Recipe::kLlamaCpp},
    {"constant", "both logarithms in f32", "f32-angle", Recipe::kFloatConstant},
    {"tables/down", "logarithms one ulp low", "f32-angle", Recipe::kLogLow},
    {"tables/up", "logarithms one ulp high", "f32-angle", Recipe::kLogHigh},
};

constexpr int64_t kLanes = 4;

class PlainT5 final : public Subject {
 public:
  PlainT5(M mistake, Recipe recipe, std::string name, const std::string& promise)
      : mistake_(mistake),
        recipe_(recipe),
        name_(std::move(name)),
        promise_(*ProfileFromName(promise)) {}

  std::string Name() const override { return name_; }
  bool Declares(const std::string& operation, Format format) const override {
    return operation.rfind("t5_bias.", 0) == 0 && format != Format::kF64;
  }
  size_t Promise() const override { return promise_; }

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    m_ = PositionsOf(c.inputs.at("query_positions"), true);
    n_ = PositionsOf(c.inputs.at("key_positions"), false);
    if (Is(M::kStalePrevious)) {
      std::swap(previous_m_, m_);
      std::swap(previous_n_, n_);
      if (previous_m_.size() != m_.size() || previous_n_.size() != n_.size()) {
        m_ = previous_m_;
        n_ = previous_n_;
      }
    }
    if (c.operation == "t5_bias.bias") {
      Bias(c, outputs.at("bias"));
    } else if (c.operation == "t5_bias.attention") {
      Attention(c, outputs.at("y"));
    } else {
      Buckets(c, outputs.at("buckets"));
    }
    if (Is(M::kWritesInput)) {
      const ConstTensorView key = c.inputs.at("key_positions").view();
      StoreBits(key.dtype, const_cast<std::byte*>(key.AddressOf(key.count() - 1)), 12345);
    }
    return {};
  }

 private:
  bool Is(M mistake) const { return mistake_ == mistake; }
  bool ByFloat() const {
    return kProfiles[promise_].angle != AngleForm::kExact || Is(M::kFloatLog);
  }

  // ln(x / E) / ln(D / E) L: a whole number to within the roundings of long double, or the
  // recipe's.
  long double Quotient(int64_t x, int64_t E, int64_t D, int64_t L) const {
    if (!ByFloat()) {
      const long double e = static_cast<long double>(E);
      const auto log = [](bool by_two, bool by_ten, long double v) {
        return by_two ? std::log2(v) : by_ten ? std::log10(v) : std::log(v);
      };
      const long double x_over = static_cast<long double>(x) / (Is(M::kLogOfDistance) ? 1 : e);
      const long double D_over = static_cast<long double>(D) / (Is(M::kLogOfMax) ? 1 : e);
      long double q = log(Is(M::kLogTwoAbove), false, x_over) /
                      log(false, Is(M::kLogTenBelow), D_over) * static_cast<long double>(L);
      // Nearer to an integer than any other distance comes: the boundary itself.
      if (std::abs(q - std::rint(q)) < 1e-14L * std::max(1.0L, q)) q = std::rint(q);
      return q;
    }
    const float e = static_cast<float>(E);
    float ratio = static_cast<float>(x) / e;
    if (recipe_ == Recipe::kFlaxformer) ratio += 0x1p-23f;
    float log = static_cast<float>(std::log(static_cast<double>(ratio)));
    if (recipe_ == Recipe::kLogLow || Is(M::kFloatLog)) log = std::nextafter(log, 0.0f);
    if (recipe_ == Recipe::kLogHigh) log = std::nextafter(log, 1e9f);
    if (Is(M::kBf16Log))
      log = static_cast<float>(RoundToFormat(Format::kBf16, static_cast<double>(log)));
    const float constant =
        static_cast<float>(recipe_ == Recipe::kFloatConstant
                               ? std::log(static_cast<double>(static_cast<float>(D) / e))
                               : std::log(static_cast<double>(D) / static_cast<double>(E)));
    return static_cast<long double>(log / constant * static_cast<float>(L));
  }

  int64_t OneSided(int64_t x, int64_t E, int64_t D, int64_t L) const {
    if (x < E) return x;
    const long double q = Quotient(x, E, D, L);
    if (recipe_ == Recipe::kLlamaCpp && ByFloat())
      return std::min<int64_t>(
          static_cast<int64_t>(std::floor(static_cast<float>(E) + static_cast<float>(q))),
          E + L - 1);
    int64_t k = static_cast<int64_t>(std::floor(q));
    if (Is(M::kLow) && q == std::rint(q) && k > 0) --k;
    if (Is(M::kNearest)) k = std::llrint(static_cast<double>(q));
    if (Is(M::kCeil)) k = static_cast<int64_t>(std::ceil(q));
    k += Is(M::kOneMore) ? 1 : Is(M::kOneLess) ? -1 : 0;
    return E + (Is(M::kNoClamp) ? k : std::min(k, L - 1));
  }

  int64_t BucketOf(const T5Buckets& t, int64_t rel) const {
    bool both = t.bidirectional;
    if (Is(M::kDirectionIgnored)) both = true;
    if (Is(M::kCausalIgnored)) both = false;
    int64_t count = Is(M::kNumBuckets) ? 32 : t.num_buckets;
    int64_t D = Is(M::kMaxDistance) ? 128 : t.max_distance;
    if (Is(M::kMaxDistanceLess)) --D;
    if (Is(M::kMaxDistanceMore)) ++D;
    if (Is(M::kSign)) rel = -rel;
    int64_t side = both && !Is(M::kSideWhole) ? (count + (Is(M::kOddUp) ? 1 : 0)) / 2 : count;
    const int64_t E = std::max<int64_t>(side / (Is(M::kExactQuarter) ? 4 : 2), 1);
    D = std::max(D, E + 1);
    const bool upper = both && (Is(M::kHalves) ? rel < 0 : rel > 0);
    const int64_t x = both || Is(M::kCausalDistance) ? std::abs(rel) : std::max<int64_t>(-rel, 0);
    return (upper ? side : 0) + OneSided(x, E, D, side - E);
  }

  int64_t DebertaOf(const DebertaBuckets& d, int64_t rel) const {
    if (Is(M::kDebertaSign)) rel = -rel;
    const int64_t middle = d.position_buckets / 2;
    const int64_t last = d.max_relative_positions - (Is(M::kDebertaLast) ? 0 : 1);
    if (std::abs(rel) <= middle) return rel;
    const bool clamp = (d.clamp || Is(M::kDebertaClamp)) && !Is(M::kDebertaNoClamp);
    const int64_t x = clamp ? std::min(std::abs(rel), last) : std::abs(rel);
    const long double q = Quotient(x, middle, last, middle - (Is(M::kDebertaMiddle) ? 0 : 1));
    int64_t k = static_cast<int64_t>(Is(M::kDebertaFloor) ? std::floor(q) : std::ceil(q));
    k += Is(M::kOneMore) ? 1 : Is(M::kOneLess) ? -1 : 0;
    if (!Is(M::kDebertaInMiddle)) k += middle;
    return rel < 0 && !Is(M::kDebertaWithoutSign) ? -k : k;
  }

  std::vector<int64_t> PositionsOf(const Tensor& tensor, bool queries) const {
    std::vector<int64_t> all;
    const ConstTensorView view = tensor.view();
    const int64_t row = view.shape.back();
    for (int64_t i = 0; i < view.count(); ++i) {
      const int64_t from = Is(M::kBatchZero) ? i % row : i;
      const int64_t offset = Is(M::kInputStrides) ? from : view.OffsetOf(from);
      int64_t p =
          IntegerOf(view.dtype, LoadBits(view.dtype, view.data + offset * SizeOf(view.dtype)));
      if (Is(M::kCountsTokens) || (Is(M::kDecodeFromZero) && queries)) p = i % row;
      p = MistakenPosition(mistake_, p);
      if (Is(M::kOffset) && queries) ++p;
      all.push_back(p);
    }
    return all;
  }

  // Key - query, of the row and key that element `pair` of [(batch,) query, key] is at.
  int64_t RelOf(int64_t batch, int64_t query, int64_t key, int64_t queries, int64_t keys) const {
    const int64_t rel = n_[static_cast<size_t>(batch * keys + key)] -
                        m_[static_cast<size_t>(batch * queries + query)];
    return Is(M::kInt32Offset) ? static_cast<int32_t>(static_cast<uint32_t>(rel)) : rel;
  }

  void Store(const TensorView& view, int64_t number, uint64_t bits) const {
    const int64_t columns = view.shape.back(), column = number % columns;
    if (Is(M::kTailSkipped) && column >= columns / kLanes * kLanes) return;
    int64_t offset = Is(M::kOutputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    std::byte* address = view.data + offset * SizeOf(view.dtype);
    StoreBits(view.dtype, address, bits);
    if (Is(M::kTailBeyond) && column == columns - 1 && columns % kLanes != 0)
      StoreBits(view.dtype, address + view.strides.back() * SizeOf(view.dtype), 0);
  }

  void Buckets(const Case& c, const TensorView& to) const {
    const bool deberta = c.operation == "t5_bias.deberta_bucket";
    const T5Buckets t = deberta ? T5Buckets() : gnomon::t5_bias::ReadBuckets(c);
    const DebertaBuckets d = deberta ? gnomon::t5_bias::ReadDeberta(c) : DebertaBuckets();
    const int64_t keys = to.shape.back(), queries = to.shape[to.rank() - 2];
    for (int64_t i = 0; i < to.count(); ++i) {
      const int64_t rel = RelOf(i / keys / queries, i / keys % queries, i % keys, queries, keys);
      Store(to, i, static_cast<uint64_t>(deberta ? DebertaOf(d, -rel) : BucketOf(t, rel)));
    }
  }

  uint64_t Changed(Format format, uint64_t bits) const {
    const double v = DecodeBits(format, bits);
    const FormatTraits& t = Traits(format);
    if (Is(M::kMagnitude) && std::isfinite(v))
      return EncodeBits(format, RoundToFormat(format, v * 1.0003));
    if (Is(M::kScaled) && std::isfinite(v)) return EncodeBits(format, RoundToFormat(format, v / 8));
    if (Is(M::kNanPayload) && std::isnan(v)) return EncodeBits(format, std::nan(""));
    if (Is(M::kNanAsZero) && std::isnan(v)) return 0;
    if (Is(M::kFlushesInput) &&
        std::abs(v) < std::ldexp(1.0, t.min_quantum_exponent + t.precision - 1))
      return EncodeBits(format, std::copysign(0.0, v));
    return bits;
  }

  // The table's entry, as it is copied or added.
  uint64_t EntryAt(const Case& c, int64_t bucket, int64_t head) const {
    const ConstTensorView table = c.inputs.at("table").view();
    const int64_t rows = table.shape[0], heads = table.shape[1];
    if (Is(M::kHeadZero)) head = 0;
    bucket = std::clamp<int64_t>(bucket, 0, rows - 1);  // it stays within its memory
    int64_t number = bucket * heads + head;
    if (Is(M::kTransposed)) number = head * rows + bucket;
    int64_t offset = Is(M::kTableStrides) ? number : table.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    const std::byte* address = table.data + offset * SizeOf(table.dtype);
    const uint64_t loaded = LoadBits(table.dtype, address);
    const bool output_instead = Is(M::kMagnitude) && c.operation == "t5_bias.attention";
    const uint64_t bits = output_instead ? loaded : Changed(c.format, loaded);
    if (!Is(M::kReadsPadding) || head != heads - 1) return bits;
    const double beyond = DecodeBits(
        c.format, LoadBits(table.dtype, address + table.strides[1] * SizeOf(table.dtype)));
    return EncodeBits(c.format, RoundToFormat(c.format, DecodeBits(c.format, bits) + 0 * beyond));
  }

  void Bias(const Case& c, const TensorView& to) const {
    const T5Buckets t = gnomon::t5_bias::ReadBuckets(c);
    const int64_t heads = c.inputs.at("table").shape()[1];
    const int64_t keys = to.shape.back(), queries = to.shape[to.rank() - 2];
    for (int64_t i = 0; i < to.count(); ++i) {
      const int64_t row = i / keys, batch = row / queries / heads;
      const int64_t bucket = BucketOf(t, RelOf(batch, row % queries, i % keys, queries, keys));
      Store(to, i, EntryAt(c, bucket, row / queries % heads));
    }
  }

  double Rounded(Format format, double v) const {
    const Profile& promise = kProfiles[promise_];
    if (promise.correctly_rounded) return v;
    if (promise.arithmetic == Stage::kOutput) return RoundToFormat(format, v);
    return static_cast<double>(static_cast<float>(v));
  }
  HeadMistake AroundTheBias() const {
    if (Is(M::kBiasAfterSoftmax)) return HeadMistake::kBiasAfterSoftmax;
    return Is(M::kBiasScaled) ? HeadMistake::kBiasScaled : OfHeads(mistake_);
  }
  double BiasOf(const Case& c, const gnomon::t5_bias::AttentionParameters& p, int64_t rel,
                int64_t head) const {
    if (Is(M::kBiasLeftOut)) return 0;
    if (Is(M::kMaskByPosition) && p.heads.mask == AttentionMask::kCausal && rel > 0)
      return -std::numeric_limits<double>::infinity();
    const double entry = DecodeBits(c.format, EntryAt(c, BucketOf(p.buckets, rel), head));
    return Is(M::kBiasSubtracted) && std::isfinite(entry) ? -entry : entry;
  }
  void Attention(const Case& c, const TensorView& y) const {
    gnomon::t5_bias::AttentionParameters p = gnomon::t5_bias::ReadAttention(c);
    const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
    const bool batched = c.inputs.at("key_positions").shape().size() == 2;
    const int64_t group = Is(M::kTableKvHeads) ? e.heads / e.kv_heads : 1;
    if (Is(M::kScaleHeadDim) && !c.parameters.count("scale"))
      p.heads.scale = Number(1 / std::sqrt(static_cast<double>(e.head_dim)));
    if (Is(M::kScaleIgnored)) p.heads.scale = Number(1);
    if (Is(M::kDirectionByMask)) p.buckets.bidirectional = p.heads.mask != AttentionMask::kCausal;
    PlainHeads how;
    how.mistake = AroundTheBias();
    how.rounded = [&](double v) { return Rounded(c.format, v); };
    how.summed = [&](double v) {
      return kProfiles[promise_].correctly_rounded ? v : static_cast<double>(static_cast<float>(v));
    };
    how.bias = [&](int64_t b, int64_t head, int64_t query, int64_t key) {
      return BiasOf(c, p, RelOf(batched ? b : 0, query, key, e.queries, e.keys), head / group);
    };
    how.store = [&](int64_t number, int64_t, double value) {
      if (Is(M::kMagnitude)) value *= 1.0003;
      Store(y, number, StoredBits(c.format, value, StoreMistake::kNone));
    };
    RunPlainHeads(c, p.heads, how);
  }

  M mistake_;
  Recipe recipe_;
  std::string name_;
  size_t promise_;
  std::vector<int64_t> m_, n_, previous_m_, previous_n_;  // previous: kStalePrevious
};

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all;
  const auto add = [&](const MistakeRow<M>& row) {
    all.push_back({row.id, row.text, row.kind, "t5_bias", [row] {
                     return std::make_unique<PlainT5>(row.mistake, Recipe::kHuggingFace,
                                                      std::string("wrong:") + row.id, row.promise);
                   }});
  };
  for (const MistakeRow<M>& row : kRows) add(row);
  for (const MistakeRow<M>& row : kHeadRows<M>) add(row);
  return all;
}

std::vector<RightSubject> RightSubjects() {
  std::vector<RightSubject> all;
  for (const RightRow& row : kRight)
    all.push_back({row.id, row.text, row.promise, "t5_bias", [row] {
                     return std::make_unique<PlainT5>(
                         M::kNone, row.recipe,
                         std::string("right-t5_bias:") + row.id + "/" + row.promise, row.promise);
                   }});
  return all;
}

}  // namespace gnomon::properties::t5_bias
