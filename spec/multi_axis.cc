#include "gnomon/spec/schemes.h"

namespace gnomon::multi_axis {

const std::vector<OperationSpec>& Operations() {
  static const std::vector<OperationSpec> operations;
  return operations;
}

}  // namespace gnomon::multi_axis
