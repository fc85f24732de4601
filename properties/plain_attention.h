// Softmax attention as plain float code has it, with a bias from a function: the wrong subjects of
// schemes that have attention of their own are built on it. Nothing here calls the reference or a
// kernel.
#ifndef GNOMON_PROPERTIES_PLAIN_ATTENTION_H_
#define GNOMON_PROPERTIES_PLAIN_ATTENTION_H_

#include <cstdint>
#include <functional>

#include "gnomon/properties/plain_kernel.h"
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

// Rows of every scheme whose list of mistakes names these: of heads, whatever is added to scores.
template <class M>
inline constexpr MistakeRow<M> kHeadRows[] = {
    {M::kMaskByPosition, "mask/by-position", "causal by positions, not by number",
     MistakeKind::kFormula, "standard"},
    {M::kMaskIgnored, "mask/ignored", "causal mask left out", MistakeKind::kFormula, "standard"},
    {M::kMaskTopLeft, "mask/top-left", "causal mask n <= m, whatever the counts",
     MistakeKind::kFormula, "standard"},
    {M::kPaddingIgnored, "mask/padding-ignored", "key_mask left out", MistakeKind::kFormula,
     "standard"},
    {M::kLeaksValue, "mask-leak/value", "0 times what a masked value holds", MistakeKind::kFormula,
     "standard"},
    {M::kKvModulo, "q-k-crossed/kv-modulo", "key head h mod kv_heads", MistakeKind::kFormula,
     "standard"},
};
// The mask goes by positions where there is none by number.
template <class M>
HeadMistake OfHeads(M mistake) {
  switch (mistake) {
    case M::kMaskByPosition:
    case M::kMaskIgnored:
      return HeadMistake::kMaskIgnored;
    case M::kMaskTopLeft:
      return HeadMistake::kMaskTopLeft;
    case M::kPaddingIgnored:
      return HeadMistake::kPaddingIgnored;
    case M::kLeaksValue:
      return HeadMistake::kLeaksValue;
    case M::kKvModulo:
      return HeadMistake::kKvModulo;
    default:
      return HeadMistake::kNone;
  }
}

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
