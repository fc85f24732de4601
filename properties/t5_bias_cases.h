// Generated cases of the operations of T5's bias.
#ifndef GNOMON_PROPERTIES_T5_BIAS_CASES_H_
#define GNOMON_PROPERTIES_T5_BIAS_CASES_H_

#include <optional>

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

// One query at 0 and these keys; DeBERTa: the query and key exchanged, so that `rel` is the same.
Case WithOffsets(const Case& c, const std::vector<int64_t>& rel);

T5Buckets BucketsOf(const Case& c);
DebertaBuckets DebertaOf(const Case& c);

}  // namespace gnomon::properties::t5_bias

#endif  // GNOMON_PROPERTIES_T5_BIAS_CASES_H_
