// The kernels of every scheme as one answerer of cases, and the choice of instruction set.
#ifndef GNOMON_OPTIMIZED_SCHEMES_H_
#define GNOMON_OPTIMIZED_SCHEMES_H_

#include <map>
#include <string>
#include <vector>

#include "gnomon/optimized/rope.h"
#include "gnomon/spec/case.h"
#include "gnomon/spec/stems.h"

namespace gnomon::optimized {

using OutputViews = std::map<std::string, TensorView>;  // by role

// Does Run answer this operation in this format? (f32, bf16, f16; rope.frequencies f64 too.)
bool Supports(const std::string& operation, Format format);

// Answers a case into outputs, by role, of the shapes and format that Validate(c) gives; any
// strides. Where c.in_place names x, the output's view already holds x, in the layout of its
// tensor, and the tensor in the case is not read. Throws Rejected for a case outside the contract.
void Run(const Case& c, const OutputViews& outputs, Mode mode = Mode::kStandard);

// Names of the instruction sets that are compiled in and that this CPU has, best first: "AVX3_DL",
// "AVX2", .. "SCALAR" or "EMU128".
std::vector<std::string> Targets();
// From now on, on every thread, only this one; empty: the best again. Not while kernels run.
// Throws Rejected for a name that Targets() does not have.
void UseTarget(const std::string& name);
std::string CurrentTarget();

// One scheme's share of Run; false where the operation is not one of its own.
#define GNOMON_DECLARE(stem)                                      \
  namespace stem {                                                \
  bool Run(const Case& c, const OutputViews& outputs, Mode mode); \
  bool Supports(const std::string& operation, Format format);     \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_SCHEMES_H_
