// The algebra of shifts, as properties (SIN-13 to SIN-17).
#ifndef GNOMON_PROPERTIES_SINUSOIDAL_ALGEBRA_H_
#define GNOMON_PROPERTIES_SINUSOIDAL_ALGEBRA_H_

#include <vector>

#include "gnomon/properties/property.h"

namespace gnomon::properties::sinusoidal {

std::vector<Property> AlgebraicProperties();

}  // namespace gnomon::properties::sinusoidal

#endif  // GNOMON_PROPERTIES_SINUSOIDAL_ALGEBRA_H_
