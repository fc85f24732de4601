#include "gnomon/oracle/case_file.h"

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/safetensors.h"

namespace gnomon::oracle {

namespace {

std::string HeaderOf(const Case& c) {
  CaseHeader header;
  header.c.operation = c.operation;
  header.c.parameters = c.parameters;
  header.c.format = c.format;
  header.c.in_place = c.in_place;
  for (const auto& [role, tensor] : c.inputs)
    if (!IsContiguous(tensor)) header.memory[role] = LayoutOf(tensor);
  return ToJson(header);
}

std::map<std::string, ConstTensorView> TensorsOf(const Case& c, const Outputs& outputs) {
  std::map<std::string, ConstTensorView> tensors;
  for (const auto& [role, tensor] : c.inputs) tensors[role] = tensor.view();
  for (const auto& [role, tensor] : outputs) tensors[role] = tensor.view();
  return tensors;
}

}  // namespace

std::vector<std::byte> CaseFileBytes(const Case& c, const Outputs& outputs,
                                     const std::map<std::string, Tensor>& more) {
  std::map<std::string, ConstTensorView> tensors = TensorsOf(c, outputs);
  for (const auto& [name, tensor] : more) tensors[name] = tensor.view();
  return SafetensorsBytes(tensors, {{"gnomon.case", HeaderOf(c)}});
}

void WriteCaseFile(const std::string& path, const Case& c, const Outputs& outputs) {
  WriteSafetensors(path, TensorsOf(c, outputs), {{"gnomon.case", HeaderOf(c)}});
}

Recording ReadCaseFile(const std::string& path, const RecordingOptions& options) {
  return ReadRecording(ReadTensorFile(path), options);
}

}  // namespace gnomon::oracle
