// Tables of two axes: cases, tolerances and properties of learned.resize and learned.lookup_2d.
#ifndef GNOMON_PROPERTIES_LEARNED_RESIZE_H_
#define GNOMON_PROPERTIES_LEARNED_RESIZE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/generators.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/learned_resize.h"

namespace gnomon::properties::learned {

struct ResizeDraw {
  bool memory = false;                 // strides, padding
  bool whole = false;                  // whole numbers: sums of two are exact
  bool wide = false, special = false;  // every exponent; some numbers that are not finite
  bool list = false;                   // a table of one row, resized to one row
  std::optional<std::string> filter, coordinates;
  std::optional<bool> antialias;
};
// learned.resize.
Case DrawResize(Trial& trial, const ResizeDraw& draw);
// learned.lookup_2d.
Case DrawGrid(Trial& trial, bool memory, bool special);

std::vector<CaseSource> GridCases();
std::vector<Property> GridProperties();
std::unique_ptr<Tolerance> MakeResizeTolerance(const Profile& promise, const Case& c);

}  // namespace gnomon::properties::learned

#endif  // GNOMON_PROPERTIES_LEARNED_RESIZE_H_
