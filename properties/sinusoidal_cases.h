// Generated cases of the sinusoidal operations.
#ifndef GNOMON_PROPERTIES_SINUSOIDAL_CASES_H_
#define GNOMON_PROPERTIES_SINUSOIDAL_CASES_H_

#include <cstdint>
#include <optional>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/sinusoidal.h"

namespace gnomon::properties::sinusoidal {

inline constexpr int64_t kAnyPosition = int64_t{1} << 31;
inline constexpr int64_t kAddablePosition = int64_t{1} << 30;

struct Draw {
  bool even = false;                 // whole pairs
  bool small = false;                // a matrix or sums over the width follow
  bool unusual_frequencies = false;  // always explicit ones
  bool near = false;                 // rows much nearer to each other than they are long
  bool memory = false;               // strides, padding, in place
  std::optional<Numbers> numbers = std::nullopt;  // of x; none: one of the tame kinds
  int64_t position_limit = kAnyPosition;
};

Case DrawTable(Trial& trial, const Draw& draw);
Case DrawAdd(Trial& trial, const Draw& draw);
// sinusoidal.shift_matrix or sinusoidal.relative_head.
Case DrawMatrix(Trial& trial, const std::string& operation, const Draw& draw);
// sinusoidal.similarity or sinusoidal.distance.
Case DrawPairwise(Trial& trial, const std::string& operation, const Draw& draw);
// An add whose exact sum lies just below half way between two values of the format.
Case DrawHalfwayAdd(Trial& trial);

// The table of the same parameters, at these positions.
Case TableLike(const Case& c, Tensor positions);
// A matrix or pairwise case of the same table parameters.
Case Like(const Case& c, const std::string& operation);
SinusoidalTable TableOf(const Case& c);
Tensor Positions(const std::vector<int64_t>& values);

}  // namespace gnomon::properties::sinusoidal

#endif  // GNOMON_PROPERTIES_SINUSOIDAL_CASES_H_
