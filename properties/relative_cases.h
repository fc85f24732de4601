// Generated cases of the operations on relative position vectors.
#ifndef GNOMON_PROPERTIES_RELATIVE_CASES_H_
#define GNOMON_PROPERTIES_RELATIVE_CASES_H_

#include <optional>
#include <string>

#include "gnomon/properties/biased_attention.h"
#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/relative.h"

namespace gnomon::properties::relative {

struct Draw {
  bool memory = false;                            // strides, padding
  std::optional<Numbers> numbers = std::nullopt;  // none: a kind whose sums of products are finite
  bool whole_weights = false;                     // sums of weights are exact
  bool far_apart = false;                         // differences of positions beyond 32 bits
};

Case DrawScores(Trial& trial, const Draw& draw);
Case DrawValues(Trial& trial, const Draw& draw);
Case DrawVectors(Trial& trial, const Draw& draw);
// relative.skew or relative.xl_shift.
Case DrawShift(Trial& trial, const std::string& operation, const Draw& draw);

Tensor Positions(const std::vector<int64_t>& values);
// The same shape and format, every element `value`.
Tensor Filled(const Tensor& like, double value);
// REL-12.
const attention::BiasedScheme& Attention();
// The case with these rows in both tables, and the clip that goes with their number.
Case WithRows(const Case& c, const std::vector<int64_t>& rows);

// Both m and n moved by `by`.
Case Moved(const Case& c, int64_t by);

}  // namespace gnomon::properties::relative

#endif  // GNOMON_PROPERTIES_RELATIVE_CASES_H_
