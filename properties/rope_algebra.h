// The algebra of rotations, as properties (ROPE-13 to ROPE-20).
#ifndef GNOMON_PROPERTIES_ROPE_ALGEBRA_H_
#define GNOMON_PROPERTIES_ROPE_ALGEBRA_H_

#include <vector>

#include "gnomon/properties/property.h"

namespace gnomon::properties::rope {

std::vector<Property> AlgebraicProperties();

// With context extension (rope_scaled.cc).
std::vector<Property> ScaledProperties();

}  // namespace gnomon::properties::rope

#endif  // GNOMON_PROPERTIES_ROPE_ALGEBRA_H_
