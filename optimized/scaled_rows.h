// Rows of cosines and sines, times a magnitude or not (SCALE-13).
#ifndef GNOMON_OPTIMIZED_SCALED_ROWS_H_
#define GNOMON_OPTIMIZED_SCALED_ROWS_H_

#include "gnomon/optimized/tables.h"

namespace gnomon::optimized {

// The turns that rows are made of, and what multiplies every entry: null is 1.
struct RowSource {
  const Turns& turns;
  const ExactFrequency* magnitude = nullptr;

  // The magnitude as float64, within 2^-53 of it, relatively; 1 where there is none.
  double nearest() const;
  // Correctly rounded float32, as FillTable; positions in [-2^31, 2^31].
  void Fill(const int64_t* positions, size_t rows, const TableRows<float>& to) const;
  // float64, within (kDirectRelative + 3 2^-53) |v| + nearest() kDirectAbsolute of the truth v.
  void Fill(const int64_t* positions, size_t rows, const TableRows<double>& to) const;
  // Correctly rounded bits of one entry's cosine and sine.
  PairBits Resolve(size_t pair, int64_t position, Format format) const;
};

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_SCALED_ROWS_H_
