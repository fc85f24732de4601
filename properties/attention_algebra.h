// What relates answers of attention to each other.
#ifndef GNOMON_PROPERTIES_ATTENTION_ALGEBRA_H_
#define GNOMON_PROPERTIES_ATTENTION_ALGEBRA_H_

#include <vector>

#include "gnomon/properties/property.h"

namespace gnomon::properties::attention {

std::vector<Property> AlgebraicProperties();

}  // namespace gnomon::properties::attention

#endif  // GNOMON_PROPERTIES_ATTENTION_ALGEBRA_H_
