// Axes of a stored tensor, put into the order of the operation (CASE-7).
#ifndef GNOMON_ORACLE_AXES_H_
#define GNOMON_ORACLE_AXES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gnomon/spec/tensor.h"

namespace gnomon::oracle {

// "seq,heads*head_dim" as {"seq", "heads*head_dim"}.
std::vector<std::string> SplitList(const std::string& text, char separator);

// `stored`: what each axis of the view is, outermost first; an item may pack several,
// "heads*head_dim". `canonical`: the role's axes. `known`: extents that parameters fix. An axis
// that is not stored has extent 1; but for the batch of positions, cos and sin, which is left out.
// Throws Rejected.
ConstTensorView Arrange(const ConstTensorView& view, const std::vector<std::string>& stored,
                        const std::vector<std::string>& canonical,
                        const std::map<std::string, int64_t>& known, const std::string& role);

// A row-major copy.
Tensor CopyOf(const ConstTensorView& view);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_AXES_H_
