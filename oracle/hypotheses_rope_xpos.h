// Known mistakes in the scale of rope.xpos (XPOS-1 to XPOS-3), as hypotheses: the part of the rope
// list that speaks of it. Those in layouts, angles, positions and stores are rope.apply's.
#ifndef GNOMON_ORACLE_HYPOTHESES_ROPE_XPOS_H_
#define GNOMON_ORACLE_HYPOTHESES_ROPE_XPOS_H_

#include <optional>
#include <vector>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/spec/rope_xpos.h"

namespace gnomon::oracle::rope {

struct XposChange {
  bool asked = false;  // rope.xpos; else the scale is 1
  Xpos xpos;
  bool other_pair = false, integer_quotient = false, undivided = false, of_head = false;
  bool unscaled = false, sine_unscaled = false;
  std::optional<Format> scale_in;

  // The position that the mistaken kernel takes for the given one.
  static int64_t Moved(const Change& shared, int64_t given) {
    return shared.position ? shared.position(given).value_or(0) : given;
  }
  // XPOS-1, of a member of a pair; within 2^-52 of it, relatively; 0 where the kernel's
  // own may be anything.
  double ScaleAt(int64_t position, int64_t pair, int member) const;
  // XPOS-6, without the last rounding of `output` where that is the working format.
  double Bound(const Profile& profile, Format output, int64_t position, int64_t pair, double scale,
               double y, double S, double S_turned, double size, double D) const;
};

XposChange XposOf(const Case& c);
const std::vector<Entry<XposChange>>& XposEntries();

}  // namespace gnomon::oracle::rope

#endif  // GNOMON_ORACLE_HYPOTHESES_ROPE_XPOS_H_
