// CASE-9, for every scheme: along an axis that is apart, an index has the outputs that it has in a
// small case, however long the axis is. Kernels divide such axes among lanes, blocks, threads and
// launch grids, whose ends lie beyond any case that is drawn number by number.
#ifndef GNOMON_PROPERTIES_REPEATED_H_
#define GNOMON_PROPERTIES_REPEATED_H_

#include <string>
#include <vector>

#include "gnomon/properties/property.h"

namespace gnomon::properties {

// <stem>.repeated; none where no operation of the stem has an axis apart.
std::vector<Property> RepeatedProperty(const std::string& stem);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_REPEATED_H_
