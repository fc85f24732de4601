// Generated cases of attention.
#ifndef GNOMON_PROPERTIES_ATTENTION_CASES_H_
#define GNOMON_PROPERTIES_ATTENTION_CASES_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/attention.h"

namespace gnomon::properties::attention {

struct Draw {
  bool memory = false;   // strides, padding
  bool square = false;   // as many queries as keys
  bool masks = true;     // causal, padding; false: neither
  bool bias = true;      // now and then a bias; false: none
  bool moderate = true;  // scores of a few units, so that every profile proves something
  bool small = false;    // a few tokens, a few dims
  bool large = false;    // scores of hundreds: exp of one of them overflows
  std::optional<Numbers> numbers = std::nullopt;  // of q, k, v or scores
};

Case DrawSoftmax(Trial& trial, const Draw& draw);
// q, k, v, key_mask, mask and scale of an operation that takes those of attention.softmax.
Case DrawHeads(Trial& trial, const Draw& draw, const std::string& operation);
Case DrawWeights(Trial& trial, const Draw& draw);
Case DrawFourTerm(Trial& trial, const Draw& draw);
Case DrawUntied(Trial& trial, const Draw& draw);

// Contiguous, of the case's format, element by element.
Tensor Reals(Format format, const Shape& shape, const std::function<double(int64_t)>& element);
// The same numbers in another order, along the axis.
std::vector<int64_t> DrawPermutation(Source& source, int64_t count);
// Row-major number of an element.
int64_t ElementOf(const Shape& shape, std::initializer_list<int64_t> index);
// ATT-2, with key_mask; of any operation that has them.
bool Sees(const Case& c, int64_t batch, int64_t query, int64_t key);

// The case with other keys and values, NaN and infinities among them, at every (batch, key) named.
Case WithIntruders(Trial& t, Case c, const std::function<bool(int64_t, int64_t)>& named);
// Not one bit of y [batch, query, query_heads, value_dim] changes, of the queries compared.
void ExpectSameBits(Trial& t, const Case& c, const Tensor& before, const Tensor& after,
                    const std::function<bool(int64_t query)>& compared);

}  // namespace gnomon::properties::attention

#endif  // GNOMON_PROPERTIES_ATTENTION_CASES_H_
