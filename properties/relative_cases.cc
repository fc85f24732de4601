#include "gnomon/properties/cases.h"

namespace gnomon::properties::relative {

std::vector<CaseSource> Cases() { return {}; }

}  // namespace gnomon::properties::relative
