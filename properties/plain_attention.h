// Softmax attention as plain float code has it, with a bias from a function: the wrong subjects of
// schemes that have attention of their own are built on it. Nothing here calls the reference or a
// kernel.
#ifndef GNOMON_PROPERTIES_PLAIN_ATTENTION_H_
#define GNOMON_PROPERTIES_PLAIN_ATTENTION_H_

#include <cstdint>
#include <functional>

#include "gnomon/spec/attention.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::properties {

// What goes wrong around the bias (spec/mistakes.md, Attention).
enum class HeadMistake {
  kNone,
  kMaskIgnored,
  kMaskTopLeft,
  kPaddingIgnored,
  kLeaksValue,
  kScaleNone,
  kBiasScaled,
  kBiasAfterSoftmax,
  kKvModulo,
  // REL-12.
  kScaleContentOnly,
  kVectorByKey,
  kLastOfRow,
};

struct PlainHeads {
  HeadMistake mistake = HeadMistake::kNone;
  std::function<double(double)> rounded;  // one rounding of the arithmetic
  std::function<double(double)> summed;   // one rounding of a sum (A7)
  std::function<double(int64_t batch, int64_t head, int64_t query, int64_t key)> bias;
  // REL-12. Component `c` of what is added to the key and to the value; empty: nothing.
  std::function<double(int64_t batch, int64_t head, int64_t query, int64_t key, int64_t c)>
      key_vector, value_vector;
  // Given: products and sums of weights by the row that a pair has, not added to keys and values.
  std::function<int64_t(int64_t batch, int64_t query, int64_t key)> row;
  // Element `number` of y, row-major, whose last axis has `columns`.
  std::function<void(int64_t number, int64_t columns, double value)> store;
};

void RunPlainHeads(const Case& c, const gnomon::attention::Parameters& p, const PlainHeads& how);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_PLAIN_ATTENTION_H_
