#include "gnomon/spec/schemes.h"

namespace gnomon::rope_scaling {

const std::vector<OperationSpec>& Operations() {
  static const std::vector<OperationSpec> operations;
  return operations;
}

}  // namespace gnomon::rope_scaling
