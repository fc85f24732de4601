// Softmax attention of one head without a [query, key] matrix in memory (Vaswani et al. 2017,
// arXiv:1706.03762; online softmax: Milakov, Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022,
// arXiv:2205.14135).
//
// Accuracy: profile `standard` (spec/attention.md, ATT-14). Float32, contiguous rows; every other
// format and stride is converted by attention::Run, row by row.
#ifndef GNOMON_OPTIMIZED_ATTENTION_H_
#define GNOMON_OPTIMIZED_ATTENTION_H_

#include <cstddef>
#include <cstdint>

namespace gnomon::optimized {

// Shaw's terms (REL-12): key and value n of query m are k[n] + keys[r] and v[n] + values[r], where
// r = clamp(key_positions[n] - query_positions[m], low, high) - low.
struct RelativeRows {
  const float* keys = nullptr;    // [high - low + 1, head_dim]
  const float* values = nullptr;  // [high - low + 1, value_dim], finite
  int64_t low = 0, high = 0;      // tokens
  const int64_t* query_positions = nullptr;
  const int64_t* key_positions = nullptr;
};

struct AttentionHead {
  size_t queries = 0, keys = 0, head_dim = 0, value_dim = 0;
  const float* q = nullptr;  // [query, head_dim]
  const float* k = nullptr;  // [key, head_dim]
  const float* v = nullptr;  // [key, value_dim]
  float* y = nullptr;        // [query, value_dim]
  float scale = 1;
  bool causal = false;  // key n <= query m + keys - queries (ATT-2)
  // bias[m bias_stride + n] is added to the scaled score. A matrix has the stride `keys` or more. A
  // bias of n - m alone is one line of queries + keys - 1 numbers: bias points at the entry for
  // n = m = 0, number queries - 1, and the stride is -1.
  const float* bias = nullptr;
  ptrdiff_t bias_stride = 0;
  const uint8_t* seen = nullptr;  // [key]: 0 leaves the key out
  const RelativeRows* rows = nullptr;
};

// Memory beside y: O(keys (head_dim + value_dim) + queries value_dim), and with R relative rows
// O(R (head_dim + value_dim)). A query that sees no key
// gets 0. What no query sees may hold anything.
void FusedAttention(const AttentionHead& head);

// exp(x - max x) / sum, in place; minus infinity gives 0, nothing but that a row of 0.
void SoftmaxRow(float* row, size_t count);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ATTENTION_H_
