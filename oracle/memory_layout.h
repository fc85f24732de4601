// Elements laid out in memory as a case asks for (CASE-7).
#ifndef GNOMON_ORACLE_MEMORY_LAYOUT_H_
#define GNOMON_ORACLE_MEMORY_LAYOUT_H_

#include <string>

#include "gnomon/oracle/case_json.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::oracle {

// What lies between the elements is 0xFF. Throws Rejected where an element lies outside the
// storage, or two of them share memory and differ.
Tensor LayOut(const ConstTensorView& elements, const MemoryLayout& layout, const std::string& role);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_MEMORY_LAYOUT_H_
