// The answers of a mistaken kernel, evaluated in binary64. That is itself an implementation of f64
// arithmetic: ATT-14 and ATT-15 say how far off it is.
#include "gnomon/oracle/predict_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "gnomon/oracle/attention_inputs.h"
#include "gnomon/spec/attention.h"

namespace gnomon::oracle::attention {
namespace {

using gnomon::attention::Extents;
using gnomon::attention::KeyTerms;
using gnomon::attention::Parameters;
using gnomon::attention::RowErrors;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where exponentials of the working format, or of f32 where that is narrower, end for certain: they
// overflow beyond `overflow`, are 0 below `nothing`, and lose digits to underflow below `whole`.
struct Range {
  double overflow, nothing, whole;
};
Range RangeOf(Format format) {
  return format == Format::kF64 ? Range{720, -750, -600} : Range{92, -108, -55};
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
        inputs_(answered, change),
        p_(p),
        scheme_(scheme),
        vectors_(vectors),
        e_(gnomon::attention::ExtentsOf(c_)),
        weights_(c_.operation == "attention.weights"),
        q_(inputs_.Find("q")),
        k_(inputs_.Find("k")),
        v_(inputs_.Find("v")),
        scores_(inputs_.Find("scores")),
        bias_(inputs_.Find("bias")) {
    const auto mask = c_.inputs.find("key_mask");
    if (mask != c_.inputs.end() && !change.no_key_mask)
      for (int64_t i = 0; i < mask->second.count(); ++i)
        key_mask_.push_back(mask->second.Integer(i) != 0);
    if (!change.after_values) return;
    Change beyond;
    beyond.beyond_row = true;
    after_ = FindBeyond(beyond, c_.inputs.at("v"), e_.value_dim - 1);
  }

  Prediction At(int, int64_t element) override {
    const int64_t width = weights_ ? e_.keys : e_.value_dim, column = element % width;
    if (InTail(change_.shared, column, width, false))
      return Unwritten(change_.shared.tail, DTypeOf(c_.format), std::nullopt);
    const int64_t row = element / width;
    b_ = row / (e_.heads * e_.queries);
    h_ = weights_ ? row / e_.queries % e_.heads : row % e_.heads;
    m_ = weights_ ? row % e_.queries : row / e_.heads % e_.queries;
    if (IsOverwritten(element)) return Stored(Change(), c_.format, 0, 0, {}, {});
    if (row != row_) Evaluate();
    row_ = row;
    if (inputs_.unknown() || !after_) return {};
    if (std::isnan(*after_)) return NonFinite(change_.shared, c_.format, *after_);
    const Prediction p = Finished(column);
    return inputs_.unknown() ? Prediction() : p;
  }

 private:
  struct Key {
    bool seen = false;
    bool given = true;                                 // its product or value may enter
    double score = -kInfinity, weight = 0, added = 0;  // `added` to the weight
    double doubt = 0;  // of the weight, beyond the errors of the row
    bool overflowed = false, finite = true;
    double largest = 0;  // on the way to the score
    KeyTerms<double> terms;
    PairBias pair;
  };

  // By the zeros at the end of a row's last vector, where that row is written later than this one:
  // a head at a time, which lies in memory one after the other within a query.
  bool IsOverwritten(int64_t element) const {
    const int64_t lanes = change_.overwrite_lanes, width = e_.value_dim;
    if (lanes == 0 || weights_) return false;
    const int64_t more = (lanes - width % lanes) % lanes;
    for (int64_t row = element / width - 1; row >= 0 && element - (row + 1) * width < more; --row) {
      const int64_t query = row / e_.heads;  // of all batch rows
      const int64_t b = query / e_.queries, h = row % e_.heads, m = query % e_.queries;
      if (std::tuple(b, h, m) > std::tuple(b_, h_, m_)) return true;
    }
    return false;
  }
  bool Sees(int64_t m, int64_t n) const {
    if (change_.key_lanes > 0 && e_.keys > change_.key_lanes &&
        n >= e_.keys / change_.key_lanes * change_.key_lanes)
      return false;
    if (p_.mask == AttentionMask::kCausal && !change_.no_mask) {
      const int64_t last = m + (change_.top_left ? 0 : e_.keys - e_.queries) + change_.anchor;
      if (n > last) return false;
    }
    return key_mask_.empty() ||
           key_mask_[static_cast<size_t>((change_.batch_zero ? 0 : b_) * e_.keys + n)];
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
    if (bias_ == nullptr || change_.bias_left_out) return 0;
    const int64_t head = bias_->shape()[0] == 1 || change_.bias_of_head_zero ? 0 : h_;
    const bool turned = change_.bias_turned && e_.queries == e_.keys;
    double slope = 1;
    if (p_.alibi_bias_max && !change_.no_slopes) {
      const gnomon::attention::SlopeExponent s = gnomon::attention::SlopeOf(h_, e_.heads);
      const double numerator = static_cast<double>(change_.plain_slopes ? h_ + 1 : s.numerator);
      const double denominator =
          static_cast<double>(change_.plain_slopes ? e_.heads : s.denominator);
      slope = std::exp2(-p_.alibi_bias_max->value * numerator / denominator);
    }
    const double b = turned ? bias_->At({head, n, m}) : bias_->At({head, m, n});
    return (std::isfinite(b) ? change_.bias_sign : 1) * slope * b;
  }

  double Capped(double score) const {
    return change_.cap > 0 ? change_.cap * std::tanh(score / change_.cap) : score;
  }

  Key KeyAt(int64_t m, int64_t n) const {
    Key key;
    key.seen = Sees(m, n);
    const double scale = Scale();
    double content = 0, position = 0;
    KeyTerms<double>& t = key.terms;
    const bool exchanged =
        change_.exchanged && !weights_ && e_.queries == e_.keys && e_.heads == e_.kv_heads;
    double plain = 0;
    // REL-12: the vector is added to the key. Apart, an infinity less an infinity would be NaN.
    const bool apart = change_.vector_by_key || change_.scales_content_only;
    for (int64_t c = 0; c < e_.head_dim; ++c) {
      const double q = weights_ ? 1 : exchanged ? k_->At({b_, m, h_, c}) : q_->At({b_, m, h_, c});
      const double k = weights_    ? scores_->At({b_, h_, m, n})
                       : exchanged ? q_->At({b_, n, h_, c})
                                   : k_->At({b_, n, KvHead(), c});
      const double a = vectors_.key ? vectors_.key(b_, h_, m, n, c) : 0;
      content += q * (apart ? k : k + a);
      plain += std::abs(q * k);
      t.operands += std::abs(q) + std::abs(k);
      const double by = change_.vector_by_key ? k : q;
      const auto overflows = [&](double x, double y) {
        return std::isfinite(x) && std::isfinite(y) &&
               !(std::abs(x * y) * std::max(1.0, std::abs(scale)) < 0x1p1000);
      };
      key.overflowed |= overflows(q, k) || overflows(by, a);
      if (!vectors_.key) continue;
      if (apart) position += by * a;
      t.products += std::abs((change_.scales_content_only ? 1 : scale) * by * a);
      t.operands += std::abs(a);
    }
    t.products += std::abs(scale) * plain;
    key.finite = std::isfinite(content + position);
    if (scheme_) key.pair = scheme_(b_, h_, m, n);
    const double bias = scheme_ ? key.pair.value : Bias(m, n);
    const bool left_out = bias == -kInfinity;
    if (change_.bias_after_softmax && std::isfinite(bias)) key.added = bias;
    const double before = bias - key.added;
    if (vectors_.key && !left_out) {
      key.score = scale * content + (change_.scales_content_only ? 1 : scale) * position;
    } else {
      const bool scaled = change_.bias_scaled && !left_out;
      key.score = Capped(scale * (scaled ? content + before : content)) + (scaled ? 0 : before);
    }
    if (left_out) key.score = -kInfinity;
    if (change_.base_two) key.score *= 0.6931471805599453;
    key.given = !left_out;
    if (change_.cap > 0) t.products += 4 * std::abs(key.score);  // of the tangent
    t.bias = std::isfinite(bias) ? std::abs(bias) : 0;
    t.size = std::isfinite(key.score) ? std::abs(key.score) : 0;
    key.largest = std::max(plain, t.products) + t.bias;
    return key;
  }

  RowErrors<double> ErrorsBy(const Profile& profile, Format format, double z,
                             const std::vector<KeyTerms<double>>& terms) const {
    return gnomon::attention::ErrorsOfRow<double>(profile, format, e_.head_dim, Biased(), Slopes(),
                                                  std::abs(Scale()), z, terms,
                                                  vectors_.key ? 2 : 1);
  }
  bool Biased() const { return (scheme_ && !vectors_.key) || bias_ != nullptr; }
  double Slopes() const {
    return p_.alibi_bias_max ? gnomon::attention::SlopeRoundings(h_, e_.heads) : 0;
  }
  bool Enters(const Key& key) const {
    return (key.seen || change_.masks_weights) && key.score > -kInfinity;
  }

  // ATT-14: scores that a narrow format holds, where it can be said which.
  void NarrowScores() {
    for (Key& key : keys_) {
      if (!std::isfinite(key.score)) continue;
      const double off = gnomon::attention::ScoreError<double>(
          kProfiles[1], c_.format, e_.head_dim, Biased(), Slopes(), std::abs(Scale()), key.terms);
      const double low = RoundToFormat(*change_.scores_in, key.score - off);
      const double high = RoundToFormat(*change_.scores_in, key.score + off);
      key.score = low / 2 + high / 2;
      key.doubt = std::expm1(high - key.score);  // of its own exponential, yet
      vague_ |= key.seen && !(key.doubt < 1);
    }
  }
  // Weights that a narrow format holds; by their errors in the one that they come from.
  void NarrowWeights(double z) {
    const Format narrow = *change_.weights_in;
    const double by = change_.exponentials_narrow ? z : 1;
    size_t used = 0;
    for (Key& key : keys_) {
      if (!Enters(key)) continue;
      const double alpha = errors_[1].alpha[used++] + errors_[1].flushed;
      const double off = by * (alpha + (by == z ? 0 : errors_[1].rho) * key.weight);
      const double low = RoundToFormat(narrow, by * key.weight - off) / by;
      const double high = RoundToFormat(narrow, by * key.weight + off) / by;
      key.weight = low / 2 + high / 2;
      key.doubt = high - key.weight;
    }
  }

  // Weights of the row, and how far each profile's kernel may be off.
  void Evaluate() {
    keys_.clear();
    for (int64_t n = 0; n < e_.keys; ++n) keys_.push_back(KeyAt(m_, n));
    nan_ = infinite_ = overflowed_ = vague_ = open_ = false;
    largest_ = 0;
    if (change_.scores_in) NarrowScores();
    // Whose infinity is its own affair: nothing is subtracted, or nothing divided by the sum.
    const bool apart = change_.no_maximum || change_.not_normalised;
    double highest = -kInfinity, all = -kInfinity;
    for (const Key& key : keys_) {
      const bool in = key.seen || change_.masks_weights;
      overflowed_ |= key.overflowed;
      largest_ = std::max(largest_, key.largest);
      open_ |= in && !key.finite && (!key.given || key.score == -kInfinity);
      if (in || change_.leaks_scores) {
        nan_ |= std::isnan(key.score) || (key.score == kInfinity && !apart);
        infinite_ |= key.score == kInfinity;
      }
      nan_ |= change_.all_maximum && std::isnan(key.score);
      if (in) highest = std::max(highest, key.score);
      all = std::max(all, key.score);
    }
    std::vector<KeyTerms<double>> terms;
    std::vector<PairBias> pairs;
    empty_ = highest == -kInfinity;
    nothing_ = false;
    double z = 0;
    for (Key& key : keys_) {
      if (!Enters(key) || infinite_) continue;
      key.terms.relative = key.score - highest;
      key.terms.exponential = std::exp(key.terms.relative);
      z += key.terms.exponential;
      vague_ |= !key.pair.known;
      terms.push_back(key.terms);
      pairs.push_back(key.pair);
    }
    z_ = z;
    const Range range = RangeOf(c_.format);
    if (!empty_ && change_.no_maximum) {
      nothing_ = highest < range.nothing;
      vague_ |= !nothing_ && highest < range.whole;
      const double sum = highest + std::log(std::max(z, 1.0));
      vague_ |= sum > range.overflow - 6 && highest < range.overflow;
    }
    if (!empty_ && change_.all_maximum) {
      nothing_ = highest - all < range.nothing || all == kInfinity;
      vague_ |= !nothing_ && highest - all < range.whole;
    }
    highest_ = highest;
    if (change_.sink && !empty_) vague_ |= highest < 6 - range.overflow;
    const double total = z + change_.added + (change_.sink ? std::exp(-highest) : 0);
    for (Key& key : keys_) {
      const bool in = key.seen && key.score > -kInfinity && !empty_;
      const double a = key.terms.exponential;
      key.weight = !in ? 0 : change_.not_normalised ? a : a / total;
      if (change_.scores_in) key.doubt *= key.weight;
      if (in) key.weight += key.added;
    }
    if (change_.over_queries) OverQueries();
    for (RowErrors<double>& errors : errors_) errors = {};
    if (terms.empty()) return;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      for (size_t n = 0; n < terms.size(); ++n) terms[n].bias_error = pairs[n].error[i];
      errors_[i] = ErrorsBy(kProfiles[i], c_.format, z, terms);
    }
    for (size_t n = 0; n < terms.size(); ++n) terms[n].bias_error = pairs[n].own_error;
    own_ = ErrorsBy(kProfiles[1], Format::kF64, z, terms);
    if (change_.weights_in) NarrowWeights(z);
  }
  // A column's NaN is its own.
  void OverQueries() {
    nan_ = infinite_ = false;
    for (int64_t n = 0; n < e_.keys; ++n) {
      double highest = -kInfinity, sum = 0;
      std::vector<double> scores;
      for (int64_t m = 0; m < e_.queries; ++m) {
        if (!Sees(m, n)) continue;
        const Key other = KeyAt(m, n);
        largest_ = std::max(largest_, other.largest);
        overflowed_ |= other.overflowed;
        scores.push_back(other.score);
        highest = std::max(highest, other.score);
      }
      for (const double score : scores) sum += std::exp(score - highest);
      Key& key = keys_[static_cast<size_t>(n)];
      key.weight = key.seen ? std::exp(key.score - highest) / sum : 0;
    }
  }

  double Value(int64_t n, int64_t column) const {
    if (weights_) return n == column;
    const bool keys = change_.keys_for_values && e_.head_dim == e_.value_dim;
    return (keys ? k_ : v_)->At({b_, n, KvHead(), column});
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

  // A zero, or NaN where a kernel divides it by a sum that is none.
  Prediction Zero() const {
    Prediction p = Stored(change_.shared, c_.format, 0, 0, {}, {});
    p.open = ~0u;
    return p;
  }
  // What is left where every exponential of a row is 0.
  Prediction OfNothing() const {
    if (!change_.guarded) return NonFinite(change_.shared, c_.format, std::nan(""));
    return Stored(change_.shared, c_.format, 0, 0, {}, {});
  }

  // ATT-13: profiles that may overflow on the way to a score, or to a sum of `values`.
  unsigned OpenBy(double values, bool open) const {
    unsigned by_profile = open ? ~0u : 0;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const double quarter = LargestFinite(FormatAt(kProfiles[i].arithmetic, c_.format)) / 4;
      if (values >= quarter || !(largest_ < quarter)) by_profile |= 1u << i;
    }
    return by_profile;
  }

  Prediction Finished(int64_t column) {
    const double nan = std::nan("");
    Prediction any;
    if (overflowed_) return any;  // nearly out of binary64, in which this is computed
    const Key* own = weights_ ? &keys_[static_cast<size_t>(column)] : nullptr;
    // ATT-2: a masked key has the weight 0, whatever the others are.
    if (nan_ && weights_ && !change_.leaks_scores && !change_.masks_weights &&
        !(own->seen && own->given))
      return Zero();
    if (nan_) return NonFinite(change_.shared, c_.format, nan);
    const double overflow = RangeOf(c_.format).overflow;
    if (infinite_ || (change_.no_maximum && highest_ > overflow)) {
      if (!weights_) return NonFinite(change_.shared, c_.format, nan);
      const double least = change_.no_maximum ? overflow : LargestFinite(Format::kF64);
      if (own->seen && own->score > least) return NonFinite(change_.shared, c_.format, nan);
      if (own->seen && change_.no_maximum && own->score > overflow - 6) return any;
      return Zero();
    }
    double value = 0, size = 0, values = 0, special = 0, doubt = 0;
    PerProfile moved{}, bound{}, narrow{};
    double own_moved = 0, rho = 0;
    bool open = open_;
    size_t used = 0;
    for (size_t n = 0; n < keys_.size(); ++n) {
      const Key& key = keys_[n];
      const bool in = Enters(key);
      const double own = Value(static_cast<int64_t>(n), column);
      const double added = Added(static_cast<int64_t>(n), column);
      const double v = own + added, reach = std::abs(own) + std::abs(added);
      if (weights_ && v == 0) {  // another key's
        if (in) ++used;
        continue;
      }
      const bool meets = key.seen && key.score > -kInfinity;
      if (!std::isfinite(v) && (meets || (change_.leaks_values && key.given)))
        special += meets ? v : nan;
      if (!std::isfinite(v)) {
        open |= key.seen && !meets;
        if (in) ++used;
        continue;
      }
      if (key.weight != 0) value += key.weight * v;
      size += std::abs(key.weight) * reach;
      values += reach * std::max(1.0, std::abs(key.weight));
      doubt += key.doubt * std::abs(v);
      if (!in) continue;
      const double a = key.terms.exponential;
      const double ratio = a > 0 && !empty_ ? key.weight / a : 0;  // 1/Z where nothing is wrong
      for (size_t i = 0; i < kProfiles.size(); ++i)
        if (used < errors_[i].alpha.size())
          moved[i] +=
              (errors_[i].alpha[used] * std::max(1.0, ratio * z_) + errors_[i].flushed) * reach;
      if (used < own_.alpha.size())
        own_moved += own_.alpha[used] * std::max(1.0, ratio * z_) * reach;
      ++used;
    }
    if (special != 0) return NonFinite(change_.shared, c_.format, special);
    if (std::isnan(value) && change_.over_queries) return NonFinite(change_.shared, c_.format, nan);
    if (vague_ || !std::isfinite(size)) return any;
    if (nothing_) {
      Prediction p = OfNothing();
      p.open = OpenBy(values, open);
      return p;
    }
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
    if (change_.scores_in)  // the sum is in doubt as well
      for (const Key& key : keys_) doubt += key.doubt * std::abs(value);
    rho = own_.rho;
    const double radius = (own_moved + rho * std::abs(value)) * 2 + size * 0x1p-48 + 2 * doubt;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const double r = errors_[i].rho;
      moved[i] += errors_[i].flushed;
      const double few =
          Gamma(4 + static_cast<double>(e_.keys), UnitRoundoff(WorkingFormat(c_.format))) * size;
      const auto by = [&](Format format) {
        return r < 1 ? gnomon::attention::RatioBound<double>(kProfiles[i], format, value, moved[i],
                                                             r) +
                           few
                     : kInfinity;
      };
      bound[i] = by(c_.format);
      narrow[i] = by(WorkingFormat(c_.format));
    }
    Prediction p = Stored(change_.shared, c_.format, value, radius, bound, narrow);
    if (change_.no_maximum) open |= highest_ + std::log(std::max(values, 1.0)) > overflow - 6;
    p.open = OpenBy(values, open);
    for (size_t i = 0; i < kProfiles.size(); ++i)
      if (!std::isfinite(bound[i])) p.open |= 1u << i;
    return p;
  }

  const Case& c_;
  AttentionChange change_;
  Inputs inputs_;
  std::optional<double> after_ = 0;  // what lies after the first row of v, times zero
  Parameters p_;
  PairBiasOf scheme_;
  PairVectors vectors_;
  Extents e_;
  bool weights_;
  const Input *q_, *k_, *v_, *scores_, *bias_;  // nullptr: none
  std::vector<bool> key_mask_;                  // empty: none
  int64_t b_ = 0, h_ = 0, m_ = 0, row_ = -1;
  std::vector<Key> keys_;
  std::array<RowErrors<double>, kProfiles.size()> errors_;
  RowErrors<double> own_;
  // Of the row at hand.
  double z_ = 0, highest_ = 0, largest_ = 0;
  bool nan_ = false, infinite_ = false, overflowed_ = false, empty_ = false, vague_ = false;
  bool nothing_ = false, open_ = false;
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
  return PredictSum(answered, change);
}

}  // namespace gnomon::oracle::attention
