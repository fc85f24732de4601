// Generated cases of the rope operations, and walks over their elements.
#ifndef GNOMON_PROPERTIES_ROPE_CASES_H_
#define GNOMON_PROPERTIES_ROPE_CASES_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/rope.h"

namespace gnomon::properties::rope {

inline constexpr int64_t kAnyPosition = int64_t{1} << 31;
// The sum of two such positions is a position, and so is their difference.
inline constexpr int64_t kAddablePosition = int64_t{1} << 30;

struct Draw {
  std::optional<Numbers> numbers =
      std::nullopt;                  // none: one of the tame kinds, or pairs that cancel
  bool unusual_frequencies = false;  // always explicit ones: zero, negative, huge, tiny
  bool given_tables = false;         // cos and sin in place of positions
  bool memory = false;               // strides, padding, in place
  bool output_layout = true;         // may differ from the layout
  bool direction = true;             // may be transpose
  int64_t position_limit = kAnyPosition;
  std::optional<RopeType> scaled = std::nullopt;  // context extension of that type
};

// Parameters of rope.frequencies and rope.table.
Parameters DrawFrequencies(Source& source, bool unusual);
// Brings parameters inside the limits, so that they fit each other (ROPE-1, ROPE-2).
void Fit(const Limits& limits, const std::string& operation, Source& source,
         Parameters* parameters);
Case DrawFrequenciesCase(Trial& trial, bool unusual);
Case DrawTable(Trial& trial, const Draw& draw);
Case DrawApply(Trial& trial, const Draw& draw);

// A case with given tables and one in which every product x_a c lies half way between two values of
// the format, and x_b s decides where to round: two roundings in a row go wrong there.
Case DrawHalfway(Trial& trial);

// Calls f for every pair of every head: its position's row (batch * seq + seq), and the numbers of
// the elements that hold its two members in that layout.
void ForEachPair(const Case& c, RopeLayout layout,
                 const std::function<void(int64_t row, int64_t a, int64_t b)>& f);
// Elements outside the window.
void ForEachCopied(const Case& c, const std::function<void(int64_t element)>& f);

// The position of every token, [batch, seq], whatever shape the case gives them in.
Tensor PositionsByToken(const Case& c);
Case WithPositions(const Case& c, const std::function<int64_t(int64_t number)>& position);
Case WithDirection(const Case& c, RopeDirection direction);

}  // namespace gnomon::properties::rope

#endif  // GNOMON_PROPERTIES_ROPE_CASES_H_
