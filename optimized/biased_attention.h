// Attention with a bias that depends on the offset of the key from the query, or on the key alone
// (ALIBI-8, T5-9): the fused kernel reads it from one line of numbers a head. Memory beside the
// output: O(T d), no [query, key] matrix.
#ifndef GNOMON_OPTIMIZED_BIASED_ATTENTION_H_
#define GNOMON_OPTIMIZED_BIASED_ATTENTION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "gnomon/spec/attention.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// What head `head` adds at every number of the line: an offset (key position - query position, in
// tokens), or a key position.
using BiasOfLine = std::function<void(int64_t head, const std::vector<int64_t>& line, float* bias)>;

// y [batch, query, query_heads, value_dim] from q, k, v, key_mask, query_positions and
// key_positions of the case. Where both positions rise by one, a line of query + key - 1 offsets
// serves all rows of a head; else each query has a line of its own.
void RunBiasedAttention(const Case& c, const gnomon::attention::Parameters& p, bool by_key,
                        const BiasOfLine& bias, const TensorView& y);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_BIASED_ATTENTION_H_
