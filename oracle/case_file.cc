#include "gnomon/oracle/case_file.h"

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/safetensors.h"

namespace gnomon::oracle {

void WriteCaseFile(const std::string& path, const Case& c, const Outputs& outputs) {
  CaseHeader header;
  header.c.operation = c.operation;
  header.c.parameters = c.parameters;
  header.c.format = c.format;
  header.c.in_place = c.in_place;
  std::map<std::string, ConstTensorView> tensors;
  for (const auto& [role, tensor] : c.inputs) {
    tensors[role] = tensor.view();
    if (!IsContiguous(tensor)) header.memory[role] = LayoutOf(tensor);
  }
  for (const auto& [role, tensor] : outputs) tensors[role] = tensor.view();
  WriteSafetensors(path, tensors, {{"gnomon.case", ToJson(header)}});
}

Recording ReadCaseFile(const std::string& path, const RecordingOptions& options) {
  return ReadRecording(ReadTensorFile(path), options);
}

}  // namespace gnomon::oracle
