// A case as JSON, its canonical form, and its id (CASE-5, CASE-7).
#ifndef GNOMON_ORACLE_CASE_JSON_H_
#define GNOMON_ORACLE_CASE_JSON_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gnomon/oracle/strict_json.h"
#include "gnomon/spec/case.h"

namespace gnomon::oracle {

// How an input lies in memory; counts are elements.
struct MemoryLayout {
  Shape strides;
  int64_t origin = 0;
  int64_t extent = 0;
};

// The metadata `gnomon.case` of a file: a case but for its tensors, and where those are.
struct CaseHeader {
  Case c;                                                // without inputs
  std::map<std::string, std::string> inputs, outputs;    // role -> name of the tensor
  std::map<std::string, std::vector<std::string>> axes;  // role -> axes as stored
  std::map<std::string, MemoryLayout> memory;            // role of an input
};

// Throws BadFile for whatever is not such an object; `file` is for its message.
CaseHeader ParseCaseHeader(std::string_view text, const std::string& file);
std::string ToJson(const CaseHeader& header);

// A parameter's value as JSON has it (CASE-3). Throws BadFile.
Value ToValue(const Json& json, const std::string& parameter, const std::string& file);

bool IsContiguous(const Tensor& tensor);
MemoryLayout LayoutOf(const Tensor& tensor);

// The member `parameters` of the canonical form.
std::string ParametersJson(const Parameters& parameters);
std::string CanonicalForm(const Case& c);
std::string CaseId(const Case& c);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CASE_JSON_H_
