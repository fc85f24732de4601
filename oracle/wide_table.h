// Tables of cosines and sines as wide as the rotary window, every entry twice (ROPE-4).
#ifndef GNOMON_ORACLE_WIDE_TABLE_H_
#define GNOMON_ORACLE_WIDE_TABLE_H_

#include <optional>
#include <string>

#include "gnomon/spec/tensor.h"

namespace gnomon::oracle {

// Where the last axis has 2 `pairs` entries that are exactly cat(f, f), or each twice in a row, the
// view is narrowed to f and the answer says which. Throws Rejected where they are neither.
std::optional<std::string> NarrowWideTable(ConstTensorView* view, int64_t pairs,
                                           const std::string& role);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_WIDE_TABLE_H_
