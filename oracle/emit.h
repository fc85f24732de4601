// Cases as files for programs that are asked elsewhere (SUBJ-8).
#ifndef GNOMON_ORACLE_EMIT_H_
#define GNOMON_ORACLE_EMIT_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gnomon/spec/case.h"

namespace gnomon::oracle {

// The tensors that a file with the truth has beside the case: rounded/y, truth/y, bound/<profile>/y
// and, where they say anything, open/<profile>/y and also/y for every output y. Throws Rejected for
// a case that is not valid.
std::map<std::string, Tensor> TruthTensors(const Case& c, bool flushes_subnormals = false);

// Writes the files, by name, into a folder, which it makes. A folder that holds any other
// .safetensors file, or one of those names with other bytes, is refused, and nothing written.
// Throws Rejected, BadFile.
void WriteFolder(const std::string& folder,
                 const std::map<std::string, std::vector<std::byte>>& files);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_EMIT_H_
