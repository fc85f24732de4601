// Cases and recordings as safetensors files (CASE-7).
#ifndef GNOMON_ORACLE_CASE_FILE_H_
#define GNOMON_ORACLE_CASE_FILE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gnomon/oracle/recording.h"
#include "gnomon/spec/case.h"

namespace gnomon::oracle {

// Roles are the names of the tensors. Without outputs the file is a question. `more` are tensors
// that no role names.
std::vector<std::byte> CaseFileBytes(const Case& c, const Outputs& outputs = {},
                                     const std::map<std::string, Tensor>& more = {});
void WriteCaseFile(const std::string& path, const Case& c, const Outputs& outputs = {});

// A file that states its own case, or whose case `options` state.
Recording ReadCaseFile(const std::string& path, const RecordingOptions& options = {});

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CASE_FILE_H_
