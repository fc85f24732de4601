// Certify by doubling (spec/README.md): a question is asked of enclosures; while the enclosures
// cannot decide it, the precision doubles, up to a stated cap.
#ifndef GNOMON_REFERENCE_CERTIFY_H_
#define GNOMON_REFERENCE_CERTIFY_H_

#include "gnomon/reference/interval.h"

namespace gnomon::reference {

inline constexpr unsigned kFirstPrecision = 128;  // bits
inline constexpr unsigned kLargestPrecision = 8192;

// `ask` computes with the Intervals it makes and returns an answer, or throws Undecided. Empty: not
// decided at the cap either. Only an exact tie does that; the caller reports it (BOUND-7).
template <class Ask>
auto Certify(Ask ask, unsigned first = kFirstPrecision) -> std::optional<decltype(ask())> {
  for (unsigned bits = first; bits <= kLargestPrecision; bits *= 2) {
    ScopedPrecision precision(bits);
    try {
      return ask();
    } catch (const Undecided&) {
    }
  }
  return std::nullopt;
}

// Throws Undecided unless the enclosure tells the number, to 2^-60 of it or where binary64 ends.
inline const Interval& Narrow(const Interval& x) {
  if (IsPoint(x)) return x;  // an infinity too
  if (WidthOf(x) <= std::abs(Midpoint(x)) * 0x1p-60 || WidthOf(x) <= 0x1p-1074) return x;
  throw Undecided();
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_CERTIFY_H_
