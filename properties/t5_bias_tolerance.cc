#include <cmath>
#include <limits>

#include "gnomon/properties/t5_bias_cases.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/reference/t5_bias.h"

namespace gnomon::properties::t5_bias {
namespace {

using gnomon::t5_bias::ByFloat;
using gnomon::t5_bias::QuotientOf;

// T5-6, T5-7. How many buckets beside the right one a promise leaves open at this distance: in
// binary64, so the ends of the quotient are moved outward by more than its roundings.
int64_t Slack(const Profile& promise, Format format, int64_t E, int64_t D, int64_t L, int64_t x,
              bool up) {
  if (!ByFloat(promise) || x < E || (up && x == E)) return 0;
  const auto q = QuotientOf<double>(format, E, D, L, x);
  const double low = std::max(q.low * (2 - kEvaluated), 0.0), high = q.high * kEvaluated;
  return static_cast<int64_t>(up ? std::ceil(high) - std::ceil(low)
                                 : std::floor(high) - std::floor(low));
}

class BucketTolerance : public Tolerance {
 public:
  BucketTolerance(const Profile& promise, const Case& c)
      : promise_(promise), c_(c), deberta_(c.operation == "t5_bias.deberta_bucket") {}
  double Bound(int, int64_t element) const override {
    const int64_t keys = Keys(c_), queries = Queries(c_), row = element / keys;
    const int64_t rel =
        KeyAt(c_, row / queries, element % keys) - QueryAt(c_, row / queries, row % queries);
    if (deberta_) {
      const DebertaBuckets d = DebertaOf(c_);
      if (std::abs(rel) <= d.middle()) return 0;
      return static_cast<double>(
          Slack(promise_, c_.format, d.middle(), d.last(), d.middle() - 1, d.Distance(rel), true));
    }
    const T5Buckets t = BucketsOf(c_);
    return static_cast<double>(Slack(promise_, c_.format, t.max_exact(), t.max_distance,
                                     t.logarithmic(), t.Distance(rel), false));
  }
  double Size(int, int64_t) const override { return 1; }

 private:
  Profile promise_;
  const Case& c_;
  bool deberta_;
};

// T5-4: the entry of a bucket that is open; where there are two, anything in the table's range.
class BiasTolerance : public Tolerance {
 public:
  BiasTolerance(const Profile& promise, const Case& c) : c_(c), buckets_(promise, c) {
    const Tensor& table = c.inputs.at("table");
    for (int64_t i = 0; i < table.count(); ++i)
      largest_ = std::max(largest_, std::abs(table.Value(i)));
  }
  double Bound(int, int64_t element) const override {
    const int64_t block = Keys(c_) * Queries(c_), heads = c_.inputs.at("table").shape()[1];
    const int64_t pair = element / block / heads * block + element % block;
    return buckets_.Bound(0, pair) > 0 ? 2 * largest_ : 0;
  }
  double Size(int, int64_t) const override { return largest_; }

 private:
  const Case& c_;
  BucketTolerance buckets_;
  double largest_ = 0;
};

// T5-11.
std::unique_ptr<Tolerance> OfAttention(const Profile& promise, const Case& c) {
  const T5Buckets buckets = BucketsOf(c);
  const int64_t keys = Keys(c), queries = Queries(c), pairs = Batches(c) * queries * keys;
  const BucketTolerance open(promise, c);
  std::vector<int64_t> bucket;  // [batch, query, key]
  std::vector<bool> two;        // are open
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t row = i / keys;
    const int64_t rel =
        KeyAt(c, row / queries, i % keys) - QueryAt(c, row / queries, row % queries);
    bucket.push_back(reference::Bucket(buckets, rel));
    two.push_back(open.Bound(0, i) > 0);
  }
  const Tensor& table = c.inputs.at("table");
  const int64_t heads = table.shape()[1];
  std::vector<double> largest(static_cast<size_t>(heads), 0.0);
  for (int64_t i = 0; i < table.count(); ++i) {
    double& most = largest[static_cast<size_t>(i % heads)];
    const double entry = std::abs(table.Value(i));
    most = std::isfinite(entry) ? std::max(most, entry) : std::numeric_limits<double>::infinity();
  }
  const int64_t batches = Batches(c);
  const auto term = [=, &table](int64_t b, int64_t head, int64_t query, int64_t key) {
    const int64_t pair = ((batches == 1 ? 0 : b) * queries + query) * keys + key;
    const double entry = table.Value(bucket[static_cast<size_t>(pair)] * heads + head);
    attention::SchemeTerm t;
    t.size = std::abs(entry);
    if (two[static_cast<size_t>(pair)]) t.error = 2 * largest[static_cast<size_t>(head)];
    t.seen = std::isfinite(entry) || t.error > 0;
    return t;
  };
  return attention::MakeBiasedTolerance(promise, c, gnomon::t5_bias::ReadAttention(c).heads, term);
}

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (c.operation == "t5_bias.bias") return std::make_unique<BiasTolerance>(promise, c);
  if (c.operation == "t5_bias.attention") return OfAttention(promise, c);
  return std::make_unique<BucketTolerance>(promise, c);
}

}  // namespace gnomon::properties::t5_bias
