#include "gnomon/properties/cases.h"

namespace gnomon::properties::multi_axis {

std::vector<CaseSource> Cases() { return {}; }

}  // namespace gnomon::properties::multi_axis
