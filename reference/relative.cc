#include "gnomon/reference/truth.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::reference::relative {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  throw Rejected("operation", c.operation, "has no reference", "CASE-1");
}

}  // namespace gnomon::reference::relative
