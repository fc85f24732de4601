// Generated cases of the ALiBi operations.
#ifndef GNOMON_PROPERTIES_ALIBI_CASES_H_
#define GNOMON_PROPERTIES_ALIBI_CASES_H_

#include <optional>

#include "gnomon/properties/biased_attention.h"
#include "gnomon/properties/offset_cases.h"
#include "gnomon/spec/alibi.h"

namespace gnomon::properties::alibi {

struct Draw {
  std::optional<AlibiForm> form = std::nullopt;
  bool unusual_slopes = false;  // tiny and huge alibi_bias_max
  DrawPositions positions = {};
};

Case DrawSlopes(Trial& trial, const Draw& draw);
Case DrawBias(Trial& trial, const Draw& draw);
// A bias whose product with a power of two lies just beside half way between two values of the
// format, or on it.
Case DrawHalfway(Trial& trial);

// ALIBI-8.
const attention::BiasedScheme& Attention();

// The slopes of the same heads.
Case SlopesLike(const Case& c);
AlibiSlopes SlopesOf(const Case& c);

}  // namespace gnomon::properties::alibi

#endif  // GNOMON_PROPERTIES_ALIBI_CASES_H_
