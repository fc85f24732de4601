#include "gnomon/properties/property.h"

namespace gnomon::properties::t5_bias {

std::vector<Property> Properties() { return {}; }

}  // namespace gnomon::properties::t5_bias
