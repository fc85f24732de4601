#include "gnomon/properties/cases.h"

namespace gnomon::properties::alibi {

std::vector<CaseSource> Cases() { return {}; }

}  // namespace gnomon::properties::alibi
