// safetensors (https://github.com/huggingface/safetensors): an 8-byte little-endian header length,
// a JSON header, and the tensors' bytes without holes (CASE-7).
#ifndef GNOMON_ORACLE_SAFETENSORS_H_
#define GNOMON_ORACLE_SAFETENSORS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gnomon/oracle/files.h"
#include "gnomon/oracle/tensor_file.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::oracle {

// Trusts nothing in the bytes. Throws BadFile; `name` is for its message.
TensorFile ParseSafetensors(const FileBytes& bytes, const std::string& name);

// Row-major copies of the tensors, as the bytes of a file.
std::vector<std::byte> SafetensorsBytes(const std::map<std::string, ConstTensorView>& tensors,
                                        const std::map<std::string, std::string>& metadata);

// The same in a file, which is there completely or not at all.
void WriteSafetensors(const std::string& path,
                      const std::map<std::string, ConstTensorView>& tensors,
                      const std::map<std::string, std::string>& metadata);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_SAFETENSORS_H_
