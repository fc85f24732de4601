#include "gnomon/spec/schemes.h"

namespace gnomon::learned {

const std::vector<OperationSpec>& Operations() {
  static const std::vector<OperationSpec> operations;
  return operations;
}

}  // namespace gnomon::learned
