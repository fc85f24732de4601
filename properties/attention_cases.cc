#include "gnomon/properties/cases.h"

namespace gnomon::properties::attention {

std::vector<CaseSource> Cases() { return {}; }

}  // namespace gnomon::properties::attention
