// Plain kernels of attention, and the mistakes people make in them. Each is one precise change,
// marked by Is().
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gnomon/properties/plain_angle.h"
#include "gnomon/properties/wrong_subjects.h"
#include "gnomon/spec/attention.h"

namespace gnomon::properties::attention {
namespace {

enum class M {
  kNone,
  kMaskTopLeft,
  kMaskStrict,
  kMaskLater,
  kMaskIgnored,
  kKeyMaskIgnored,
  kMaskAfterSoftmax,
  kFullyMaskedNan,
  kFullyMaskedMean,
  kLeaksValue,
  kLeaksKey,
  kScaleNone,
  kScaleOverD,
  kScaleValueDim,
  kScaleIgnored,
  kScaleTwice,
  kBiasScaled,
  kBiasTransposed,
  kBiasIgnored,
  kBiasHeadZero,
  kBiasSign,
  kSlopesIgnored,
  kSlopesPlain,
  kKvModulo,
  kKvFirst,
  kExchanged,
  kKeysAsValues,
  kAxis,
  kNoMaximum,
  kMaximumOfAll,
  kBaseTwo,
  kPlusOne,
  kPlusUnitScore,
  kCapped,
  kNoRescale,
  kNoRescaleOfSum,
  kNotNormalised,
  kNarrowWeights,
  kNarrowScores,
  kMagnitude,
  kTruncates,
  kSaturates,
  kFlushesResult,
  kNanAsZero,
  kTermsTransposed,
  kTermsSwapped,
  kTermMissing,
  kUntiedScaleD,
  kUntiedContentOnly,
  kUntiedNoPosition,
  kBatchZero,
  kStalePrevious,
  kInputStrides,
  kOutputStrides,
  kReadsPadding,
  kTailSkipped,
  kTailBeyond,
  kTailKeys,
  kShortOffsets,
  kWritesInput,
  kAddsToOutput,
};

struct Mistake {
  M mistake;
  const char* id;
  const char* text;
  MistakeKind kind = MistakeKind::kFormula;
};
constexpr MistakeKind kState = MistakeKind::kState;

constexpr Mistake kMistakes[] = {
    {M::kMaskTopLeft, "mask/top-left", "causal mask n <= m, whatever the counts"},
    {M::kMaskStrict, "mask/strict", "a query does not see its own key"},
    {M::kMaskLater, "mask/one-later", "a query sees one key too many"},
    {M::kMaskIgnored, "mask/ignored", "causal mask left out"},
    {M::kKeyMaskIgnored, "mask/padding-ignored", "key_mask left out"},
    {M::kMaskAfterSoftmax, "mask/after-softmax", "weights masked and not normalised again"},
    {M::kFullyMaskedNan, "mask/no-key-nan", "NaN for a query that sees no key"},
    {M::kFullyMaskedMean, "mask/no-key-mean", "the mean of all values for such a query"},
    {M::kLeaksValue, "mask-leak/value", "0 times what a masked value holds"},
    {M::kLeaksKey, "mask-leak/score", "minus infinity added to what a masked score is"},
    {M::kScaleNone, "attention-scale/none", "scores not scaled"},
    {M::kScaleOverD, "attention-scale/over-d", "1 / head_dim"},
    {M::kScaleValueDim, "attention-scale/value-dim", "1 / sqrt(value_dim)"},
    {M::kScaleIgnored, "attention-scale/ignored", "the default whatever scale is asked"},
    {M::kScaleTwice, "attention-scale/twice", "scale on q and on the score"},
    {M::kBiasScaled, "attention-bias/scaled", "bias added before the scaling"},
    {M::kBiasTransposed, "attention-bias/transposed", "bias of (key, query), where square"},
    {M::kBiasIgnored, "attention-bias/ignored", "bias left out"},
    {M::kBiasHeadZero, "attention-bias/head-zero", "the bias of head 0 for all heads"},
    {M::kBiasSign, "attention-bias/sign", "bias subtracted"},
    {M::kSlopesIgnored, "attention-bias/slopes-ignored", "alibi_bias_max left out"},
    {M::kSlopesPlain, "alibi-slopes", "2^(-B h / H) for every H"},
    {M::kKvModulo, "q-k-crossed/kv-modulo", "key head h mod kv_heads"},
    {M::kKvFirst, "q-k-crossed/kv-first", "key head 0 for all"},
    {M::kExchanged, "q-k-crossed/exchanged", "q and k exchanged, where of one shape"},
    {M::kKeysAsValues, "q-k-crossed/keys-as-values", "k weighted for v, where of one shape"},
    {M::kAxis, "softmax-axis", "normalised over the queries"},
    {M::kNoMaximum, "softmax-overflow", "exp of the score itself"},
    {M::kMaximumOfAll, "softmax-overflow/maximum-of-all", "maximum over masked keys too"},
    {M::kBaseTwo, "softmax-base", "2^score for exp"},
    {M::kPlusOne, "softmax-plus-one", "1 added to the sum"},
    {M::kPlusUnitScore, "softmax-plus-one/sink", "a key more, of score and value 0"},
    {M::kCapped, "score-capped", "30 tanh(score / 30)"},
    {M::kNoRescale, "online-rescale", "a new maximum does not rescale the outputs so far"},
    {M::kNoRescaleOfSum, "online-rescale/sum", "nor the sum so far"},
    {M::kNotNormalised, "softmax-not-normalised", "not divided by the sum"},
    {M::kNarrowWeights, "softmax-narrow/weights", "weights rounded to bf16, f32 promised"},
    {M::kNarrowScores, "softmax-narrow/scores", "scores rounded to bf16, f32 promised"},
    {M::kMagnitude, "magnitude", "everything 0.03 % too large"},
    {M::kTruncates, "bf16-truncated", "bf16 by truncation"},
    {M::kSaturates, "f16-saturated", "overflow to the largest number"},
    {M::kFlushesResult, "subnormals-flushed/result", "subnormal results flushed to zero"},
    {M::kNanAsZero, "nan-lost/as-zero", "NaN inputs count as 0"},
    {M::kTermsTransposed, "four-term/transposed", "W^T for W"},
    {M::kTermsSwapped, "four-term/exchanged", "content-position and position-content exchanged"},
    {M::kTermMissing, "four-term/missing", "position-position left at 0"},
    {M::kUntiedScaleD, "untied-scale", "1 / sqrt(d) for 1 / sqrt(2 d)"},
    {M::kUntiedContentOnly, "untied-scale/content-only", "positions not scaled"},
    {M::kUntiedNoPosition, "untied-scale/no-position", "positions left out"},
    {M::kBatchZero, "row-positions/batch-zero", "key_mask of batch row 0 for every row", kState},
    {M::kStalePrevious, "stale-table/previous", "keys of the call before", kState},
    {M::kInputStrides, "stride-ignored/input", "k taken as contiguous", kState},
    {M::kOutputStrides, "stride-ignored/output", "the output taken as contiguous", kState},
    {M::kReadsPadding, "stride-ignored/padding-read", "adds zero times what lies after the row",
     kState},
    {M::kTailSkipped, "tail-vector", "values after the last full vector not written", kState},
    {M::kTailBeyond, "tail-overwrite", "a full vector written at the tail", kState},
    {M::kTailKeys, "tail-vector/keys", "keys after the last full block of 4 left out", kState},
    {M::kShortOffsets, "int32-index/16-bits", "offsets of q in 16 bits", kState},
    {M::kWritesInput, "in-place/input-written", "scales q where it lies", kState},
    {M::kAddsToOutput, "in-place/adds-to-output", "adds to what the output holds", kState},
};

// Ways to compute that ATT-14 leaves open.
struct Way {
  const char* id;
  const char* text;
  const char* promise;
  bool online = false;      // a running maximum, blocks of two keys
  bool prescaled = false;   // q times scale first
  bool both = false;        // q and k times sqrt(scale)
  bool base_two = false;    // scores times log2(e), exp2
  bool float64 = false;     // everything in float64, rounded once
  bool normalised = false;  // weights divided by their sum before they meet values
  bool backward = false;    // sums from the last term
};
constexpr Way kWays[] = {
    {"plain", "maximum, exponentials, sums in f32", "standard"},
    {"plain", "scores, weights and outputs in 16 bits", "f32-angle-16"},
    {"online", "running maximum in blocks", "standard", true},
    {"prescaled", "q times scale first", "standard", false, true},
    {"both-scaled", "q and k times the root of the scale", "standard", false, false, true},
    {"base-two", "powers of two", "standard", true, false, false, true},
    {"base-two", "powers of two of 16-bit scores", "f32-angle-16", false, true, false, true},
    {"float64", "float64, rounded once", "f32-angle", false, false, false, false, true},
    {"normalised", "weights normalised first", "standard", false, false, false, false, false, true},
    {"normalised", "16-bit weights", "f32-angle-16", false, false, false, false, false, true},
    {"backward", "sums from the end", "standard", false, false, false, false, false, false, true},
};

constexpr int64_t kLanes = 4;
constexpr float kInf = std::numeric_limits<float>::infinity();

class PlainAttention final : public Subject {
 public:
  PlainAttention(M mistake, const Way& way, std::string name)
      : mistake_(mistake),
        way_(way),
        name_(std::move(name)),
        promise_(*ProfileFromName(way.promise)) {}

  std::string Name() const override { return name_; }
  bool Declares(const std::string& operation, Format format) const override {
    return operation.rfind("attention.", 0) == 0 && format != Format::kF64;
  }
  size_t Promise() const override { return promise_; }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    c_ = &c;
    narrow_ = kProfiles[promise_].arithmetic == Stage::kOutput;
    if (c.operation == "attention.four_term") return FourTerm(outputs);
    if (c.operation == "attention.untied") return Untied(outputs.at("scores"));
    Softmax(outputs);
    return {};
  }

 private:
  bool Is(M mistake) const { return mistake_ == mistake; }
  // One rounding of the arithmetic.
  double R(double v) const {
    if (way_.float64) return v;
    return narrow_ ? RoundToFormat(c_->format, v) : static_cast<double>(static_cast<float>(v));
  }
  // One rounding of a sum (A7).
  double S(double v) const { return way_.float64 ? v : static_cast<double>(static_cast<float>(v)); }

  double Get(const std::string& role, std::initializer_list<int64_t> index) const {
    const ConstTensorView view = c_->inputs.at(role).view();
    int64_t offset = 0, number = 0;
    size_t axis = 0;
    for (const int64_t i : index) {
      offset += i * view.strides[axis];
      number = number * view.shape[axis++] + i;
    }
    if (Is(M::kInputStrides) && (role == "k" || role == "scores" || role == "w")) offset = number;
    if (Is(M::kShortOffsets) && (role == "q" || role == "scores" || role == "e"))
      offset = offset > 0 ? offset & 0xffff : offset;  // stays inside the storage
    const double v =
        ValueOf(view.dtype, LoadBits(view.dtype, view.data + offset * SizeOf(view.dtype)));
    return Is(M::kNanAsZero) && std::isnan(v) ? 0 : v;
  }
  double Sum(int64_t count, const std::function<double(int64_t)>& term) const {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum = S(sum + term(way_.backward ? count - 1 - i : i));
    return sum;
  }

  bool Sees(int64_t b, int64_t m, int64_t n) const {
    const int64_t offset = Is(M::kMaskTopLeft) ? 0 : e_.keys - e_.queries;
    const int64_t last = m + offset - (Is(M::kMaskStrict) ? 1 : 0) + (Is(M::kMaskLater) ? 1 : 0);
    if (p_.mask == AttentionMask::kCausal && !Is(M::kMaskIgnored) && n > last) return false;
    if (Is(M::kTailKeys) && e_.keys > kLanes && n >= e_.keys / kLanes * kLanes) return false;
    if (!c_->inputs.count("key_mask") || Is(M::kKeyMaskIgnored)) return true;
    return Get("key_mask", {Is(M::kBatchZero) ? 0 : b, n}) != 0;
  }
  int64_t KvHead(int64_t h) const {
    if (Is(M::kKvModulo)) return h % e_.kv_heads;
    return Is(M::kKvFirst) ? 0 : h / (e_.heads / e_.kv_heads);
  }
  double ScaleAsked() const {
    const double root = std::sqrt(static_cast<double>(e_.head_dim));
    if (weights_) return p_.scale && !Is(M::kScaleIgnored) ? p_.scale->value : 1;
    if (p_.scale && !Is(M::kScaleIgnored)) return p_.scale->value;
    if (Is(M::kScaleNone)) return 1;
    if (Is(M::kScaleOverD)) return 1 / static_cast<double>(e_.head_dim);
    if (Is(M::kScaleValueDim))
      return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(e_.value_dim, 1)));
    return 1 / root;
  }
  double SlopeOfHead(int64_t h) const {
    if (!p_.alibi_bias_max || Is(M::kSlopesIgnored)) return 1;
    const double B = p_.alibi_bias_max->value;
    int64_t c = 1;
    while (2 * c <= e_.heads) c *= 2;
    if (Is(M::kSlopesPlain))
      return R(std::exp2(-B * static_cast<double>(h + 1) / static_cast<double>(e_.heads)));
    return R(
        h < c ? std::exp2(-B * static_cast<double>(h + 1) / static_cast<double>(c))
              : std::exp2(-B * static_cast<double>(2 * (h - c) + 1) / static_cast<double>(2 * c)));
  }
  double Bias(int64_t h, int64_t m, int64_t n) const {
    if (!c_->inputs.count("bias") || Is(M::kBiasIgnored)) return 0;
    const int64_t head = c_->inputs.at("bias").shape()[0] == 1 || Is(M::kBiasHeadZero) ? 0 : h;
    const bool turned = Is(M::kBiasTransposed) && e_.queries == e_.keys;
    const double b = turned ? Get("bias", {head, n, m}) : Get("bias", {head, m, n});
    const double slope = SlopeOfHead(h);
    return (Is(M::kBiasSign) && std::isfinite(b) ? -1 : 1) * (slope == 1 ? b : R(slope * b));
  }

  double ScoreAt(int64_t b, int64_t h, int64_t m, int64_t n) const {
    double s = R(ScaleAsked());
    double score;
    if (weights_) {
      score = Get("scores", {b, h, m, n});
      if (Is(M::kScaleTwice)) score = R(score * s);
    } else {
      const bool exchanged = Is(M::kExchanged) && e_.queries == e_.keys && e_.heads == e_.kv_heads;
      const bool first = way_.prescaled || Is(M::kScaleTwice) || Is(M::kWritesInput);
      const double root = way_.both ? R(std::sqrt(std::abs(s))) : 1;
      const bool stale = Is(M::kStalePrevious) && previous_.size() == Keys();
      score = R(Sum(e_.head_dim, [&](int64_t c) {
        const int64_t g = KvHead(h);
        double q = exchanged ? Get("k", {b, m, h, c}) : Get("q", {b, m, h, c});
        double k = exchanged ? Get("q", {b, n, h, c}) : Get("k", {b, n, g, c});
        if (stale)
          k = previous_[static_cast<size_t>(((b * e_.keys + n) * e_.kv_heads + g) * e_.head_dim +
                                            c)];
        if (first) q = R(q * s);
        if (way_.both) q = R(q * root), k = R(k * root);
        return S(q * k);
      }));
      if (first && !Is(M::kScaleTwice)) s = 1;
      if (way_.both) s = s < 0 ? -1 : 1;
    }
    const double bias = Bias(h, m, n);
    if (Is(M::kBiasScaled) && std::isfinite(bias)) {
      score = R(R(score + bias) * s);
    } else {
      score = R(score * s);
      if (Is(M::kCapped)) score = R(30 * std::tanh(score / 30));
      if (c_->inputs.count("bias")) score = R(score + bias);
    }
    if (Is(M::kNarrowScores)) score = RoundToFormat(Format::kBf16, score);
    if (way_.base_two) score = R(score * 1.4426950408889634);
    if (bias == -kInf) return -kInf;
    return score;
  }
  double Exp(double x) const {
    return S(way_.base_two || Is(M::kBaseTwo) ? std::exp2(x) : std::exp(x));
  }
  size_t Keys() const {
    return static_cast<size_t>(e_.batch * e_.keys * e_.kv_heads * e_.head_dim);
  }

  // Scores of one query, minus infinity where it does not see.
  std::vector<double> Scores(int64_t b, int64_t h, int64_t m, std::vector<bool>* seen) const {
    std::vector<double> scores;
    for (int64_t n = 0; n < e_.keys; ++n) {
      const bool sees = Sees(b, m, n);
      seen->push_back(sees);
      const bool needed = sees || Is(M::kMaskAfterSoftmax) || Is(M::kMaximumOfAll);
      double score = needed || Is(M::kLeaksKey) ? ScoreAt(b, h, m, n) : -kInf;
      if (!sees && Is(M::kLeaksKey)) score = std::isnan(score) || score == kInf ? NAN : -kInf;
      scores.push_back(score);
    }
    return scores;
  }
  std::vector<double> WeightsOf(int64_t b, int64_t h, int64_t m) const {
    std::vector<bool> seen;
    const std::vector<double> scores = Scores(b, h, m, &seen);
    double maximum = -kInf;
    for (size_t n = 0; n < scores.size(); ++n)
      if (!(scores[n] <= maximum) && (seen[n] || Is(M::kMaximumOfAll) || Is(M::kMaskAfterSoftmax)))
        maximum = std::isnan(maximum) ? maximum : scores[n];
    std::vector<double> weights(scores.size());
    if (Is(M::kAxis)) return OverQueries(b, h, m);
    double shift = Is(M::kNoMaximum) ? 0 : maximum;
    if (maximum == -kInf) shift = 0;
    double sum = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const size_t n = way_.backward ? scores.size() - 1 - i : i;
      const bool in = seen[n] || Is(M::kMaskAfterSoftmax);
      weights[n] = in || std::isnan(scores[n]) ? R(Exp(R(scores[n] - shift))) : 0;
      sum = S(sum + weights[n]);
    }
    if (Is(M::kPlusOne)) sum += 1;
    if (Is(M::kPlusUnitScore)) sum += std::exp(-shift);
    if (Is(M::kMaskAfterSoftmax))
      for (size_t n = 0; n < scores.size(); ++n)
        if (!seen[n]) weights[n] = 0;
    if (sum == 0) {
      const double instead = Is(M::kFullyMaskedNan)    ? NAN
                             : Is(M::kFullyMaskedMean) ? 1 / static_cast<double>(e_.keys)
                                                       : 0;
      std::fill(weights.begin(), weights.end(), instead);
      sum_ = 1;
      return weights;
    }
    sum_ = Is(M::kNotNormalised) ? 1 : sum;
    if (way_.normalised || weights_) {
      for (double& w : weights) w = R(w / sum_);
      sum_ = 1;
    }
    if (Is(M::kNarrowWeights))
      for (double& w : weights) w = RoundToFormat(Format::kBf16, w);
    return weights;
  }
  std::vector<double> OverQueries(int64_t b, int64_t h, int64_t m) const {
    std::vector<double> weights(static_cast<size_t>(e_.keys), 0.0);
    for (int64_t n = 0; n < e_.keys; ++n) {
      double maximum = -kInf, sum = 0;
      for (int64_t i = 0; i < e_.queries; ++i)
        if (Sees(b, i, n)) maximum = std::max(maximum, ScoreAt(b, h, i, n));
      for (int64_t i = 0; i < e_.queries; ++i)
        if (Sees(b, i, n)) sum += Exp(ScoreAt(b, h, i, n) - maximum);
      if (Sees(b, m, n))
        weights[static_cast<size_t>(n)] = R(Exp(ScoreAt(b, h, m, n) - maximum) / sum);
    }
    sum_ = 1;
    return weights;
  }

  double V(int64_t b, int64_t n, int64_t g, int64_t c) const {
    const bool keys = Is(M::kKeysAsValues) && e_.head_dim == e_.value_dim;
    return Get(keys ? "k" : "v", {b, n, g, c});
  }
  // One output by a running maximum, in blocks of two keys.
  double Online(const std::vector<double>& scores, const std::vector<bool>& seen, int64_t b,
                int64_t h, int64_t m, int64_t c) const {
    double maximum = -kInf, sum = 0, output = 0;
    for (size_t first = 0; first < scores.size(); first += 2) {
      const size_t end = std::min(first + 2, scores.size());
      double next = maximum;
      for (size_t n = first; n < end; ++n)
        if (seen[n]) next = std::isnan(scores[n]) ? NAN : std::max(next, scores[n]);
      const double shift = next == -kInf ? 0 : next;
      const double factor = maximum == -kInf ? 0 : R(Exp(R(maximum - shift)));
      if (!Is(M::kNoRescaleOfSum)) sum = S(sum * factor);
      if (!Is(M::kNoRescale)) output = S(output * factor);
      maximum = next;
      for (size_t n = first; n < end; ++n) {
        if (!seen[n]) continue;
        const double w = R(Exp(R(scores[n] - shift)));
        const int64_t key = static_cast<int64_t>(n);
        sum = S(sum + w);
        if (w == 0 && Bias(h, m, key) == -kInf) continue;
        output = S(output + S(w * V(b, key, KvHead(h), c)));
      }
    }
    return sum == 0 ? output : R(R(output) / sum);
  }

  void Softmax(const OutputViews& outputs) {
    p_ = gnomon::attention::ReadParameters(*c_);
    e_ = gnomon::attention::ExtentsOf(*c_);
    weights_ = c_->operation == "attention.weights";
    const bool online = way_.online || Is(M::kNoRescale) || Is(M::kNoRescaleOfSum);
    const TensorView& to = outputs.at(weights_ ? "weights" : "y");
    for (int64_t b = 0; b < e_.batch; ++b)
      for (int64_t h = 0; h < e_.heads; ++h)
        for (int64_t m = 0; m < e_.queries; ++m) {
          std::vector<bool> seen;
          const std::vector<double> scores =
              online ? Scores(b, h, m, &seen) : std::vector<double>();
          const std::vector<double> weights =
              online && !weights_ ? std::vector<double>() : WeightsOf(b, h, m);
          if (weights_) {
            for (int64_t n = 0; n < e_.keys; ++n)
              Store(to, {b, h, m, n}, e_.keys, weights[static_cast<size_t>(n)]);
            continue;
          }
          for (int64_t c = 0; c < e_.value_dim; ++c) {
            const int64_t g = KvHead(h);
            if (online) {
              Store(to, {b, m, h, c}, e_.value_dim, Online(scores, seen, b, h, m, c));
              continue;
            }
            const double sum = Sum(e_.keys, [&](int64_t n) {
              const double w = weights[static_cast<size_t>(n)];
              const double v =
                  w == 0 && !Is(M::kLeaksValue) && (!Sees(b, m, n) || Bias(h, m, n) == -kInf)
                      ? 0
                      : V(b, n, g, c);
              return S(w * v);
            });
            Store(to, {b, m, h, c}, e_.value_dim, R(R(sum) / sum_));
          }
        }
    if (Is(M::kWritesInput) && !weights_) ScaleQueries();
    if (Is(M::kStalePrevious) && !weights_) {
      previous_.resize(Keys());
      for (size_t i = 0; i < previous_.size(); ++i)
        previous_[i] = c_->inputs.at("k").Value(static_cast<int64_t>(i));
    }
  }
  void ScaleQueries() const {
    const ConstTensorView q = c_->inputs.at("q").view();
    for (int64_t i = 0; i < q.count(); ++i) {
      const double v = RoundToFormat(FormatOf(q.dtype), ValueAt(q, i) * R(ScaleAsked()));
      StoreBits(q.dtype, const_cast<std::byte*>(q.AddressOf(i)), EncodeBits(FormatOf(q.dtype), v));
    }
  }

  // `width`: of the last axis, which vectors run along.
  void Store(const TensorView& to, std::initializer_list<int64_t> index, int64_t width,
             double value) const {
    int64_t offset = 0, number = 0;
    size_t axis = 0;
    for (const int64_t i : index) {
      offset += i * to.strides[axis];
      number = number * to.shape[axis++] + i;
    }
    const int64_t column = *(index.end() - 1), tail = width / kLanes * kLanes;
    if (Is(M::kTailSkipped) && column >= tail) return;
    if (Is(M::kOutputStrides)) offset = number;
    std::byte* address = to.data + offset * SizeOf(to.dtype);
    if (Is(M::kMagnitude)) value *= 1.0003;
    if (Is(M::kAddsToOutput)) value += ValueOf(to.dtype, LoadBits(to.dtype, address));
    if (Is(M::kReadsPadding) && c_->inputs.count("v")) {
      const Tensor& values = c_->inputs.at("v");
      const ConstTensorView v = values.view();
      value += 0 * ReadPast(values, v.data + v.shape[3] * v.strides[3] * SizeOf(v.dtype));
    }
    StoreBits(to.dtype, address,
              StoredBits(c_->format, value,
                         Is(M::kTruncates)       ? StoreMistake::kTruncates
                         : Is(M::kSaturates)     ? StoreMistake::kSaturates
                         : Is(M::kFlushesResult) ? StoreMistake::kFlushes
                                                 : StoreMistake::kNone));
    if (Is(M::kTailBeyond) && column == width - 1)
      for (int64_t i = width; i % kLanes != 0; ++i)
        StoreBits(to.dtype,
                  to.data + (offset + (i - column) * to.strides.back()) * SizeOf(to.dtype), 0);
  }

  Outcome FourTerm(const OutputViews& outputs) const {
    const Shape& shape = c_->inputs.at("e").shape();
    const int64_t seq = shape[0], width = shape[1];
    const std::vector<std::string> names = {"content_content", "content_position",
                                            "position_content", "position_position"};
    for (size_t term = 0; term < 4; ++term) {
      size_t asked = term;
      if (Is(M::kTermsSwapped) && (term == 1 || term == 2)) asked = 3 - term;
      const std::string x = asked < 2 ? "e" : "p", y = asked % 2 == 0 ? "e" : "p";
      for (int64_t m = 0; m < seq; ++m)
        for (int64_t n = 0; n < seq; ++n) {
          const double value = Sum(width, [&](int64_t c) {
            const double part = R(Sum(width, [&](int64_t r) {
              const double w = Is(M::kTermsTransposed) ? Get("w", {c, r}) : Get("w", {r, c});
              return S(Get(x, {m, r}) * w);
            }));
            return S(part * Get(y, {n, c}));
          });
          Store(outputs.at(names[term]), {m, n}, seq,
                Is(M::kTermMissing) && term == 3 ? 0 : R(value));
        }
    }
    return {};
  }
  Outcome Untied(const TensorView& to) const {
    const Shape &q = c_->inputs.at("q").shape(), &k = c_->inputs.at("k").shape();
    const double d = static_cast<double>(q[2]);
    const double s = R(1 / std::sqrt(Is(M::kUntiedScaleD) ? d : 2 * d));
    for (int64_t h = 0; h < q[1]; ++h)
      for (int64_t m = 0; m < q[0]; ++m)
        for (int64_t n = 0; n < k[0]; ++n) {
          const double content = Sum(q[2], [&](int64_t c) {
            return S(Get("q", {m, h, c}) * Get("k", {n, h, c}));
          });
          double position = Sum(q[2], [&](int64_t c) {
            return S(Get("pq", {m, h, c}) * Get("pk", {n, h, c}));
          });
          if (Is(M::kUntiedNoPosition)) position = 0;
          Store(to, {h, m, n}, k[0],
                Is(M::kUntiedContentOnly) ? R(R(content * s) + position)
                                          : R(R(S(content + position)) * s));
        }
    return {};
  }

  M mistake_;
  Way way_;
  std::string name_;
  size_t promise_;
  const Case* c_ = nullptr;
  bool narrow_ = false, weights_ = false;
  gnomon::attention::Parameters p_;
  gnomon::attention::Extents e_;
  mutable double sum_ = 1;
  std::vector<double> previous_;
};

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all;
  for (const Mistake& m : kMistakes)
    all.push_back({m.id, m.text, m.kind, "attention", [m] {
                     return std::make_unique<PlainAttention>(m.mistake, kWays[0],
                                                             std::string("wrong:") + m.id);
                   }});
  return all;
}

std::vector<RightSubject> RightSubjects() {
  std::vector<RightSubject> all;
  for (const Way& way : kWays)
    all.push_back({way.id, way.text, way.promise, "attention", [way] {
                     return std::make_unique<PlainAttention>(
                         M::kNone, way,
                         std::string("right-attention:") + way.id + "/" + way.promise);
                   }});
  return all;
}

}  // namespace gnomon::properties::attention
