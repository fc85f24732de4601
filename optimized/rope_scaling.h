// Context extension (spec/rope_scaling.md): exact frequencies for the turns that tables are made
// of, and the magnitude that multiplies them.
//
// Units and errors as in rope.h.
#ifndef GNOMON_OPTIMIZED_ROPE_SCALING_H_
#define GNOMON_OPTIMIZED_ROPE_SCALING_H_

#include <memory>
#include <string>
#include <vector>

#include "gnomon/optimized/exact.h"
#include "gnomon/spec/rope.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// One a pair. f.scaled(), and its length known.
std::vector<ExactFrequency> ScaledFrequencies(const RopeFrequencies& f);

// SCALE-13. What tables, or x, are multiplied by; null where that is 1.
std::shared_ptr<const ExactFrequency> MagnitudeOf(const RopeScaling& scaling);
// What scores are multiplied by.
ExactFrequency SoftmaxFactorOf(const RopeScaling& scaling);

// All that frequencies and magnitude depend on, as text.
std::string KeyOf(const RopeScaling& scaling);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROPE_SCALING_H_
