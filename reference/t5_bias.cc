// The truths of T5's bias and of DeBERTa's buckets.
#include "gnomon/reference/t5_bias.h"

#include <cmath>
#include <unordered_map>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/scheme_bias.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

// The exact bucket, and those that the float recipe leaves open (T5-6).
struct Answers {
  int64_t exact = 0, least = 0, greatest = 0;
};

template <class Floor>
int64_t Whole(const Interval& x, bool upper, const Floor& floor) {
  const double end = upper ? mpfr_get_d(Upper(x), MPFR_RNDU) : mpfr_get_d(Lower(x), MPFR_RNDD);
  return static_cast<int64_t>(floor(std::max(end, 0.0)));
}

Answers AnswersOf(const T5Buckets& t, Format format, int64_t rel) {
  Answers a;
  a.exact = a.least = a.greatest = Bucket(t, rel);
  const int64_t x = t.Distance(rel), E = t.max_exact(), L = t.logarithmic();
  if (x < E) return a;
  ScopedPrecision precision(kFirstPrecision);
  const auto q = gnomon::t5_bias::QuotientOf<Interval>(format, E, t.max_distance, L, x);
  const auto floor = [](double v) { return std::floor(v); };
  const int64_t first = t.Offset(rel) + E;
  a.least = first + std::min(Whole(q.low, false, floor), L - 1);
  a.greatest = first + std::min(Whole(q.high, true, floor), L - 1);
  return a;
}

Answers AnswersOf(const DebertaBuckets& d, Format format, int64_t rel) {
  Answers a;
  a.exact = a.least = a.greatest = Bucket(d, rel);
  const int64_t M = d.middle();
  if (-M <= rel && rel <= M) return a;
  ScopedPrecision precision(kFirstPrecision);
  const auto q = gnomon::t5_bias::QuotientOf<Interval>(format, M, d.last(), M - 1, d.Distance(rel));
  const auto ceil = [](double v) { return std::ceil(v); };
  a.least = M + Whole(q.low, false, ceil);
  a.greatest = M + Whole(q.high, true, ceil);
  if (rel < 0) {
    std::swap(a.least, a.greatest);
    a.least = -a.least;
    a.greatest = -a.greatest;
  }
  return a;
}

// [(batch,) query, key]; each offset is worked out once.
template <class Buckets>
class Offsets {
 public:
  Offsets(const Case& c, const Buckets& buckets, int sign)
      : format_(c.format),
        buckets_(buckets),
        sign_(sign),
        query_(c.inputs.at("query_positions").view()),
        key_(c.inputs.at("key_positions").view()) {}

  int64_t queries() const { return query_.shape.back(); }
  int64_t keys() const { return key_.shape.back(); }
  // Key position - query position; DeBERTa: the negative.
  int64_t Rel(int64_t batch, int64_t query, int64_t key) const {
    return sign_ *
           (IntegerAt(key_, batch * keys() + key) - IntegerAt(query_, batch * queries() + query));
  }
  const Answers& At(int64_t rel) const {
    const auto found = known_.find(rel);
    if (found != known_.end()) return found->second;
    return known_.emplace(rel, AnswersOf(buckets_, format_, rel)).first->second;
  }

 private:
  Format format_;
  Buckets buckets_;
  int sign_;
  ConstTensorView query_, key_;
  mutable std::unordered_map<int64_t, Answers> known_;
};

template <class Buckets>
class BucketTruth : public Truth {
 public:
  BucketTruth(const Case& c, const Buckets& buckets, int sign) : offsets_(c, buckets, sign) {}

  Expectation Expect(int, int64_t element) const override {
    return {Expectation::kInteger, static_cast<uint64_t>(At(element).exact)};
  }
  std::pair<int64_t, int64_t> Integers(int, int64_t element,
                                       const Profile& profile) const override {
    const Answers& a = At(element);
    if (!gnomon::t5_bias::ByFloat(profile)) return {a.exact, a.exact};
    return {a.least, a.greatest};
  }
  // Of integers there are none.
  Interval Value(int, int64_t element) const override { return Interval(At(element).exact); }
  Interval Bound(int, int64_t, const Profile&) const override { return Interval(0); }
  Interval Size(int, int64_t) const override { return Interval(1); }
  Interval Scale(int, int64_t) const override { return Interval(1); }

  Place Where(int, int64_t element) const override { return {Rel(element), std::nullopt}; }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Answers& a = At(element);
    return {{"offset", Interval(Rel(element))},
            {"bucket", Interval(a.exact)},
            {"least by float", Interval(a.least)},
            {"greatest by float", Interval(a.greatest)}};
  }

 private:
  int64_t Rel(int64_t element) const {
    const int64_t row = element / offsets_.keys();
    return offsets_.Rel(row / offsets_.queries(), row % offsets_.queries(),
                        element % offsets_.keys());
  }
  const Answers& At(int64_t element) const { return offsets_.At(Rel(element)); }
  Offsets<Buckets> offsets_;
};

// T5-4: [(batch,) heads, query, key].
class BiasTruth : public Truth {
 public:
  explicit BiasTruth(const Case& c)
      : format_(c.format),
        offsets_(c, gnomon::t5_bias::ReadBuckets(c), 1),
        table_(c.inputs.at("table").view()) {}

  Expectation Expect(int, int64_t element) const override {
    const Answers& a = Bucket(element);
    const uint64_t bits = BitsOf(element, a.exact);
    const double entry = DecodeBits(format_, bits);
    const bool open = a.least != a.greatest;
    if (std::isfinite(entry) && (entry != 0 || open)) return {};
    Expectation copy{Expectation::kCopy, bits};
    if (open) copy.or_bits = BitsOf(element, a.exact == a.least ? a.greatest : a.least);
    return copy;
  }
  // T5-6: the entry of another bucket that is open.
  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    const Answers& a = Bucket(element);
    bool open = false;
    for (int64_t b = a.least; b <= a.greatest; ++b) open |= !std::isfinite(Entry(element, b));
    return open && gnomon::t5_bias::ByFloat(profile);
  }
  Interval Value(int, int64_t element) const override {
    return Interval(Entry(element, Bucket(element).exact));
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const Answers& a = Bucket(element);
    Interval bound(0);
    if (!gnomon::t5_bias::ByFloat(profile)) return bound;
    for (int64_t b = a.least; b <= a.greatest; ++b) {
      const double entry = Entry(element, b);
      if (!std::isfinite(entry)) continue;
      const Interval off = abs(Interval(entry) - Value(0, element));
      if (mpfr_greater_p(Lower(off), Lower(bound))) bound = off;
    }
    return bound;
  }
  Interval Size(int, int64_t element) const override { return abs(Value(0, element)); }
  Interval Scale(int, int64_t element) const override { return abs(Value(0, element)); }

  Place Where(int, int64_t element) const override { return {Rel(element), std::nullopt}; }
  std::vector<Step> Steps(int, int64_t element) const override {
    return {{"offset", Interval(Rel(element))}, {"bucket", Interval(Bucket(element).exact)}};
  }

 private:
  int64_t Rel(int64_t element) const {
    const int64_t row = element / offsets_.keys(), heads = table_.shape[1];
    return offsets_.Rel(row / offsets_.queries() / heads, row % offsets_.queries(),
                        element % offsets_.keys());
  }
  const Answers& Bucket(int64_t element) const { return offsets_.At(Rel(element)); }
  uint64_t BitsOf(int64_t element, int64_t bucket) const {
    const int64_t heads = table_.shape[1];
    const int64_t head = element / offsets_.keys() / offsets_.queries() % heads;
    return BitsAt(table_, bucket * heads + head);
  }
  double Entry(int64_t element, int64_t bucket) const {
    return DecodeBits(format_, BitsOf(element, bucket));
  }
  Format format_;
  Offsets<T5Buckets> offsets_;
  ConstTensorView table_;
};

// T5-9, T5-10: what the score of one pair of a query and a key gets.
class BiasOfPair final : public SchemeBias {
 public:
  BiasOfPair(const Case& c, const T5Buckets& buckets)
      : format_(c.format),
        offsets_(c, buckets, 1),
        batched_(c.inputs.at("key_positions").shape().size() == 2),
        table_(c.inputs.at("table").view()) {}

  Interval Slope(int64_t) const override { return Interval(1); }
  double Multiple(const Pair& pair) const override {
    return Entry(pair.head, AnswersOfPair(pair).exact);
  }
  double About(const Pair& pair) const override { return Multiple(pair); }
  Interval Error(const Pair& pair, const Profile& profile) const override {
    Interval beta(0);
    if (!gnomon::t5_bias::ByFloat(profile)) return beta;
    const Answers& a = AnswersOfPair(pair);
    const Interval due(Entry(pair.head, a.exact));
    for (int64_t b = a.least; b <= a.greatest; ++b) {
      const Interval off = abs(Interval(Entry(pair.head, b)) - due);
      if (mpfr_greater_p(Lower(off), Lower(beta))) beta = off;
    }
    return beta;
  }
  bool IsOpen(const Pair& pair, const Profile&) const override {
    const Answers& a = AnswersOfPair(pair);
    bool open = false;
    for (int64_t b = a.least; a.least != a.greatest && b <= a.greatest; ++b)
      open |= !std::isfinite(Entry(pair.head, b));
    return open;
  }

 private:
  const Answers& AnswersOfPair(const Pair& pair) const {
    return offsets_.At(offsets_.Rel(batched_ ? pair.batch : 0, pair.query, pair.key));
  }
  double Entry(int64_t head, int64_t bucket) const {
    return DecodeBits(format_, BitsAt(table_, bucket * table_.shape[1] + head));
  }
  Format format_;
  Offsets<T5Buckets> offsets_;
  bool batched_;
  ConstTensorView table_;
};

}  // namespace

namespace t5_bias {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "t5_bias.bias") return std::make_unique<BiasTruth>(c);
  if (c.operation == "t5_bias.bucket")
    return std::make_unique<BucketTruth<T5Buckets>>(c, gnomon::t5_bias::ReadBuckets(c), 1);
  if (c.operation == "t5_bias.attention") {
    const gnomon::t5_bias::AttentionParameters p = gnomon::t5_bias::ReadAttention(c);
    return MakeBiasedAttention(c, p.heads, std::make_unique<BiasOfPair>(c, p.buckets));
  }
  return std::make_unique<BucketTruth<DebertaBuckets>>(c, gnomon::t5_bias::ReadDeberta(c), -1);
}

}  // namespace t5_bias
}  // namespace gnomon::reference
