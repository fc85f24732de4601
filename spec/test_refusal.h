// For tests: what is said of a case that is refused.
#ifndef GNOMON_SPEC_TEST_REFUSAL_H_
#define GNOMON_SPEC_TEST_REFUSAL_H_

#include <string>

#include "gnomon/spec/schemes.h"

namespace gnomon {

// "" where it is valid.
inline std::string Refusal(const Case& c) {
  try {
    Validate(c);
  } catch (const Rejected& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace gnomon

#endif  // GNOMON_SPEC_TEST_REFUSAL_H_
