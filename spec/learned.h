// Learned positions, as a contract (spec/learned.md; Gehring et al. 2017, arXiv:1705.03122).
#ifndef GNOMON_SPEC_LEARNED_H_
#define GNOMON_SPEC_LEARNED_H_

#include <string>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/operation.h"

namespace gnomon::learned {

struct LookupParameters {
  int64_t offset = 0;             // LEARNED-2: position t reads row t + offset
  int64_t padding_position = -1;  // LEARNED-4
};

inline LookupParameters ReadLookup(const Case& c) {
  ParameterReader reader(c.parameters, "LEARNED-2");
  LookupParameters p;
  p.offset = reader.GetInteger("offset", 0, kMinPosition, kMaxPosition);
  const bool has_padding = reader.Has("padding_position");
  if (has_padding && c.inputs.count("mask") == 0)
    throw Rejected("padding_position", "(given)", "has no meaning without a mask", "LEARNED-4");
  p.padding_position = reader.GetInteger("padding_position", -1, kMinPosition, kMaxPosition);
  reader.RejectOthers();
  return p;
}

// LEARNED-6. |computed - y| for y = x + row, whatever the profile.
template <class T>
T AddBound(Format output, const T& y) {
  using std::abs;
  return UnitRoundoff(output) * abs(y);
}

}  // namespace gnomon::learned

#endif  // GNOMON_SPEC_LEARNED_H_
