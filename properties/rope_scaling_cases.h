// Generated parameters and cases of context extension.
#ifndef GNOMON_PROPERTIES_ROPE_SCALING_CASES_H_
#define GNOMON_PROPERTIES_ROPE_SCALING_CASES_H_

#include <string>
#include <vector>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/rope.h"

namespace gnomon::properties::rope_scaling {

// head_dim, rope_theta, and those of the type; valid for rope.* and rope_scaling.frequencies.
// seq_len is stated where the type needs one.
Parameters DrawScaled(Source& source, RopeType type);
RopeType DrawType(Source& source);
// Whether these, and others beside them, give frequencies.
bool IsValid(const Parameters& parameters);
// Of yarn and longrope: where the magnitude goes, and what it is made of.
void DrawMagnitude(Source& source, RopeType type, Parameters* parameters);

// Inside the limits of the operation: that, or rope.frequencies.
Case FrequenciesCase(Trial& trial, Parameters parameters,
                     const std::string& operation = "rope_scaling.frequencies");
// The same with rope_type default.
Case Unscaled(Case c);

}  // namespace gnomon::properties::rope_scaling

#endif  // GNOMON_PROPERTIES_ROPE_SCALING_CASES_H_
