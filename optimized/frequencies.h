// What both stems need between their parameters and the kernels.
#ifndef GNOMON_OPTIMIZED_FREQUENCIES_H_
#define GNOMON_OPTIMIZED_FREQUENCIES_H_

#include <vector>

#include "gnomon/optimized/turns.h"
#include "gnomon/spec/rope.h"
#include "gnomon/spec/sinusoidal.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// ROPE-1, SCALE-1 to SCALE-12, SIN-1: one for each pair, one for each sine.
std::vector<ExactFrequency> ExactFrequencies(const RopeFrequencies& f);
std::vector<ExactFrequency> ExactFrequencies(const SinusoidalTable& t);

// POS-1. Throws Rejected for a position out of range or a tensor that holds no integers.
int64_t PositionAt(DType dtype, const std::byte* address);

// Correctly rounded tables [.., pair] of every position in row-major order: f32, bf16 or f16, any
// strides. Throws Rejected for another format.
// `magnitude` multiplies every entry (SCALE-13); null is 1.
void WriteTable(const Turns& turns, const ConstTensorView& positions, const TensorView& cos,
                const TensorView& sin, const ExactFrequency* magnitude = nullptr);

// ROUND-4: bits of a 16-bit format from a correctly rounded float32. Only a float32 that is itself
// a boundary between two values of the format leaves the question open; false there.
bool RoundOnce(Format format, float correctly_rounded, uint64_t* bits);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_FREQUENCIES_H_
