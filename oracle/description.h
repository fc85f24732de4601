// What a plug-in or process says of itself (SUBJ-1 and SUBJ-3).
#ifndef GNOMON_ORACLE_DESCRIPTION_H_
#define GNOMON_ORACLE_DESCRIPTION_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gnomon/properties/limits.h"
#include "gnomon/spec/bounds.h"

namespace gnomon::oracle {

struct Description {
  struct Declared {
    std::vector<Format> formats;
    properties::Limits limits;
  };

  std::string name;
  size_t promise = 0;               // index into kProfiles
  bool flushes_subnormals = false;  // BOUND-8
  std::map<std::string, Declared> operations;
  int64_t alignment = 1;  // bytes

  bool Declares(const std::string& operation, Format format) const;
  properties::Limits LimitsOf(const std::string& operation) const;
};

// Throws BadFile for whatever is no such object; `origin`, the file or command, is for its message
// and stands for a missing name.
Description ParseDescription(std::string_view text, const std::string& origin);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DESCRIPTION_H_
