// What operations that end in a softmax share. Attention with a bias that depends on the offset of
// the key from the query, or on the key alone (ALIBI-8, T5-9): the fused kernel reads it from one
// line of numbers a head. Memory beside the output: O(T d), no [query, key] matrix.
#ifndef GNOMON_OPTIMIZED_BIASED_ATTENTION_H_
#define GNOMON_OPTIMIZED_BIASED_ATTENTION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "gnomon/optimized/attention.h"
#include "gnomon/spec/attention.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// Calls answer(batch, head, &under_way) for every head of q, k, v and key_mask of the case, made
// contiguous float32; it adds what is its own and runs a kernel, whose rows go to y.
using AnswerHead = std::function<void(int64_t batch, int64_t head, AttentionHead* under_way)>;
void ForEachHead(const Case& c, const gnomon::attention::Parameters& p, const TensorView& y,
                 const AnswerHead& answer);

// [seq], or those of one batch row of [batch, seq].
std::vector<int64_t> PositionsOf(const ConstTensorView& positions, int64_t batch);

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
