// The algebra of rotations, as properties (ROPE-13 to ROPE-20).
#ifndef GNOMON_PROPERTIES_ROPE_ALGEBRA_H_
#define GNOMON_PROPERTIES_ROPE_ALGEBRA_H_

#include <vector>

#include "gnomon/properties/property.h"

namespace gnomon::properties::rope {

std::vector<Property> AlgebraicProperties();

}  // namespace gnomon::properties::rope

#endif  // GNOMON_PROPERTIES_ROPE_ALGEBRA_H_
