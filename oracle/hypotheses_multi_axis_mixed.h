// multi_axis.mixed with a known mistake (AXES-20): the angle that such a kernel turns by.
#ifndef GNOMON_ORACLE_HYPOTHESES_MULTI_AXIS_MIXED_H_
#define GNOMON_ORACLE_HYPOTHESES_MULTI_AXIS_MIXED_H_

#include <cstdint>
#include <vector>

#include "gnomon/oracle/hypotheses.h"

namespace gnomon::oracle::multi_axis {

struct MixedChange {
  bool first_head = false, heads_first = false, first_list = false, difference = false;

  // The frequency that the kernel takes for w[axis, head, pair].
  double Frequency(const ConstTensorView& w, int64_t axis, int64_t head, int64_t pair) const;
};

struct MixedTerm {
  int64_t position = 0;  // before Change::position
  double frequency = 0;
};
// Of the sum of the products. Mistakes of a base have nothing to change here.
Turn MixedTurn(Format format, const Change& change, const std::vector<MixedTerm>& terms);

}  // namespace gnomon::oracle::multi_axis

#endif  // GNOMON_ORACLE_HYPOTHESES_MULTI_AXIS_MIXED_H_
