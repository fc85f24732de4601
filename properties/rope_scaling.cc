#include "gnomon/properties/property.h"

namespace gnomon::properties::rope_scaling {

std::vector<Property> Properties() { return {}; }

}  // namespace gnomon::properties::rope_scaling
