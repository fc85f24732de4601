#include "gnomon/oracle/tensor_file.h"

#include <algorithm>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/npy.h"
#include "gnomon/oracle/safetensors.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {

TensorFile ReadTensorFile(const std::string& path) {
  const FileBytes bytes = ReadFile(path);
  // The header of a safetensors file, JSON, begins at byte 8.
  const bool may_be_safetensors = bytes.size >= 9 && bytes.text()[8] == '{';
  if (!IsNpy(bytes) && !may_be_safetensors) {
    const bool no_header = bytes.size >= 8 && bytes.text().substr(0, 8) == std::string(8, '\0');
    throw BadFile(path, std::string("is neither a safetensors nor a .npy file") +
                            (no_header ? ": as safetensors its header length would be 0" : ""));
  }
  return IsNpy(bytes) ? ParseNpy(bytes, path) : ParseSafetensors(bytes, path);
}

const ConstTensorView& TensorNamed(const TensorFile& file, const std::string& tensor) {
  if (const auto found = file.tensors.find(tensor); found != file.tensors.end())
    return found->second;
  if (const auto found = file.unusable.find(tensor); found != file.unusable.end())
    throw BadFile(file.name, "tensor " + Quoted(tensor) + " has type " + found->second +
                                 "; usable are F64, F32, BF16, F16, I64, I32");
  std::string names;
  for (const auto& [name, view] : file.tensors) names += (names.empty() ? "" : ", ") + Quoted(name);
  throw BadFile(file.name, "holds no tensor " + Quoted(tensor) +
                               (names.empty() ? "" : "; it holds " + names.substr(0, 400)));
}

bool FitsIn(const Shape& shape, int64_t limit) {
  int64_t product = 1;  // of the extents that are not 0: strides are made of them
  bool empty = false;
  for (int64_t extent : shape) empty |= extent == 0;
  const int64_t most = empty ? int64_t{1} << 40 : limit;
  for (int64_t extent : shape) {
    if (extent < 0 || extent > most / product) return false;
    product *= std::max<int64_t>(extent, 1);
  }
  return true;
}

}  // namespace gnomon::oracle
