// After a red verdict: which one parameter, stated otherwise, would have made it green.
#ifndef GNOMON_ORACLE_NEIGHBOURS_H_
#define GNOMON_ORACLE_NEIGHBOURS_H_

#include <string>
#include <vector>

#include "gnomon/oracle/recording.h"
#include "gnomon/oracle/report.h"

namespace gnomon::oracle {

struct Neighbour {
  std::string change;  // "direction=transpose"
  size_t profile;      // what the recording then meets
};

// Judges a recording of rope.apply again, with the other layout and with the other direction. Empty
// for any other operation, and beyond 10^6 elements. The case must be valid.
std::vector<Neighbour> ConformingNeighbours(const Recording& recording, const Demand& demand);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_NEIGHBOURS_H_
