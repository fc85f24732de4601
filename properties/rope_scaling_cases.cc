#include "gnomon/properties/cases.h"

namespace gnomon::properties::rope_scaling {

std::vector<CaseSource> Cases() { return {}; }

}  // namespace gnomon::properties::rope_scaling
