// The algebra of rotations over several axes, of tables of two axes and of windows.
#ifndef GNOMON_PROPERTIES_MULTI_AXIS_ALGEBRA_H_
#define GNOMON_PROPERTIES_MULTI_AXIS_ALGEBRA_H_

#include <vector>

#include "gnomon/properties/property.h"

namespace gnomon::properties::multi_axis {

std::vector<Property> AlgebraicProperties();

}  // namespace gnomon::properties::multi_axis

#endif  // GNOMON_PROPERTIES_MULTI_AXIS_ALGEBRA_H_
