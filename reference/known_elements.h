// What the judge found out about the elements of a case, for the next candidate that is asked it: a
// suite asks every kernel, and every mistake, the same cases.
#ifndef GNOMON_REFERENCE_KNOWN_ELEMENTS_H_
#define GNOMON_REFERENCE_KNOWN_ELEMENTS_H_

#include <cstdint>
#include <vector>

#include "gnomon/reference/truth.h"

namespace gnomon::reference {

struct KnownElement {
  enum { kUnknown, kQuick, kSlow } how = kUnknown;
  QuickElement quick;  // kQuick
};

// Of each output, by element; of this thread. The same as last time for a case of the same
// operation, parameters, format and values, wherever they lie in memory. Nothing where `counts`,
// the elements of every output, are too many to keep. Valid until the next call.
std::vector<std::vector<KnownElement>>* KnownElementsOf(const Case& c, bool flushes,
                                                        const std::vector<int64_t>& counts);

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_KNOWN_ELEMENTS_H_
