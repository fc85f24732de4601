// Generated cases of the operations over more than one axis, and walks over their elements.
#ifndef GNOMON_PROPERTIES_MULTI_AXIS_CASES_H_
#define GNOMON_PROPERTIES_MULTI_AXIS_CASES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/multi_axis.h"

namespace gnomon::properties::multi_axis {

inline constexpr int64_t kAnyPosition = int64_t{1} << 31;
// The sum of two such positions is a position, and so is their difference.
inline constexpr int64_t kAddablePosition = int64_t{1} << 30;

struct Draw {
  std::optional<Numbers> numbers = std::nullopt;  // none: one of the tame kinds
  bool unusual_frequencies = false;  // always explicit ones: zero, negative, huge, tiny
  bool plain_frequencies = false;    // never explicit ones
  bool reset = false;                // AXES-10: the exponent starts anew on each axis
  bool memory = false;               // strides, padding, in place
  bool direction = true;             // may be transpose
  int64_t position_limit = kAnyPosition;
};

// multi_axis.axial, multi_axis.mrope or multi_axis.mixed; "": one of the first two.
Case DrawRotation(Trial& trial, std::string operation, const Draw& draw);
Case DrawSections(Trial& trial, std::optional<SectionOrder> order = std::nullopt);
Case DrawSincos(Trial& trial, bool memory, int64_t position_limit = kAnyPosition);
Case DrawFactorized(Trial& trial, Combine combine, Numbers numbers, bool memory);
// multi_axis.window_index or multi_axis.window_bias.
Case DrawWindow(Trial& trial, const std::string& operation, bool memory, bool special);

// Calls f for every pair of every head: token (batch * seq + seq), pair, and the numbers of the
// elements that hold its two members.
void ForEachPair(const Case& c,
                 const std::function<void(int64_t token, int64_t pair, int64_t a, int64_t b)>& f);
// The position of a token on an axis, whatever shape the case gives them in.
int64_t PositionOn(const Case& c, int64_t token, int64_t axis);
// The case with other positions, in the shape that it has: f(batch, axis, seq).
Case WithPositions(const Case& c, const std::function<int64_t(int64_t, int64_t, int64_t)>& f);
// Of the element of the positions with that number.
int64_t AxisOfNumber(const Case& c, int64_t number);
Case WithDirection(const Case& c, RopeDirection direction);

}  // namespace gnomon::properties::multi_axis

#endif  // GNOMON_PROPERTIES_MULTI_AXIS_CASES_H_
