// NumPy's .npy, versions 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Types <f8 <f4 <f2 <i8
// <i4, C and Fortran order. There is no bf16 in NumPy.
#ifndef GNOMON_ORACLE_NPY_H_
#define GNOMON_ORACLE_NPY_H_

#include <string>

#include "gnomon/oracle/files.h"
#include "gnomon/oracle/tensor_file.h"

namespace gnomon::oracle {

bool IsNpy(const FileBytes& bytes);

// The one array of the file becomes the tensor "array". Throws BadFile.
TensorFile ParseNpy(const FileBytes& bytes, const std::string& name);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_NPY_H_
