// Plain ALiBi kernels, right ones and wrong ones (spec/mistakes.md). Float code of its own: nothing
// here calls the reference, a kernel or a hypothesis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/properties/plain_angle.h"
#include "gnomon/properties/plain_attention.h"
#include "gnomon/properties/plain_kernel.h"
#include "gnomon/properties/wrong_subjects.h"
#include "gnomon/spec/alibi.h"

namespace gnomon::properties::alibi {
namespace {

enum class M {
  kNone,
  kSlopesNaive,
  kSlopesFromZero,
  kSlopesNextPower,
  kSlopesEvens,
  kSlopesUnordered,
  kSlopesSameCount,
  kSlopesReversed,
  kSlopesBaseE,
  kSlopesHeadZero,
  kBiasMax,
  kSign,
  kFormDistance,
  kFormKey,
  kFormEnd,
  kFormBelow,
  kFormLength,
  kDecodeZeros,
  kDecodeFromZero,
  kDecodeBf16Product,
  kDecodeF16Product,
  kPositionsBf16,
  kPositionsF16,
  kOffset,
  kAbsolutePosition,
  kUint16,
  kInt16,
  kUnsignedPosition,
  kInt32Distance,
  kBatchZero,
  kCountsTokens,
  kMagnitude,
  kTruncates,
  kRoundsTwice,
  kSaturates,
  kFlushesResult,
  kStalePrevious,
  kInputStrides,
  kOutputStrides,
  kTailSkipped,
  kTailBeyond,
  kShortOffsets,
  kWritesInput,
  kSlopesKvHeads,
  kMaskByPosition,
  kMaskIgnored,
  kMaskTopLeft,
  kPaddingIgnored,
  kLeaksValue,
  kScaleNone,
  kBiasScaled,
  kKvModulo,
};

constexpr MistakeKind kFormula = MistakeKind::kFormula, kState = MistakeKind::kState;

const MistakeRow<M> kRows[] = {
    {M::kSlopesNaive, "alibi-slopes", "2^(-B h / H) for every number of heads", kFormula,
     "standard"},
    {M::kSlopesFromZero, "alibi-slopes/from-zero", "heads counted from 0", kFormula, "standard"},
    {M::kSlopesNextPower, "alibi-slopes/next-power", "the first H slopes of the next power of two",
     kFormula, "standard"},
    {M::kSlopesEvens, "alibi-slopes/evens", "the 2nd, 4th, .. slope of 2c heads for the others",
     kFormula, "standard"},
    {M::kSlopesUnordered, "alibi-slopes/unordered",
     "the odd slopes of 2c heads before the even ones", kFormula, "standard"},
    {M::kSlopesSameCount, "alibi-slopes/same-count", "exponents of c heads for the others too",
     kFormula, "standard"},
    {M::kSlopesReversed, "alibi-slopes/reversed", "the last head has the steepest slope", kFormula,
     "standard"},
    {M::kSlopesBaseE, "alibi-slopes/base-e", "powers of e for powers of 2", kFormula, "standard"},
    {M::kSlopesHeadZero, "alibi-slopes/head-zero", "the first slope for every head", kFormula,
     "standard"},
    {M::kBiasMax, "alibi-bias-max", "8 whatever alibi_bias_max is", kFormula, "standard"},
    {M::kSign, "alibi-sign", "+slope |m - n|, -slope n", kFormula, "standard"},
    {M::kFormDistance, "alibi-form/distance", "-slope |m - n|, whatever form is asked", kFormula,
     "standard"},
    {M::kFormKey, "alibi-form/key", "slope n, whatever form is asked", kFormula, "standard"},
    {M::kFormEnd, "alibi-form/key-from-the-end", "slope (n - (T - 1)), whatever form is asked",
     kFormula, "standard"},
    {M::kFormBelow, "alibi-form/distance-below", "0 above the diagonal, whatever form is asked",
     kFormula, "standard"},
    {M::kFormLength, "alibi-form/length", "n - T for n - (T - 1)", kFormula, "standard"},
    {M::kDecodeZeros, "alibi-decode", "a bias over the queries, so 0 for a single one", kFormula,
     "standard"},
    {M::kDecodeFromZero, "alibi-decode/from-zero", "queries counted from 0", kFormula, "standard"},
    {M::kDecodeBf16Product, "alibi-decode/bf16-product", "the product in bf16", kFormula,
     "standard"},
    {M::kDecodeF16Product, "alibi-decode/f16-product", "the product in f16", kFormula, "standard"},
    {M::kPositionsBf16, "positions-bf16", "positions rounded to bf16", kFormula, "standard"},
    {M::kPositionsF16, "positions-f16", "positions rounded to f16, saturated", kFormula,
     "standard"},
    {M::kOffset, "offset/query", "position m + 1 for m", kFormula, "standard"},
    {M::kUint16, "position-width/uint16", "positions in unsigned 16 bits", kFormula, "standard"},
    {M::kInt16, "position-width/int16", "positions in signed 16 bits", kFormula, "standard"},
    {M::kAbsolutePosition, "negative-position", "|position|", kFormula, "standard"},
    {M::kUnsignedPosition, "negative-position/unsigned", "positions read as unsigned 32 bits",
     kFormula, "standard"},
    {M::kInt32Distance, "int32-index/distance", "m - n in 32 bits", kFormula, "standard"},
    {M::kBatchZero, "row-positions", "positions of batch row 0 for every row", kState, "standard"},
    {M::kCountsTokens, "arange-positions", "0..T-1 whatever the positions are", kFormula,
     "standard"},
    {M::kMagnitude, "magnitude", "everything times 1.0003", kFormula, "standard"},
    {M::kTruncates, "bf16-truncated", "bf16 by dropping bits", kFormula, "standard"},
    {M::kRoundsTwice, "bf16-double-rounding", "to f32, then to 16 bits, where rounded is promised",
     kFormula, "rounded"},
    {M::kSaturates, "f16-saturated", "overflow gives the largest number", kFormula, "standard"},
    {M::kFlushesResult, "subnormals-flushed", "subnormal results become 0", kFormula, "standard"},
    {M::kStalePrevious, "stale-table/previous", "the positions of the previous call", kState,
     "standard"},
    {M::kInputStrides, "stride-ignored/input", "positions taken as contiguous", kState, "standard"},
    {M::kOutputStrides, "stride-ignored/output", "the output taken as contiguous", kState,
     "standard"},
    {M::kTailSkipped, "tail-vector", "keys after the last full vector not written", kState,
     "standard"},
    {M::kTailBeyond, "tail-overwrite", "a full vector written at the tail", kState, "standard"},
    {M::kShortOffsets, "int32-index/16-bits", "offsets in 16 bits", kState, "standard"},
    {M::kWritesInput, "in-place/input-written", "leaves the last distances in the key positions",
     kState, "standard"},
    {M::kSlopesKvHeads, "alibi-slopes/kv-heads", "the slopes of the key heads, one for each group",
     kFormula, "standard"},
    {M::kScaleNone, "attention-scale/none", "scores not scaled", kFormula, "standard"},
    {M::kBiasScaled, "attention-bias/scaled", "bias added before the scaling", kFormula,
     "standard"},
};

// Which freedoms of ALIBI-5 a right kernel takes.
struct Freedom {
  bool power = false;                            // 2^-e by pow(2, -e), not 1 / pow(2, e)
  bool products = false;                         // chained: multiplied up, not one pow
  Rounding::Tables tables = Rounding::kNearest;  // the slope within an ulp
  bool float64 = false;                          // the product in float64
};
struct RightRow {
  const char* id;
  const char* text;
  const char* promise;
  Freedom freedom;
};
const RightRow kRight[] = {
    {"plain", "float64 slopes, every operation rounded", "standard", {}},
    {"plain", "f32 exponents and slopes", "f32-angle", {}},
    {"plain", "slopes by exp(-e ln 2)", "f32-exp", {}},
    {"plain", "16-bit slopes, distances and products", "f32-angle-16", {}},
    {"plain", "powers of the first slope", "f32-chained", {}},
    {"negative-exponent", "slopes by pow(2, -e)", "f32-angle", {.power = true}},
    {"multiplied-up", "slopes multiplied up from the first", "f32-chained", {.products = true}},
    {"tables/up", "slopes rounded up", "standard", {.tables = Rounding::kUp}},
    {"tables/down", "slopes rounded down", "standard", {.tables = Rounding::kDown}},
    {"tables/down",
     "slopes rounded down, then to 16 bits",
     "f32-angle-16",
     {.tables = Rounding::kDown}},
    {"float64", "the product in float64", "standard", {.float64 = true}},
    {"float64", "the product in float64", "f32-chained", {.float64 = true}},
};

constexpr int64_t kLanes = 4;

class PlainAlibi final : public Subject {
 public:
  PlainAlibi(M mistake, const Freedom& freedom, std::string name, const std::string& promise)
      : mistake_(mistake),
        freedom_(freedom),
        name_(std::move(name)),
        promise_(*ProfileFromName(promise)) {}

  std::string Name() const override { return name_; }
  bool Declares(const std::string& operation, Format format) const override {
    return operation.rfind("alibi.", 0) == 0 && format != Format::kF64;
  }
  size_t Promise() const override { return promise_; }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    format_ = c.format;
    if (c.operation == "alibi.slopes") return Slopes(c, outputs.at("slopes"));
    if (c.operation == "alibi.attention") return Attention(c, outputs.at("y"));
    return Bias(c, outputs.at("bias"));
  }

 private:
  bool Is(M mistake) const { return mistake_ == mistake; }
  const Profile& promise() const { return kProfiles[promise_]; }

  // The exponent is -B first / second.
  std::pair<int64_t, int64_t> FractionOf(const AlibiSlopes& s, int64_t head) const {
    const int64_t H = s.num_heads;
    int64_t h = head + 1, c = 1;
    while (2 * c <= H) c *= 2;
    if (Is(M::kSlopesHeadZero)) h = 1;
    if (Is(M::kSlopesReversed)) h = H - head;
    if (Is(M::kSlopesFromZero)) --h;
    if (Is(M::kSlopesNaive)) return {h, H};
    if (Is(M::kSlopesNextPower) && c < H) return {h, 2 * c};
    if (Is(M::kSlopesUnordered) && c < H) {
      const int64_t odd = H - c;  // of those, the first ones come first
      return h <= odd ? std::pair{2 * h - 1, 2 * c} : std::pair{h - odd, c};
    }
    if (h <= c) return {h, c};
    const int64_t k = 2 * (h - c) - (Is(M::kSlopesEvens) ? 0 : 1);
    return {k, Is(M::kSlopesSameCount) ? c : 2 * c};
  }

  // As it is stored before the product (BOUND-1).
  double SlopeOf(const AlibiSlopes& s, int64_t head) const {
    const auto [k, d] = FractionOf(s, head);
    const double B = Is(M::kBiasMax) ? 8 : s.bias_max.value;
    const double base = Is(M::kSlopesBaseE) ? std::exp(1.0) : 2;
    if (promise().angle == AngleForm::kExact) {
      const double slope = std::pow(base, -B * static_cast<double>(k) / static_cast<double>(d));
      return promise().correctly_rounded ? slope : EntryOf(slope, freedom_.tables);
    }
    const float b = static_cast<float>(B), n = static_cast<float>(k), m = static_cast<float>(d);
    float slope;
    if (promise().angle == AngleForm::kChained) {
      const float first = static_cast<float>(std::pow(2.0, static_cast<double>(-b / m)));
      slope = static_cast<float>(std::pow(static_cast<double>(first), static_cast<double>(k)));
      if (freedom_.products) {
        slope = first;
        for (int64_t i = 1; i < k; ++i) slope *= first;
      }
    } else if (promise().angle == AngleForm::kExp) {
      const float argument = -(b * n / m) * 0.693147182464599609375f;
      slope = EntryOf(std::exp(static_cast<double>(argument)), freedom_.tables);
    } else if (freedom_.power) {
      slope = EntryOf(std::exp2(static_cast<double>(-(b * n / m))), freedom_.tables);
    } else {
      const float power = static_cast<float>(std::exp2(static_cast<double>(b * n / m)));
      // Beyond the range of f32 careful code takes the other way.
      slope = std::isinf(power) ? static_cast<float>(std::exp2(static_cast<double>(-(b * n / m))))
                                : EntryOf(static_cast<double>(1 / power), freedom_.tables);
    }
    if (promise().tables == Stage::kOutput)
      return RoundToFormat(format_, static_cast<double>(slope));
    return static_cast<double>(slope);
  }

  double Rounded(double v) const {
    if (promise().correctly_rounded) return v;
    if (promise().arithmetic == Stage::kOutput) return RoundToFormat(format_, v);
    return static_cast<double>(static_cast<float>(v));
  }

  void Store(const TensorView& view, int64_t number, int64_t columns, double value) const {
    const int64_t column = number % columns;
    if (Is(M::kTailSkipped) && column >= columns / kLanes * kLanes) return;
    if (Is(M::kMagnitude)) value *= 1.0003;
    int64_t offset = Is(M::kOutputStrides) ? number : view.OffsetOf(number);
    if (Is(M::kShortOffsets) && offset > 0) offset = static_cast<uint16_t>(offset);
    std::byte* address = view.data + offset * SizeOf(view.dtype);
    const StoreMistake mistake = Is(M::kTruncates)       ? StoreMistake::kTruncates
                                 : Is(M::kRoundsTwice)   ? StoreMistake::kRoundsTwice
                                 : Is(M::kSaturates)     ? StoreMistake::kSaturates
                                 : Is(M::kFlushesResult) ? StoreMistake::kFlushes
                                                         : StoreMistake::kNone;
    StoreBits(view.dtype, address, StoredBits(format_, value, mistake));
    if (Is(M::kTailBeyond) && column == columns - 1 && columns % kLanes != 0)
      StoreBits(view.dtype, address + view.strides.back() * SizeOf(view.dtype), 0);
  }

  Outcome Slopes(const Case& c, const TensorView& slopes) const {
    const AlibiSlopes s = gnomon::alibi::ReadSlopes(c);
    for (int64_t h = 0; h < s.num_heads; ++h) Store(slopes, h, s.num_heads, SlopeOf(s, h));
    return {};
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

  int64_t FactorOf(AlibiForm form, int64_t m, int64_t n, int64_t keys) const {
    if (Is(M::kFormDistance)) form = AlibiForm::kDistance;
    if (Is(M::kFormKey)) form = AlibiForm::kKey;
    if (Is(M::kFormEnd)) form = AlibiForm::kKeyFromTheEnd;
    if (Is(M::kFormBelow)) form = AlibiForm::kDistanceBelow;
    if (form == AlibiForm::kKey) return n;
    if (form == AlibiForm::kKeyFromTheEnd) return n - keys + (Is(M::kFormLength) ? 0 : 1);
    int64_t offset = m - n;
    if (Is(M::kInt32Distance)) offset = static_cast<int32_t>(static_cast<uint32_t>(offset));
    if (form == AlibiForm::kDistanceBelow) return -std::max<int64_t>(offset, 0);
    return -std::abs(offset);
  }

  double Product(double slope, int64_t factor) const {
    const double x = static_cast<double>(factor);
    if (Is(M::kDecodeBf16Product)) return RoundToFormat(Format::kBf16, slope * x);
    if (Is(M::kDecodeF16Product)) return RoundToFormat(Format::kF16, slope * x);
    if (freedom_.float64) return slope * x;
    return Rounded(slope * Rounded(x));
  }

  void TakePositions(const Case& c, std::vector<int64_t>* m, std::vector<int64_t>* n) {
    *m = PositionsOf(c.inputs.at("query_positions"), true);
    *n = PositionsOf(c.inputs.at("key_positions"), false);
    if (!Is(M::kStalePrevious)) return;
    std::swap(previous_m_, *m);
    std::swap(previous_n_, *n);
    if (previous_m_.size() == m->size() && previous_n_.size() == n->size()) return;
    *m = previous_m_;
    *n = previous_n_;
  }
  // Of the pair of positions, as it is stored or added.
  double BiasOf(const gnomon::alibi::BiasParameters& p, int64_t head, int64_t m, int64_t n,
                int64_t keys, int64_t queries) const {
    int64_t factor = FactorOf(p.form, m, n, keys);
    if (Is(M::kSign)) factor = -factor;
    if (Is(M::kDecodeZeros) && queries == 1) factor = 0;
    return factor == 0 ? 0 : Product(SlopeOf(p.slopes, head), factor);
  }
  void LeaveDistances(const Case& c) const {
    if (!Is(M::kWritesInput)) return;
    const ConstTensorView key = c.inputs.at("key_positions").view();
    StoreBits(key.dtype, const_cast<std::byte*>(key.AddressOf(key.count() - 1)), 12345);
  }

  HeadMistake AroundTheBias() const {
    if (Is(M::kScaleNone)) return HeadMistake::kScaleNone;
    return Is(M::kBiasScaled) ? HeadMistake::kBiasScaled : OfHeads(mistake_);
  }
  Outcome Attention(const Case& c, const TensorView& y) {
    gnomon::alibi::AttentionParameters p = gnomon::alibi::ReadAttention(c);
    const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
    std::vector<int64_t> m, n;
    TakePositions(c, &m, &n);
    const bool batched = c.inputs.at("key_positions").shape().size() == 2;
    const int64_t group = Is(M::kSlopesKvHeads) ? e.heads / e.kv_heads : 1;
    p.bias.slopes.num_heads /= group;
    PlainHeads how;
    how.mistake = AroundTheBias();
    how.rounded = [this](double v) { return Rounded(v); };
    how.summed = [this](double v) {
      return promise().correctly_rounded ? v : static_cast<double>(static_cast<float>(v));
    };
    how.bias = [&](int64_t b, int64_t head, int64_t query, int64_t key) {
      const int64_t row = batched ? b : 0;
      const int64_t at_m = m[static_cast<size_t>(row * e.queries + query)];
      const int64_t at_n = n[static_cast<size_t>(row * e.keys + key)];
      if (Is(M::kMaskByPosition) && p.heads.mask == AttentionMask::kCausal && at_n > at_m)
        return -std::numeric_limits<double>::infinity();
      return BiasOf(p.bias, head / group, at_m, at_n, e.keys, e.queries);
    };
    how.store = [&](int64_t number, int64_t columns, double value) {
      Store(y, number, columns, value);
    };
    RunPlainHeads(c, p.heads, how);
    LeaveDistances(c);
    return {};
  }

  Outcome Bias(const Case& c, const TensorView& bias) {
    const gnomon::alibi::BiasParameters p = gnomon::alibi::ReadBias(c);
    std::vector<int64_t> m, n;
    TakePositions(c, &m, &n);
    const int64_t keys = bias.shape.back(), queries = bias.shape[bias.rank() - 2];
    const int64_t heads = p.slopes.num_heads;
    for (int64_t i = 0; i < bias.count(); ++i) {
      const int64_t row = i / keys, batch = row / queries / heads;
      const int64_t at_m = m[static_cast<size_t>(batch * queries + row % queries)];
      const int64_t at_n = n[static_cast<size_t>(batch * keys + i % keys)];
      Store(bias, i, keys, BiasOf(p, row / queries % heads, at_m, at_n, keys, queries));
    }
    LeaveDistances(c);
    return {};
  }

  M mistake_;
  Freedom freedom_;
  std::string name_;
  size_t promise_;
  Format format_ = Format::kF32;                  // of the case under way
  std::vector<int64_t> previous_m_, previous_n_;  // kStalePrevious
};

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all;
  const auto add = [&](const MistakeRow<M>& row) {
    all.push_back({row.id, row.text, row.kind, "alibi", [row] {
                     return std::make_unique<PlainAlibi>(
                         row.mistake, Freedom(), std::string("wrong:") + row.id, row.promise);
                   }});
  };
  for (const MistakeRow<M>& row : kRows) add(row);
  for (const MistakeRow<M>& row : kHeadRows<M>) add(row);
  return all;
}

std::vector<RightSubject> RightSubjects() {
  std::vector<RightSubject> all;
  for (const RightRow& row : kRight)
    all.push_back({row.id, row.text, row.promise, "alibi", [row] {
                     return std::make_unique<PlainAlibi>(
                         M::kNone, row.freedom,
                         std::string("right-alibi:") + row.id + "/" + row.promise, row.promise);
                   }});
  return all;
}

}  // namespace gnomon::properties::alibi
