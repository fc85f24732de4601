#include "gnomon/spec/schemes.h"

namespace gnomon::attention {

const std::vector<OperationSpec>& Operations() {
  static const std::vector<OperationSpec> operations;
  return operations;
}

}  // namespace gnomon::attention
