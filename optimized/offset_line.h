// Biases that depend on key position - query position: one line of numbers holds every row
// (ALIBI-2, T5-4). Shared by alibi.cc and t5_bias.cc.
#ifndef GNOMON_OPTIMIZED_OFFSET_LINE_H_
#define GNOMON_OPTIMIZED_OFFSET_LINE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// Rows cut out of one line: row i begins at element first + i step of it.
struct LineRows {
  const std::byte* line = nullptr;
  int64_t first = 0, step = 0;
};

// The last two axes of `to` (rows, columns), at that address, filled from the line; any strides.
// `stream`: stores go around the caches; hwy::FlushStream afterwards is the caller's.
void CopyRows(const LineRows& from, const TensorView& to, std::byte* at, bool stream);

// What a line of offsets becomes: element i of `bits` is what head `head` adds at offset line[i].
using EncodeLine =
    std::function<void(int64_t head, const std::vector<int64_t>& line, std::byte* bits)>;

// Fills [(batch,) heads, query, key], or [(batch,) query, key] of one head, where `sign` times (key
// position - query position) says what stands there. Where both positions rise by one, a line of
// query + key - 1 offsets serves all rows; else each row has one of its own. `encode` writes
// numbers of the type of `to`.
void FillByOffset(const ConstTensorView& query, const ConstTensorView& key, int64_t heads, int sign,
                  const EncodeLine& encode, const TensorView& to);

// The same where a row depends on the key alone: `line_of` gives the numbers of a batch row.
void FillByKey(int64_t batches, int64_t heads,
               const std::function<std::vector<int64_t>(int64_t batch)>& line_of,
               const EncodeLine& encode, const TensorView& to);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_OFFSET_LINE_H_
