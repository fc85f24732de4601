#include "gnomon/properties/property.h"

namespace gnomon::properties::alibi {

std::vector<Property> Properties() { return {}; }

}  // namespace gnomon::properties::alibi
