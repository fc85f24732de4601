#include "gnomon/properties/property.h"

namespace gnomon::properties::relative {

std::vector<Property> Properties() { return {}; }

}  // namespace gnomon::properties::relative
