// What a subject does not do of an operation that it declares (SUBJ-3). Generators draw inside the
// limits, and nothing outside them is asked.
#ifndef GNOMON_PROPERTIES_LIMITS_H_
#define GNOMON_PROPERTIES_LIMITS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gnomon/properties/source.h"
#include "gnomon/spec/operation.h"

namespace gnomon::properties {

// A name that is absent is not limited.
struct Limits {
  std::map<std::string, std::vector<Value>> parameters;  // allowed values
  std::set<std::string> without;  // parameters and optional inputs that it does not take
  // By the operation's name of the axis: its largest extent; the only extents it may have.
  std::map<std::string, int64_t> axes;
  std::map<std::string, std::vector<int64_t>> extents;
  std::map<std::string, std::vector<DType>> dtypes;   // of inputs, by role
  std::map<std::string, std::vector<int64_t>> ranks;  // of inputs, by role
  bool strides = true;                                // memory that is not contiguous and row-major
  bool in_place = true;
  int64_t min_position = kMinPosition, max_position = kMaxPosition;
  int64_t elements = std::numeric_limits<int64_t>::max();  // of any tensor

  bool takes(const std::string& name) const { return without.count(name) == 0; }
  // Whether values of the parameter are theirs, not the generators'.
  bool decides(const std::string& name) const { return parameters.count(name) > 0 || !takes(name); }
  // An extent that it takes; the same one if it does.
  int64_t extent(const std::string& axis, int64_t drawn) const;
  // A position that it takes; the same one if it does.
  int64_t position(int64_t drawn) const;
  bool takes_dtype(const std::string& role, DType dtype) const;
  bool takes_rank(const std::string& role, int64_t rank) const;
};

// The limit that a case breaks, in words; empty where it breaks none.
std::string Outside(const Limits& limits, const Case& c);

// The same question inside the types and ranks: integers in a type that is taken and holds them,
// leading axes of extent 1 left out. Nothing where that changes nothing.
std::optional<Case> Retyped(const Limits& limits, const Case& c);

// Drawn parameters brought inside: forbidden ones dropped, values picked among the allowed.
void FitParameters(const Limits& limits, const std::string& operation, Source& source,
                   Parameters* parameters);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_LIMITS_H_
