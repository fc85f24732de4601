// A file of named tensors, whatever its format.
#ifndef GNOMON_ORACLE_TENSOR_FILE_H_
#define GNOMON_ORACLE_TENSOR_FILE_H_

#include <map>
#include <string>
#include <vector>

#include "gnomon/oracle/files.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::oracle {

struct TensorFile {
  std::string name;  // of the file, for messages
  std::map<std::string, ConstTensorView> tensors;
  // Tensors of a type that no operation takes (U8, BOOL, ...), with that type.
  std::map<std::string, std::string> unusable;
  std::map<std::string, std::string> metadata;
  std::vector<FileBytes> memory;  // what the views point into
};

// A .npy file, or else safetensors. Throws BadFile.
TensorFile ReadTensorFile(const std::string& path);

// Throws BadFile where there is none of that name, or none of a usable type.
const ConstTensorView& TensorNamed(const TensorFile& file, const std::string& tensor);

// A product of extents that memory of `limit` elements could hold; nothing else gets further.
bool FitsIn(const Shape& shape, int64_t limit);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_TENSOR_FILE_H_
