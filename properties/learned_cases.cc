#include "gnomon/properties/cases.h"

namespace gnomon::properties::learned {

std::vector<CaseSource> Cases() { return {}; }

}  // namespace gnomon::properties::learned
