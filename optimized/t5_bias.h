// T5's relative position bias (Raffel et al. 2020, arXiv:1910.10683) and DeBERTa's buckets.
//
// Units: positions in tokens, integers in [-2^31, 2^31). Buckets are exact; a bias has the bits of
// the table's entry. Formats of the table: f32, bf16, f16; any strides. Errors: gnomon::Rejected.
#ifndef GNOMON_OPTIMIZED_T5_BIAS_H_
#define GNOMON_OPTIMIZED_T5_BIAS_H_

#include <memory>
#include <vector>

#include "gnomon/spec/t5_bias.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// Where the logarithmic buckets begin (T5-2), decided in exact integers once and then looked up.
class T5Plan {
 public:
  explicit T5Plan(const T5Buckets& buckets);

  // `rel`: key position - query position.
  int64_t Bucket(int64_t rel) const;

  // query_positions [(batch,) query], key_positions [(batch,) key] -> buckets [(batch,) query,
  // key].
  void Buckets(const ConstTensorView& query_positions, const ConstTensorView& key_positions,
               const TensorView& to) const;
  // The same, with table [bucket, heads] -> bias [(batch,) heads, query, key] (T5-4).
  void Bias(const ConstTensorView& query_positions, const ConstTensorView& key_positions,
            const ConstTensorView& table, const TensorView& to) const;

 private:
  T5Buckets t_;
  int64_t OneSided(int64_t distance) const;

  std::vector<int64_t> starts_;  // [k - 1]: the least distance in logarithmic bucket k
  std::vector<int16_t> near_;    // the bucket of each small distance
};

// Plans take long to set up, beside a small call. Thread-safe.
std::shared_ptr<const T5Plan> CachedT5Plan(const T5Buckets& buckets);

// T5-5. `rel`: query position - key position.
int64_t DebertaBucket(const DebertaBuckets& buckets, int64_t rel);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_T5_BIAS_H_
