// The answers of a mistaken kernel, evaluated in binary64. That is itself an implementation of f64
// arithmetic: ATT-14 and ATT-15 say how far off it is.
#include "gnomon/oracle/predict_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/spec/attention.h"

namespace gnomon::oracle::attention {
namespace {

using gnomon::attention::Extents;
using gnomon::attention::KeyTerms;
using gnomon::attention::Parameters;
using gnomon::attention::RowErrors;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double At(const ConstTensorView& view, std::initializer_list<int64_t> index, bool contiguous,
          const Change& shared) {
  int64_t offset = 0, number = 0;
  size_t axis = 0;
  for (const int64_t i : index) {
    offset += i * view.strides[axis];
    number = number * view.shape[axis++] + i;
  }
  const std::byte* address = view.data + (contiguous ? number : offset) * SizeOf(view.dtype);
  return Read(shared, FormatOf(view.dtype), LoadBits(view.dtype, address));
}

class SoftmaxPredictor : public Predictor {
 public:
  SoftmaxPredictor(const Answered& answered, const AttentionChange& change)
      : SoftmaxPredictor(answered, change, gnomon::attention::ReadParameters(*answered.c), {}, {}) {
  }
  SoftmaxPredictor(const Answered& answered, const AttentionChange& change, const Parameters& p,
                   const PairBiasOf& scheme, const PairVectors& vectors)
      : c_(*answered.c),
        change_(change),
        p_(p),
        scheme_(scheme),
        vectors_(vectors),
        e_(gnomon::attention::ExtentsOf(c_)),
        weights_(c_.operation == "attention.weights") {}

  Prediction At(int, int64_t element) override {
    const int64_t width = weights_ ? e_.keys : e_.value_dim, column = element % width;
    if (InTail(change_.shared, column, width, false))
      return Unwritten(change_.shared.tail, DTypeOf(c_.format), std::nullopt);
    const int64_t row = element / width;
    b_ = row / (e_.heads * e_.queries);
    h_ = weights_ ? row / e_.queries % e_.heads : row % e_.heads;
    m_ = weights_ ? row % e_.queries : row / e_.heads % e_.queries;
    if (row != row_) Evaluate();
    row_ = row;
    return Finished(column);
  }

 private:
  struct Key {
    bool seen = false;
    bool given = true;  // its product or value may enter
    double score = -kInfinity, weight = 0;
    double added = 0;  // to the weight
    bool overflowed = false;
    KeyTerms<double> terms;
    PairBias pair;
  };

  double Input(const std::string& role, std::initializer_list<int64_t> index) const {
    return attention::At(c_.inputs.at(role).view(), index,
                         change_.k_contiguous && (role == "k" || role == "scores"), change_.shared);
  }
  bool Sees(int64_t m, int64_t n) const {
    if (change_.key_lanes > 0 && e_.keys > change_.key_lanes &&
        n >= e_.keys / change_.key_lanes * change_.key_lanes)
      return false;
    if (p_.mask == AttentionMask::kCausal && !change_.no_mask) {
      const int64_t last = m + (change_.top_left ? 0 : e_.keys - e_.queries) + change_.anchor;
      if (n > last) return false;
    }
    const auto mask = c_.inputs.find("key_mask");
    if (mask == c_.inputs.end() || change_.no_key_mask) return true;
    return mask->second.Integer((change_.batch_zero ? 0 : b_) * e_.keys + n) != 0;
  }
  int64_t KvHead() const {
    if (change_.kv_modulo) return h_ % e_.kv_heads;
    return change_.kv_first ? 0 : e_.KvHead(h_);
  }
  double Scale() const {
    const double asked = p_.scale   ? p_.scale->value
                         : weights_ ? 1
                                    : 1 / std::sqrt(static_cast<double>(e_.head_dim));
    double scale = change_.scale.value_or(asked);
    if (change_.scale_power == 2) scale *= scale;
    return scale;
  }
  double Bias(int64_t m, int64_t n) const {
    const auto found = c_.inputs.find("bias");
    if (found == c_.inputs.end() || change_.bias_left_out) return 0;
    const int64_t head = found->second.shape()[0] == 1 || change_.bias_of_head_zero ? 0 : h_;
    const bool turned = change_.bias_turned && e_.queries == e_.keys;
    double slope = 1;
    if (p_.alibi_bias_max && !change_.no_slopes) {
      const gnomon::attention::SlopeExponent s = gnomon::attention::SlopeOf(h_, e_.heads);
      const double numerator = static_cast<double>(change_.plain_slopes ? h_ + 1 : s.numerator);
      const double denominator =
          static_cast<double>(change_.plain_slopes ? e_.heads : s.denominator);
      slope = std::exp2(-p_.alibi_bias_max->value * numerator / denominator);
    }
    const double b = turned ? Input("bias", {head, n, m}) : Input("bias", {head, m, n});
    return (std::isfinite(b) ? change_.bias_sign : 1) * slope * b;
  }

  Key KeyAt(int64_t m, int64_t n) const {
    Key key;
    key.seen = Sees(m, n);
    const double scale = Scale();
    double content = 0, position = 0;
    KeyTerms<double>& t = key.terms;
    const bool exchanged =
        change_.exchanged && !weights_ && e_.queries == e_.keys && e_.heads == e_.kv_heads;
    for (int64_t c = 0; c < e_.head_dim; ++c) {
      const double q = weights_    ? 1
                       : exchanged ? Input("k", {b_, m, h_, c})
                                   : Input("q", {b_, m, h_, c});
      const double k = weights_    ? Input("scores", {b_, h_, m, n})
                       : exchanged ? Input("q", {b_, n, h_, c})
                                   : Input("k", {b_, n, KvHead(), c});
      content += q * k;
      t.products += std::abs(scale * q * k);
      t.operands += std::abs(q) + std::abs(k);
      key.overflowed |= std::isfinite(q) && std::isfinite(k) &&
                        !(std::abs(q * k) * std::max(1.0, std::abs(scale)) < 0x1p1000);
      if (!vectors_.key) continue;
      const double a = vectors_.key(b_, h_, m, n, c), by = change_.vector_by_key ? k : q;
      position += by * a;
      t.products += std::abs((change_.scales_content_only ? 1 : scale) * by * a);
      t.operands += std::abs(a);
    }
    if (scheme_) key.pair = scheme_(b_, h_, m, n);
    const double bias = scheme_ ? key.pair.value : Bias(m, n);
    const bool left_out = bias == -kInfinity;
    const bool after = change_.bias_after_softmax && std::isfinite(bias);
    if (after) key.added = bias;
    key.score = after ? scale * content
                : vectors_.key && !left_out
                    ? scale * content + (change_.scales_content_only ? 1 : scale) * position
                : change_.bias_scaled && !left_out ? scale * (content + bias)
                                                   : scale * content + bias;
    if (left_out) key.score = -kInfinity;
    if (change_.scores_in) key.score = RoundToFormat(*change_.scores_in, key.score);
    if (change_.base_two) key.score *= 0.6931471805599453;
    key.given = !left_out;
    t.bias = std::isfinite(bias) ? std::abs(bias) : 0;
    t.size = std::isfinite(key.score) ? std::abs(key.score) : 0;
    return key;
  }

  // Weights of the row, and how far each profile's kernel may be off.
  void Evaluate() {
    keys_.clear();
    for (int64_t n = 0; n < e_.keys; ++n) keys_.push_back(KeyAt(m_, n));
    nan_ = overflowed_ = false;
    double highest = -kInfinity, all = -kInfinity, sum = 0;
    for (const Key& key : keys_) {
      const bool in = key.seen || change_.masks_weights;
      overflowed_ |= key.overflowed;
      if (in || change_.leaks_scores) nan_ |= std::isnan(key.score) || key.score == kInfinity;
      if (in) highest = std::max(highest, key.score);
      all = std::max(all, key.score);
    }
    const double shift = change_.all_maximum ? all : highest;
    std::vector<KeyTerms<double>> terms;
    std::vector<PairBias> pairs;
    empty_ = highest == -kInfinity;
    double z = 0;
    for (Key& key : keys_) {
      const bool in = (key.seen || change_.masks_weights) && key.score > -kInfinity;
      if (!in) continue;
      key.terms.relative = key.score - highest;
      key.terms.exponential = std::exp(key.terms.relative);
      z += key.terms.exponential;
      sum += std::exp(key.score - shift);
      terms.push_back(key.terms);
      pairs.push_back(key.pair);
    }
    // Out of range of the working format: no number to predict.
    const double range = c_.format == Format::kF64 ? 700 : 85;
    vague_ = !empty_ && ((change_.no_maximum && std::abs(highest) > range) ||
                         (change_.all_maximum && all - highest > range));
    for (const PairBias& pair : pairs) vague_ |= !pair.known;
    const double extra = change_.added * std::exp(-shift + (change_.added > 0 ? shift : 0));
    for (Key& key : keys_) {
      const bool in = key.seen && key.score > -kInfinity && !empty_;
      key.weight = !in                      ? 0
                   : change_.not_normalised ? key.terms.exponential
                                            : key.terms.exponential / (z + extra);
      if (in) key.weight += key.added;
      if (change_.weights_in) key.weight = RoundToFormat(*change_.weights_in, key.weight);
    }
    if (change_.over_queries) OverQueries();
    for (size_t i = 0; i < kProfiles.size(); ++i) errors_[i] = {};
    if (terms.empty()) return;
    const double slopes = p_.alibi_bias_max ? gnomon::attention::SlopeRoundings(h_, e_.heads) : 0;
    const bool biased = (scheme_ && !vectors_.key) || c_.inputs.count("bias") > 0;
    const int vectors = vectors_.key ? 2 : 1;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      for (size_t n = 0; n < terms.size(); ++n) terms[n].bias_error = pairs[n].error[i];
      errors_[i] =
          gnomon::attention::ErrorsOfRow<double>(kProfiles[i], c_.format, e_.head_dim, biased,
                                                 slopes, std::abs(Scale()), z, terms, vectors);
    }
    for (size_t n = 0; n < terms.size(); ++n) terms[n].bias_error = pairs[n].own_error;
    own_ = gnomon::attention::ErrorsOfRow<double>(kProfiles[1], Format::kF64, e_.head_dim, biased,
                                                  slopes, std::abs(Scale()), z, terms, vectors);
  }
  void OverQueries() {
    for (int64_t n = 0; n < e_.keys; ++n) {
      double highest = -kInfinity, sum = 0;
      for (int64_t m = 0; m < e_.queries; ++m)
        if (Sees(m, n)) highest = std::max(highest, KeyAt(m, n).score);
      for (int64_t m = 0; m < e_.queries; ++m)
        if (Sees(m, n)) sum += std::exp(KeyAt(m, n).score - highest);
      Key& key = keys_[static_cast<size_t>(n)];
      key.weight = key.seen ? std::exp(key.score - highest) / sum : 0;
    }
  }

  double Value(int64_t n, int64_t column) const {
    if (weights_) return n == column;
    const bool keys = change_.keys_for_values && e_.head_dim == e_.value_dim;
    return Input(keys ? "k" : "v", {b_, n, KvHead(), column});
  }
  // REL-12. 0 where nothing is added.
  double Added(int64_t n, int64_t column) const {
    if (!vectors_.value) return 0;
    if (change_.last_of_row)
      for (int64_t later = n + 1; later < e_.keys; ++later)
        if (keys_[static_cast<size_t>(later)].seen &&
            keys_[static_cast<size_t>(later)].score > -kInfinity &&
            vectors_.row(b_, m_, later) == vectors_.row(b_, m_, n))
          return 0;
    return vectors_.value(b_, h_, m_, n, column);
  }
  // An online softmax in blocks that rescales neither outputs nor, maybe, the sum.
  double Online(int64_t column) const {
    double highest = -kInfinity, sum = 0, output = 0;
    for (int64_t first = 0; first < e_.keys; first += change_.block) {
      const int64_t end = std::min(first + change_.block, e_.keys);
      double next = highest;
      for (int64_t n = first; n < end; ++n)
        if (keys_[static_cast<size_t>(n)].seen)
          next = std::max(next, keys_[static_cast<size_t>(n)].score);
      if (next == -kInfinity) continue;
      const double factor = highest == -kInfinity ? 0 : std::exp(highest - next);
      if (change_.rescales_sum) {
        sum *= factor;
      } else {
        output *= factor;
      }
      highest = next;
      for (int64_t n = first; n < end; ++n) {
        const Key& key = keys_[static_cast<size_t>(n)];
        if (!key.seen || key.score == -kInfinity) continue;
        const double w = std::exp(key.score - highest);
        sum += w;
        output += w * Value(n, column);
      }
    }
    return sum == 0 ? 0 : output / sum;
  }

  Prediction Finished(int64_t column) {
    const double nan = std::nan("");
    Prediction any;
    if (overflowed_) return any;  // nearly out of binary64, in which this is computed
    // ATT-2: a masked key has the weight 0, whatever the others are.
    if (nan_ && weights_ && !change_.leaks_scores && !change_.masks_weights &&
        !(keys_[static_cast<size_t>(column)].seen && keys_[static_cast<size_t>(column)].given))
      return Stored(change_.shared, c_.format, 0, 0, {}, {});
    if (nan_) return NonFinite(change_.shared, c_.format, nan);
    double value = 0, size = 0, values = 0, special = 0;
    PerProfile moved{}, bound{}, narrow{};
    double own_moved = 0, rho = 0;
    size_t used = 0;
    for (size_t n = 0; n < keys_.size(); ++n) {
      const Key& key = keys_[n];
      const bool in = (key.seen || change_.masks_weights) && key.score > -kInfinity;
      const double own = Value(static_cast<int64_t>(n), column);
      const double added = Added(static_cast<int64_t>(n), column);
      const double v = own + added, reach = std::abs(own) + std::abs(added);
      const bool meets = key.seen && key.score > -kInfinity;
      if (!std::isfinite(v) && (meets || (change_.leaks_values && key.given)))
        special += meets ? v : nan;
      if (!std::isfinite(v)) {
        if (in) ++used;
        continue;
      }
      value += key.weight * v;
      size += std::abs(key.weight) * reach;
      values += reach * std::max(1.0, std::abs(key.weight));
      if (!in) continue;
      const double a = key.terms.exponential;
      const double ratio = a > 0 && !empty_ ? key.weight / a : 0;  // 1/Z where nothing is wrong
      double z = 0;
      for (const Key& other : keys_) z += other.terms.exponential;
      for (size_t i = 0; i < kProfiles.size(); ++i)
        if (used < errors_[i].alpha.size())
          moved[i] +=
              (errors_[i].alpha[used] * std::max(1.0, ratio * z) + errors_[i].flushed) * reach;
      if (used < own_.alpha.size())
        own_moved += own_.alpha[used] * std::max(1.0, ratio * z) * reach;
      ++used;
    }
    if (special != 0) return NonFinite(change_.shared, c_.format, special);
    if (vague_ || !std::isfinite(size)) return any;
    if (empty_) {
      if (std::isnan(change_.no_key)) return NonFinite(change_.shared, c_.format, nan);
      if (change_.no_key == 1) {
        for (size_t n = 0; n < keys_.size(); ++n) {
          const double v = Value(static_cast<int64_t>(n), column);
          value += v / static_cast<double>(e_.keys);
          size += std::abs(v) / static_cast<double>(e_.keys);
        }
        if (!std::isfinite(value)) return NonFinite(change_.shared, c_.format, nan);
      }
    }
    if (change_.block > 0 && !weights_) value = Online(column);
    const double f = change_.shared.factor;
    const double rounding = change_.weights_in ? UnitRoundoff(*change_.weights_in) * size / 64 : 0;
    rho = own_.rho;
    const double radius =
        std::abs(f) * ((own_moved + rho * std::abs(value)) * 2 + size * 0x1p-48 + rounding) +
        std::abs(value) * change_.shared.factor_error;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const double r = errors_[i].rho;
      const bool proves = r < 1;
      moved[i] += errors_[i].flushed;
      const double few =
          Gamma(4 + static_cast<double>(e_.keys), UnitRoundoff(WorkingFormat(c_.format))) * size;
      bound[i] = proves ? std::abs(f) * (gnomon::attention::RatioBound<double>(
                                             kProfiles[i], c_.format, value, moved[i], r) +
                                         few)
                        : kInfinity;
      narrow[i] =
          proves ? std::abs(f) * (gnomon::attention::RatioBound<double>(
                                      kProfiles[i], WorkingFormat(c_.format), value, moved[i], r) +
                                  few)
                 : kInfinity;
    }
    Prediction p = Stored(change_.shared, c_.format, f * value, radius, bound, narrow);
    // ATT-13: on the way to a score, or to the sum, a kernel may overflow.
    double largest = 0;
    for (const Key& key : keys_)
      largest = std::max(
          largest, key.terms.products * std::max(1.0, 1 / std::abs(Scale())) + key.terms.bias);
    for (size_t i = 0; p.kind == Prediction::kReal && i < kProfiles.size(); ++i) {
      const double quarter = LargestFinite(FormatAt(kProfiles[i].arithmetic, c_.format)) / 4;
      if (!std::isfinite(bound[i]) || values >= quarter || !(largest < quarter)) p.open |= 1u << i;
    }
    return p;
  }

  const Case& c_;
  AttentionChange change_;
  Parameters p_;
  PairBiasOf scheme_;
  PairVectors vectors_;
  Extents e_;
  bool weights_;
  int64_t b_ = 0, h_ = 0, m_ = 0, row_ = -1;
  std::vector<Key> keys_;
  std::array<RowErrors<double>, kProfiles.size()> errors_;
  RowErrors<double> own_;
  bool nan_ = false, overflowed_ = false, empty_ = false, vague_ = false;
};

// Four terms and untied scores: a sum of products, with its bound (ATT-15).
class SumPredictor : public Predictor {
 public:
  SumPredictor(const Answered& answered, const AttentionChange& change)
      : c_(*answered.c), change_(change), terms_(c_.operation == "attention.four_term") {}

  Prediction At(int output, int64_t element) override {
    const Shape& shape = c_.inputs.at(terms_ ? "e" : "k").shape();
    const int64_t keys = shape[0];
    if (InTail(change_.shared, element % keys, keys, false))
      return Unwritten(change_.shared.tail, DTypeOf(c_.format), std::nullopt);
    sum_ = size_ = 0;
    operands_ = static_cast<double>(2 * shape.back() + 1);
    if (terms_) {
      if (output == change_.missing) return NonZero();
      FourTerm(output, element / keys, element % keys);
    } else {
      Untied(element);
    }
    if (!std::isfinite(sum_)) return NonFinite(change_.shared, c_.format, sum_);
    const double d = static_cast<double>(shape.back());
    const double f = change_.shared.factor;
    const auto bound = [&](const Profile& profile, Format format) {
      return terms_ ? gnomon::attention::SumBound<double>(profile, format, sum_, size_, 5,
                                                          2 * (d - 1), (d + 1) * operands_)
                    : gnomon::attention::SumBound<double>(profile, format, sum_, size_, 9,
                                                          2 * d - 1, 2 * operands_);
    };
    PerProfile wide{}, narrow{};
    unsigned open = 0;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      wide[i] = std::abs(f) * bound(kProfiles[i], c_.format);
      narrow[i] = std::abs(f) * bound(kProfiles[i], WorkingFormat(c_.format));
      if (size_ >= LargestFinite(FormatAt(kProfiles[i].arithmetic, c_.format)) / 4) open |= 1u << i;
    }
    Prediction p = Stored(change_.shared, c_.format, f * sum_,
                          std::abs(f) * bound(kProfiles[1], Format::kF64) +
                              std::abs(sum_) * change_.shared.factor_error,
                          wide, narrow);
    p.open = open;
    return p;
  }

 private:
  Prediction NonZero() const {
    Prediction p;
    p.kind = Prediction::kBits;  // 0
    return p;
  }
  double Input(const std::string& role, std::initializer_list<int64_t> index) const {
    return attention::At(c_.inputs.at(role).view(), index,
                         change_.k_contiguous && (role == "k" || role == "w"), change_.shared);
  }
  void Add(double product) {
    sum_ += product;
    size_ += std::abs(product);
  }
  void FourTerm(int output, int64_t m, int64_t n) {
    if (change_.terms_exchanged && (output == 1 || output == 2)) output = 3 - output;
    const std::string x = output < 2 ? "e" : "p", y = output % 2 == 0 ? "e" : "p";
    const int64_t width = c_.inputs.at("e").shape()[1];
    for (int64_t r = 0; r < width; ++r) {
      operands_ += std::abs(Input(x, {m, r})) + std::abs(Input(y, {n, r}));
      for (int64_t s = 0; s < width; ++s)
        Add(Input(x, {m, r}) * (change_.w_turned ? Input("w", {s, r}) : Input("w", {r, s})) *
            Input(y, {n, s}));
    }
  }
  void Untied(int64_t element) {
    const Shape &q = c_.inputs.at("q").shape(), &k = c_.inputs.at("k").shape();
    const int64_t n = element % k[0], m = element / k[0] % q[0], h = element / k[0] / q[0];
    const double root = std::sqrt(2 * static_cast<double>(q[2]));
    const double position_factor = change_.untied_position < 0 ? root : change_.untied_position;
    for (int64_t c = 0; c < q[2]; ++c) {
      const double a = Input("q", {m, h, c}), b = Input("k", {n, h, c}),
                   pa = Input("pq", {m, h, c}), pb = Input("pk", {n, h, c});
      Add(change_.untied_content * a * b / root);
      Add(position_factor * pa * pb / root);
      operands_ += std::abs(a) + std::abs(b) + std::abs(pa) + std::abs(pb);
    }
  }

  const Case& c_;
  AttentionChange change_;
  bool terms_;
  double sum_ = 0, size_ = 0, operands_ = 0;
};

}  // namespace

std::unique_ptr<Predictor> PredictBiased(const Answered& answered, const Parameters& p,
                                         const AttentionChange& change, const PairBiasOf& bias,
                                         const PairVectors& vectors) {
  return std::make_unique<SoftmaxPredictor>(answered, change, p, bias, vectors);
}

std::unique_ptr<Predictor> PredictWith(const Answered& answered, const AttentionChange& change) {
  const std::string& operation = answered.c->operation;
  if (operation == "attention.softmax" || operation == "attention.weights")
    return std::make_unique<SoftmaxPredictor>(answered, change);
  return std::make_unique<SumPredictor>(answered, change);
}

}  // namespace gnomon::oracle::attention
