#include "gnomon/properties/property.h"

namespace gnomon::properties::multi_axis {

std::vector<Property> Properties() { return {}; }

}  // namespace gnomon::properties::multi_axis
