// Generated cases of the operations on learned positions.
#ifndef GNOMON_PROPERTIES_LEARNED_CASES_H_
#define GNOMON_PROPERTIES_LEARNED_CASES_H_

#include <optional>
#include <string>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/learned.h"

namespace gnomon::properties::learned {

struct Draw {
  bool memory = false;                            // strides, padding, in place
  bool mask = false;                              // always; else now and then
  bool positions = false;                         // always
  std::optional<Numbers> numbers = std::nullopt;  // none: one of the tame kinds
};

// learned.lookup or learned.add.
Case DrawLearned(Trial& trial, const std::string& operation, const Draw& draw);

}  // namespace gnomon::properties::learned

#endif  // GNOMON_PROPERTIES_LEARNED_CASES_H_
