// The truths of attention.
#include "gnomon/reference/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/scheme_bias.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

using gnomon::attention::Extents;
using gnomon::attention::KeyTerms;
using gnomon::attention::RowErrors;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Interval kVacuous() { return Interval(kInfinity); }

// One query of one head: what it sees, and what the clauses make of it.
struct Row {
  std::vector<int64_t> keys;              // seen, with a score above minus infinity
  std::vector<Interval> content, bias;    // of those; bias without slope
  std::vector<KeyTerms<Interval>> terms;  // of those
  std::vector<Interval> exponentials;
  Interval scale{1}, slope{1}, Z{1};
  std::array<std::optional<RowErrors<Interval>>, 16> errors;  // by what is used of the profile
};

// ATT-13. The same in IEEE arithmetic, as far as NaN and infinities go.
struct Special {
  bool nan = false;               // a score is NaN or plus infinity
  bool open = false;              // whether it is NaN is left open
  bool anything = false;          // the scheme leaves the row open in every profile (T5-9)
  double largest = 0;             // magnitude on the way to a score, for overflow
  std::vector<int64_t> keys;      // as in Row
  std::vector<int64_t> left_out;  // by a score of minus infinity
};

// What attention.softmax and attention.weights share: everything up to the weights.
class SoftmaxTruth : public Truth {
 public:
  explicit SoftmaxTruth(const Case& c)
      : SoftmaxTruth(c, gnomon::attention::ReadParameters(c), nullptr) {}
  SoftmaxTruth(const Case& c, const gnomon::attention::Parameters& p,
               std::unique_ptr<SchemeBias> scheme)
      : c_(c),
        format_(c.format),
        p_(p),
        e_(gnomon::attention::ExtentsOf(c)),
        scheme_(std::move(scheme)),
        adds_vectors_(scheme_ && scheme_->AddsVectors()) {
    if (c.inputs.count("bias")) bias_.emplace(c.inputs.at("bias").view());
    if (c.inputs.count("key_mask")) key_mask_.emplace(c.inputs.at("key_mask").view());
    one_bias_ = bias_ && c.inputs.at("bias").shape()[0] == 1;
    if (c.operation == "attention.weights") {
      scores_.emplace(c.inputs.at("scores").view());
      if (!p_.scale) p_.scale = Number(1);
    } else {
      q_.emplace(c.inputs.at("q").view());
      k_.emplace(c.inputs.at("k").view());
    }
  }

 protected:
  struct At {
    int64_t batch, head, query;
    bool operator==(const At&) const = default;
  };

  // Factors of the content of a score.
  double Q(const At& at, int64_t, int64_t c) const {
    return scores_ ? 1 : (*q_)(at.batch, at.query, at.head, c);
  }
  double K(const At& at, int64_t key, int64_t c) const {
    return scores_ ? (*scores_)(at.batch, at.head, at.query, key)
                   : (*k_)(at.batch, key, e_.KvHead(at.head), c);
  }
  // REL-12. What is added to the key.
  double A(const At& at, int64_t key, int64_t c) const {
    return adds_vectors_ ? scheme_->OfKey(PairOf(at, key), c) : 0;
  }
  double Bias(const At& at, int64_t key) const {
    if (scheme_) return scheme_->About(PairOf(at, key));
    return bias_ ? (*bias_)(one_bias_ ? 0 : at.head, at.query, key) : 0;
  }
  // Without the slope.
  double BiasMultiple(const At& at, int64_t key) const {
    return scheme_ ? scheme_->Multiple(PairOf(at, key)) : Bias(at, key);
  }
  static SchemeBias::Pair PairOf(const At& at, int64_t key) {
    return {at.batch, at.head, at.query, key};
  }
  // ALIBI-9.
  bool IsOpen(const At& at, const Profile& profile) const {
    for (int64_t key = 0; scheme_ && key < e_.keys; ++key)
      if (Seen(at, key) && scheme_->IsOpen(PairOf(at, key), profile)) return true;
    return false;
  }
  // ATT-2.
  bool Seen(const At& at, int64_t key) const {
    return e_.Sees(p_.mask, at.query, key) && (!key_mask_ || (*key_mask_)(at.batch, key) != 0);
  }

  const Special& SpecialOf(const At& at) const {
    if (special_at_ && *special_at_ == at) return special_;
    special_at_ = at;
    special_ = Special();
    for (int64_t key = 0; key < e_.keys; ++key) {
      if (!Seen(at, key)) continue;
      // What `rounded` leaves open is open in every profile.
      special_.anything |= scheme_ && scheme_->IsOpen(PairOf(at, key), kProfiles[0]);
      double ieee = 0, apart = 0, size = 0, longest = 0;
      for (int64_t c = 0; c < e_.head_dim; ++c) {
        const double q = Q(at, key, c), k = K(at, key, c), a = A(at, key, c);
        if (!std::isfinite(q) || !std::isfinite(k) || !std::isfinite(a)) {
          ieee += q * (k + a);
          apart += adds_vectors_ ? q * k + q * a : q * k;  // REL-12: either way
        } else {
          size += std::abs(q * k) + std::abs(q * a);
          if (adds_vectors_) longest = std::max(longest, std::abs(k) + std::abs(a));
        }
      }
      const double content = ieee;
      if (ieee != 0 && p_.scale) ieee *= p_.scale->value, apart *= p_.scale->value;
      const double bias = Bias(at, key), scale = p_.scale ? std::abs(p_.scale->value) : 1;
      if (!std::isfinite(bias)) ieee += bias;
      // A product that overflows makes NaN beside a bias of minus infinity, as a larger sum does.
      if (bias == -kInfinity || std::isfinite(ieee))
        special_.largest = std::max(
            {special_.largest,
             std::max(size, size * scale) + (std::isfinite(bias) ? std::abs(bias) : 0), longest});
      if (bias == -kInfinity) {  // left out, like a masked key; NaN may leak (ATT-13)
        special_.open |= !std::isfinite(content);
        special_.left_out.push_back(key);
        continue;
      }
      if (ieee == -kInfinity || (adds_vectors_ && apart == -kInfinity)) {
        special_.left_out.push_back(key);
        special_.open = true;
        continue;
      }
      special_.nan |= !std::isfinite(ieee);
      if (std::isfinite(ieee)) special_.keys.push_back(key);
    }
    return special_;
  }

  // Evaluated with as many more bits as the scores have before the point.
  Row& RowAt(const At& at) const {
    const unsigned digits = Interval::default_precision();
    if (row_at_ && *row_at_ == at && row_digits_ == digits) return row_;
    const Special& special = SpecialOf(at);
    const double largest = std::min(std::max(special.largest, 1.0), 0x1p1000);
    const unsigned more = static_cast<unsigned>(std::ilogb(largest)) + 32;
    const ScopedPrecision precision(digits * 1000 / 301 + more);
    row_at_ = at;
    row_digits_ = digits;
    row_ = Row();
    Row& r = row_;
    r.keys = special.keys;
    r.scale = ScaleOf<Interval>(p_, e_.head_dim);
    r.slope = scheme_ ? scheme_->Slope(at.head) : SlopeAs<Interval>(p_, at.head, e_.heads);
    const Interval scale = abs(r.scale);
    for (const int64_t key : r.keys) {
      const auto q = [&](int64_t c) { return Interval(Q(at, key, c)); };
      const auto k = [&](int64_t c) { return Interval(K(at, key, c)); };
      const auto size = [](auto f) { return [f](int64_t c) { return Interval(abs(f(c))); }; };
      const auto one = [](int64_t) { return Interval(1); };
      const auto a = [&](int64_t c) { return Interval(A(at, key, c)); };
      r.content.push_back(Dot<Interval>(e_.head_dim, q, k));
      r.bias.push_back(Interval(BiasMultiple(at, key)));
      KeyTerms<Interval> t;
      t.products = scale * Dot<Interval>(e_.head_dim, size(q), size(k));
      t.operands =
          Dot<Interval>(e_.head_dim, size(q), one) + Dot<Interval>(e_.head_dim, size(k), one);
      if (adds_vectors_) {
        r.content.back() += Dot<Interval>(e_.head_dim, q, a);
        t.products += scale * Dot<Interval>(e_.head_dim, size(q), size(a));
        t.operands += Dot<Interval>(e_.head_dim, size(a), one);
      }
      t.bias = abs(r.slope * r.bias.back());
      t.size = abs(Interval(r.scale * r.content.back() + r.slope * r.bias.back()));
      r.terms.push_back(t);
    }
    if (r.keys.empty()) return r;
    size_t highest = 0;
    const auto score = [&](size_t n) {
      return Interval(r.scale * r.content[n] + r.slope * r.bias[n]);
    };
    for (size_t n = 1; n < r.keys.size(); ++n)
      if (mpfr_greater_p(Lower(score(n)), Lower(score(highest)))) highest = n;
    const std::vector<Interval> relative = Relative(r.scale, r.slope, r.content, r.bias, highest);
    r.Z = Interval(0);
    for (size_t n = 0; n < r.keys.size(); ++n) {
      r.terms[n].relative = relative[n];
      r.terms[n].exponential = exp(relative[n]);
      r.exponentials.push_back(r.terms[n].exponential);
      r.Z += r.exponentials.back();
    }
    return r;
  }

  // ATT-14. Null where the profile proves nothing of this row.
  const RowErrors<Interval>* ErrorsOf(const At& at, const Profile& profile) const {
    Row& r = RowAt(at);
    size_t used = profile.arithmetic == Stage::kOutput;
    if (scheme_)
      used += 2 * (profile.tables == Stage::kOutput) + 4 * static_cast<size_t>(profile.angle);
    auto& errors = r.errors[used];
    if (!errors) {
      for (size_t n = 0; scheme_ && n < r.keys.size(); ++n)
        r.terms[n].bias_error = scheme_->Error(PairOf(at, r.keys[n]), profile);
      errors = gnomon::attention::ErrorsOfRow(
          profile, format_, e_.head_dim, bias_.has_value() || (scheme_ && !adds_vectors_),
          p_.alibi_bias_max ? gnomon::attention::SlopeRoundings(at.head, e_.heads) : 0,
          Interval(abs(r.scale)), r.Z, r.terms, adds_vectors_ ? 2 : 1);
    }
    const bool proves = mpfr_cmp_ui(Upper(errors->rho), 1) < 0;  // false for NaN
    return proves ? &*errors : nullptr;
  }

  // ATT-13: a score, or a sum of values on the way, that the arithmetic may not hold.
  bool MayOverflow(const At& at, double values, const Profile& profile) const {
    const double quarter = LargestFinite(FormatAt(profile.arithmetic, format_)) / 4;
    return SpecialOf(at).largest >= quarter || values >= quarter;
  }

  std::vector<Step> StepsOf(const At& at) const {
    const Row& r = RowAt(at);
    std::vector<Step> steps = {{"scale", r.scale}};
    for (size_t n = 0; n < r.keys.size() && n < 16; ++n) {
      std::string key = "[";
      key += std::to_string(r.keys[n]) + "]";
      steps.push_back({"score" + key, Interval(r.scale * r.content[n] + r.slope * r.bias[n])});
      steps.push_back({"weight" + key, Interval(r.exponentials[n] / r.Z)});
    }
    return steps;
  }

  const Case& c_;
  Format format_;
  gnomon::attention::Parameters p_;
  Extents e_;
  std::unique_ptr<SchemeBias> scheme_;
  bool adds_vectors_ = false;

 private:
  std::optional<Elements> q_, k_, scores_, bias_, key_mask_;
  bool one_bias_ = false;
  mutable std::optional<At> row_at_, special_at_;
  mutable unsigned row_digits_ = 0;
  mutable Row row_;
  mutable Special special_;
};

// y [batch, query, query_heads, value_dim].
class AttentionTruth : public SoftmaxTruth {
 public:
  explicit AttentionTruth(const Case& c) : SoftmaxTruth(c), v_(c.inputs.at("v").view()) {}
  AttentionTruth(const Case& c, const gnomon::attention::Parameters& p,
                 std::unique_ptr<SchemeBias> scheme)
      : SoftmaxTruth(c, p, std::move(scheme)), v_(c.inputs.at("v").view()) {}

  Expectation Expect(int, int64_t element) const override {
    const At at = Split(element);
    const Special& s = SpecialOf(at);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (s.anything) return {};
    if (s.nan) return {Expectation::kNonFinite, 0, nan};
    double sum = 0;
    for (const int64_t key : s.keys)
      if (const double v = V(at, key, element) + A(at, key, element); !std::isfinite(v)) sum += v;
    return sum == 0 ? Expectation{} : Expectation{Expectation::kNonFinite, 0, sum};
  }
  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    const At at = Split(element);
    const Special& s = SpecialOf(at);
    bool open = s.open;
    double values = 0;
    for (const int64_t key : s.keys)
      values += std::abs(V(at, key, element)) + std::abs(A(at, key, element));
    for (const int64_t key : s.left_out)
      open |= !std::isfinite(V(at, key, element)) || !std::isfinite(A(at, key, element));
    return open || MayOverflow(at, values, profile) || IsOpen(at, profile);
  }
  Interval Value(int, int64_t element) const override { return SumsOf(element).y; }
  // sum_n a_n |v_n|, of both vectors of a value (REL-13).
  Interval Size(int, int64_t element) const override { return SumsOf(element).size; }
  Interval Scale(int output, int64_t element) const override { return Size(output, element); }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const At at = Split(element);
    if (IsOpen(at, profile)) return kVacuous();
    if (RowAt(at).keys.empty()) return Interval(0);
    const RowErrors<Interval>* errors = ErrorsOf(at, profile);
    if (errors == nullptr) return kVacuous();
    const Sums& sums = SumsOf(element);
    Interval moved = errors->flushed;
    for (size_t n = 0; n < sums.sizes.size(); ++n)
      moved += (errors->alpha[n] + errors->flushed) * sums.sizes[n];
    return gnomon::attention::RatioBound(profile, format_, sums.y, moved, errors->rho);
  }
  Place Where(int, int64_t element) const override { return {Split(element).query, std::nullopt}; }
  std::vector<Step> Steps(int, int64_t element) const override { return StepsOf(Split(element)); }

 private:
  At Split(int64_t element) const {
    const int64_t row = element / e_.value_dim;
    return {row / (e_.heads * e_.queries), row % e_.heads, row / e_.heads % e_.queries};
  }
  double V(const At& at, int64_t key, int64_t element) const {
    return v_(at.batch, key, e_.KvHead(at.head), element % e_.value_dim);
  }
  // REL-12. What is added to the value.
  double A(const At& at, int64_t key, int64_t element) const {
    return adds_vectors_ ? scheme_->OfValue(PairOf(at, key), element % e_.value_dim) : 0;
  }
  // What every profile asks of an element, at the precision in force: the last one is kept.
  struct Sums {
    Interval y, size;
    std::vector<Interval> sizes;  // |v_n|, by key
  };
  const Sums& SumsOf(int64_t element) const {
    const unsigned digits = Interval::default_precision();
    if (element == sums_element_ && digits == sums_digits_) return sums_;
    const At at = Split(element);
    const Row& r = RowAt(at);
    sums_element_ = -1;  // until they are whole
    sums_ = {Interval(0), Interval(0), {}};
    std::vector<Interval> values;
    for (const int64_t key : r.keys) {
      const Interval v(V(at, key, element)), a(A(at, key, element));
      values.push_back(v + a);
      sums_.sizes.push_back(abs(v) + abs(a));
    }
    if (!r.keys.empty()) sums_.y = Weighted(r.exponentials, r.Z, values);
    if (!r.keys.empty()) sums_.size = Weighted(r.exponentials, r.Z, sums_.sizes);
    sums_element_ = element;
    sums_digits_ = digits;
    return sums_;
  }
  Elements v_;
  mutable int64_t sums_element_ = -1;
  mutable unsigned sums_digits_ = 0;
  mutable Sums sums_;
};

// weights [batch, query_heads, query, key].
class WeightsTruth : public SoftmaxTruth {
 public:
  explicit WeightsTruth(const Case& c) : SoftmaxTruth(c) {}

  Expectation Expect(int, int64_t element) const override {
    if (!SpecialOf(Split(element)).nan || !Seen(Split(element), Key(element))) return {};
    return {Expectation::kNonFinite, 0, std::numeric_limits<double>::quiet_NaN()};
  }
  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    const At at = Split(element);
    return SpecialOf(at).nan || SpecialOf(at).open || MayOverflow(at, 0, profile);
  }
  Interval Value(int, int64_t element) const override {
    const Row& r = RowAt(Split(element));
    const std::optional<size_t> n = Find(r, element);
    return n ? Interval(r.exponentials[*n] / r.Z) : Interval(0);
  }
  Interval Size(int output, int64_t element) const override { return Value(output, element); }
  Interval Scale(int output, int64_t element) const override { return Value(output, element); }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const std::optional<size_t> n = Find(RowAt(Split(element)), element);
    if (!n) return Interval(0);
    const RowErrors<Interval>* errors = ErrorsOf(Split(element), profile);
    if (errors == nullptr) return kVacuous();
    return gnomon::attention::RatioBound(profile, format_, Value(0, element),
                                         Interval(errors->alpha[*n] + 2 * errors->flushed),
                                         errors->rho);
  }
  Place Where(int, int64_t element) const override { return {Split(element).query, std::nullopt}; }
  std::vector<Step> Steps(int, int64_t element) const override { return StepsOf(Split(element)); }

 private:
  int64_t Key(int64_t element) const { return element % e_.keys; }
  At Split(int64_t element) const {
    const int64_t row = element / e_.keys;
    return {row / (e_.heads * e_.queries), row / e_.queries % e_.heads, row % e_.queries};
  }
  // Empty: not seen, so 0.
  std::optional<size_t> Find(const Row& r, int64_t element) const {
    const auto found = std::lower_bound(r.keys.begin(), r.keys.end(), Key(element));
    if (found == r.keys.end() || *found != Key(element)) return std::nullopt;
    return static_cast<size_t>(found - r.keys.begin());
  }
};

}  // namespace

std::unique_ptr<Truth> MakeBiasedAttention(const Case& c, const gnomon::attention::Parameters& p,
                                           std::unique_ptr<SchemeBias> bias) {
  return std::make_unique<AttentionTruth>(c, p, std::move(bias));
}

namespace attention {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "attention.softmax") return std::make_unique<AttentionTruth>(c);
  if (c.operation == "attention.weights") return std::make_unique<WeightsTruth>(c);
  return MakeSumTruth(c);
}

}  // namespace attention
}  // namespace gnomon::reference
