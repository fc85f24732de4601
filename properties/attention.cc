#include "gnomon/properties/property.h"

namespace gnomon::properties::attention {

std::vector<Property> Properties() { return {}; }

}  // namespace gnomon::properties::attention
