// What a mistaken scheme of several axes changes, for its predictor and for the list of its
// mistakes.
#ifndef GNOMON_ORACLE_HYPOTHESES_MULTI_AXIS_H_
#define GNOMON_ORACLE_HYPOTHESES_MULTI_AXIS_H_

#include <vector>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/oracle/hypotheses_multi_axis_mixed.h"
#include "gnomon/spec/multi_axis.h"

namespace gnomon::oracle::multi_axis {

namespace axes = gnomon::multi_axis;

enum class Verb { kSections, kRotate, kSincos, kFactorized, kIndex, kBias };
enum class Count { kGiven, kFirstRow, kTokens, kFromFirst };

inline Verb VerbOf(const Case& c) {
  const std::string verb = c.operation.substr(c.operation.find('.') + 1);
  return verb == "sections"       ? Verb::kSections
         : verb == "sincos_2d"    ? Verb::kSincos
         : verb == "factorized"   ? Verb::kFactorized
         : verb == "window_index" ? Verb::kIndex
         : verb == "window_bias"  ? Verb::kBias
                                  : Verb::kRotate;
}

struct AxesChange {
  Change shared;
  // Rotations and sections. `axis` of every pair: -1 where it is not turned. Mixed: the axis whose
  // positions an axis takes, -1 where it is left out.
  AxialRotation a;
  Sections s;
  std::vector<int64_t> axis;
  MixedChange mixed;
  double sine = 1;
  Count count = Count::kGiven;
  bool transpose_forward = false, heads_reversed = false, overwritten = false, contiguous = false;
  Fill copied = Fill::kInput;
  // Tables of two axes.
  SincosTable t;
  bool halves = false, full_width = false, zero_rows_encoded = false;
  Combine combine = Combine::kSum;
  bool exchanged = false, transposed = false, mean = false;
  // Windows.
  Window w;
  bool reversed = false, by_columns = false, even_stride = false;
  bool cls_exchanged = false, cls_last = false;
};

const std::vector<Entry<AxesChange>>& Entries();

}  // namespace gnomon::oracle::multi_axis

#endif  // GNOMON_ORACLE_HYPOTHESES_MULTI_AXIS_H_
