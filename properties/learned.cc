#include "gnomon/properties/property.h"

namespace gnomon::properties::learned {

std::vector<Property> Properties() { return {}; }

}  // namespace gnomon::properties::learned
