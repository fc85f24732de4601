// Tables of cos(m w) and sin(m w) for all pairs of a `Turns` (ROPE-1, SIN-1), by Highway kernels.
#ifndef GNOMON_OPTIMIZED_TABLES_H_
#define GNOMON_OPTIMIZED_TABLES_H_

#include <cstddef>
#include <cstdint>

#include "gnomon/optimized/turns.h"

namespace gnomon::optimized {

// Where rows of [padded()] cosines and sines go: row r starts at cos + r stride, sin + r stride.
// All padded() columns are written; those beyond size() hold nothing of use. `stream` asks for
// non-temporal stores where the rows are aligned for them; call hwy::FlushStream() afterwards.
template <class T>
struct TableRows {
  T* cos = nullptr;
  T* sin = nullptr;
  size_t stride = 0;
  bool stream = false;
};

// Radii of the rounding tests: what the float64 values are off by, and what forming the ends costs.
inline constexpr double kDirectRelative = 8 * 0x1p-53, kDirectAbsolute = 0x1p-60;  // ROUND-2
inline constexpr double kAnchoredAbsolute = 10 * 0x1p-53;                          // ROUND-3

// Correctly rounded float32. Positions in [-2^31, 2^31]; consecutive ones are faster.
void FillTable(const Turns& turns, const int64_t* positions, size_t rows,
               const TableRows<float>& to);

// Rows of the positions first, first + 1, .. one at a time: made just before the tokens that need
// them, they stay in the first-level cache, and their arithmetic hides behind those tokens' memory
// traffic. Correctly rounded, sines negated with `mirrored` (the transpose, ROPE-6).
struct AnchoredRows {
  const Turns* turns = nullptr;
  size_t padded = 0;
  const double* anchor = nullptr;
  const double *cos_steps = nullptr, *sin_steps = nullptr;
  int64_t first = 0;
  bool mirrored = false;
  // Fills cos, sin [padded()] for position first + row, row < kStepRows.
  void (*make)(const AnchoredRows& rows, size_t row, float* cos, float* sin) = nullptr;
};

// How many of the positions, from positions[0] on, are consecutive and worth an anchor; 0: none.
size_t AnchoredRun(const Turns& turns, const int64_t* positions, size_t count);
// anchor: [2, padded()], at a cache-line address, for as long as the result is used.
AnchoredRows AnchorRows(const Turns& turns, int64_t first, bool mirrored, double* anchor);

// float64 by the direct path, within kDirectRelative |v| + kDirectAbsolute of the truth v; exact at
// position 0 and at frequency 0.
void FillTable(const Turns& turns, const int64_t* positions, size_t rows,
               const TableRows<double>& to);

// The kStepRows float64 rows from `first` that the consecutive path puts to the test, within
// kAnchoredAbsolute of the truth: to measure ROUND-3. size() at most kMaxStepPairs.
void FillAnchored(const Turns& turns, int64_t first, const TableRows<double>& to);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_TABLES_H_
