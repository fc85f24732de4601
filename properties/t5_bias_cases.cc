#include "gnomon/properties/cases.h"

namespace gnomon::properties::t5_bias {

std::vector<CaseSource> Cases() { return {}; }

}  // namespace gnomon::properties::t5_bias
