#include "gnomon/oracle/wide_table.h"

#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

// Entry i of every row repeats at i * step + distance.
bool Repeats(const ConstTensorView& view, int64_t pairs, int64_t step, int64_t distance) {
  const int64_t width = 2 * pairs, rows = view.count() / width;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < pairs; ++i) {
      const int64_t first = row * width + i * step;
      if (BitsAt(view, first) != BitsAt(view, first + distance)) return false;
    }
  return true;
}

}  // namespace

std::optional<std::string> NarrowWideTable(ConstTensorView* view, int64_t pairs,
                                           const std::string& role) {
  if (pairs < 1 || view->rank() == 0 || view->shape.back() != 2 * pairs) return std::nullopt;
  const bool halves = Repeats(*view, pairs, 1, pairs);
  if (!halves && !Repeats(*view, pairs, 2, 1))
    throw Rejected(role, "width " + std::to_string(2 * pairs),
                   "holds each of " + std::to_string(pairs) +
                       " entries neither in two halves nor twice in a row",
                   "ROPE-4");
  view->shape.back() = pairs;
  if (!halves) view->strides.back() *= 2;
  return halves ? "twice, in two halves" : "twice in a row";
}

}  // namespace gnomon::oracle
