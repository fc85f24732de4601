// What a mistaken rotary embedding changes, for its predictor and for the list of its mistakes.
#ifndef GNOMON_ORACLE_HYPOTHESES_ROPE_H_
#define GNOMON_ORACLE_HYPOTHESES_ROPE_H_

#include <vector>

#include "gnomon/oracle/hypotheses_rope_scaling.h"
#include "gnomon/oracle/hypotheses_rope_xpos.h"

namespace gnomon::oracle::rope {

enum class Table { kOwn, kInterleaved, kConcatenated, kExchanged };
enum class Source { kSame, kHeadsReversed, kBatchesReversed, kContiguous, kHeadsAdjacent };
enum class Count { kGiven, kFirstRow, kTokens, kFromFirst, kHeads };

struct RopeChange {
  Change shared;
  XposChange xpos;
  RopeApply a;
  // Signs of the four products of ROPE-3: y_a = x_a c - x_b s, y_b = x_a s + x_b c.
  double cos_a = 1, sin_a = 1, sin_b = 1, cos_b = 1;
  Table table = Table::kOwn;
  Source source = Source::kSame;
  Count count = Count::kGiven;
  bool first_head_only = false, overwritten = false;
  int64_t member_distance = 0;  // between the dims of a pair, where not rotary_dim / 2
  Fill copied = Fill::kWritten;
  int overwrite_lanes = 0;
  ScalingFormulas scaling;
  bool cosines_alone = false;    // are multiplied by the magnitude
  bool length_of_token = false;  // for that of the call
};

inline bool IsTranspose(const RopeChange& c) { return c.a.direction == RopeDirection::kTranspose; }
inline bool IsApply(const Case& c) {
  return c.operation == "rope.apply" || c.operation == "rope.xpos";
}

const std::vector<Entry<RopeChange>>& Entries();

}  // namespace gnomon::oracle::rope

#endif  // GNOMON_ORACLE_HYPOTHESES_ROPE_H_
