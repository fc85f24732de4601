// Positions of the biases that depend on key - query (ALIBI-2, T5-3): what alibi_cases.cc and
// t5_bias_cases.cc share.
#ifndef GNOMON_PROPERTIES_OFFSET_CASES_H_
#define GNOMON_PROPERTIES_OFFSET_CASES_H_

#include <cstdint>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"

namespace gnomon::properties {

struct DrawPositions {
  bool memory = false;    // strides, padding
  bool may_batch = true;  // positions of every batch row of their own
  int64_t limit = int64_t{1} << 31;
  int64_t most_keys = 6;
};

// Gives the case query_positions and key_positions: a stretch of neighbours (a prefill, a decoding
// step), or each one anywhere; of either order.
void AddPositions(Trial& trial, const DrawPositions& draw, Case* c);

// The same where extents are known.
struct PositionCounts {
  int64_t batch, queries, keys;
};
void AddPositionsOf(Trial& trial, const DrawPositions& draw, bool batched,
                    const PositionCounts& counts, Case* c);

// The case with the positions of one batch row, of one of its queries and one of its keys.
Case OnePair(const Case& c, int64_t batch, int64_t query, int64_t key);
// Every position plus `by`.
Case Shifted(const Case& c, int64_t by);
int64_t QueryAt(const Case& c, int64_t batch, int64_t query);
int64_t KeyAt(const Case& c, int64_t batch, int64_t key);
// Extents; 1 without a batch.
int64_t Batches(const Case& c);
int64_t Queries(const Case& c);
int64_t Keys(const Case& c);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_OFFSET_CASES_H_
