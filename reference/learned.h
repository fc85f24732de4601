// Learned positions, to be read beside spec/learned.md (Gehring et al. 2017, arXiv:1705.03122).
#ifndef GNOMON_REFERENCE_LEARNED_H_
#define GNOMON_REFERENCE_LEARNED_H_

#include <cstdint>
#include <vector>

#include "gnomon/spec/case.h"
#include "gnomon/spec/learned.h"

namespace gnomon::reference {

// LEARNED-4. Positions of one sequence: tokens that count are numbered from 0.
inline std::vector<int64_t> PositionsFromMask(const std::vector<int64_t>& mask, int64_t padding) {
  std::vector<int64_t> positions;
  int64_t sum = 0;
  for (const int64_t counts : mask) {
    sum += counts;
    positions.push_back(counts ? sum - 1 : padding);
  }
  return positions;
}

// LEARNED-2. The row that a position reads.
inline int64_t RowOf(const gnomon::learned::LookupParameters& p, int64_t position) {
  return position + p.offset;
}

// AXES-7. The row of a place of a grid, taken as one table.
inline int64_t GridRow(int64_t columns, int64_t row, int64_t column) {
  return row * columns + column;
}

// LEARNED-3.
template <class T>
T Add(const T& x, const T& row) {
  return x + row;
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_LEARNED_H_
