// Generated cases of the operations of T5's bias.
#ifndef GNOMON_PROPERTIES_T5_BIAS_CASES_H_
#define GNOMON_PROPERTIES_T5_BIAS_CASES_H_

#include <optional>

#include "gnomon/properties/biased_attention.h"
#include "gnomon/properties/offset_cases.h"
#include "gnomon/spec/t5_bias.h"

namespace gnomon::properties::t5_bias {

struct Draw {
  std::optional<bool> bidirectional = std::nullopt;
  bool boundaries = false;  // configurations and distances at which a bucket begins exactly
  Numbers numbers = Numbers::kUnit;  // of the table
  DrawPositions positions = {};
};

Case DrawBucket(Trial& trial, const Draw& draw);
Case DrawBias(Trial& trial, const Draw& draw);
Case DrawDeberta(Trial& trial, const Draw& draw);

// T5-9.
const attention::BiasedScheme& Attention();
// Every query at 0, keys at and beside distances at which a bucket begins exactly.
Case DrawAttentionAtBoundaries(Trial& trial);

// One query at 0 and these keys; DeBERTa: the query and key exchanged, so that `rel` is the same.
Case WithOffsets(const Case& c, const std::vector<int64_t>& rel);

T5Buckets BucketsOf(const Case& c);
DebertaBuckets DebertaOf(const Case& c);

}  // namespace gnomon::properties::t5_bias

#endif  // GNOMON_PROPERTIES_T5_BIAS_CASES_H_
