#include "gnomon/properties/tolerance.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::properties::attention {

std::unique_ptr<Tolerance> MakeTolerance(const Profile&, const Case& c) {
  throw Rejected("operation", c.operation, "has no tolerance", "CASE-1");
}

}  // namespace gnomon::properties::attention
