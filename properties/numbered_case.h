// How a numbered case (cases.h) was drawn, for whoever looks for a simpler one.
#ifndef GNOMON_PROPERTIES_NUMBERED_CASE_H_
#define GNOMON_PROPERTIES_NUMBERED_CASE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/tape.h"

namespace gnomon::properties {

struct NumberedDraw {
  Case c;
  const CaseSource* from = nullptr;
  Tape tape;  // DrawCase makes `c` of it again
};

// NumberedCase, and where it comes from.
std::optional<NumberedDraw> DrawNumbered(const std::string& operation, Format format, uint64_t seed,
                                         int64_t number, const Limits& limits = {});

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_NUMBERED_CASE_H_
