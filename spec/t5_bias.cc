#include "gnomon/spec/schemes.h"

namespace gnomon::t5_bias {

const std::vector<OperationSpec>& Operations() {
  static const std::vector<OperationSpec> operations;
  return operations;
}

}  // namespace gnomon::t5_bias
