// For tests of attention that adds something to its scores: small cases, and what two truths that
// are one number have in common.
#ifndef GNOMON_REFERENCE_ATTENTION_TEST_CASES_H_
#define GNOMON_REFERENCE_ATTENTION_TEST_CASES_H_

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "gnomon/reference/truth.h"
#include "gnomon/spec/case.h"

namespace gnomon::reference {

// Eighths within 2 of 0, no two rows alike.
inline Tensor Eighths(const Shape& shape) {
  Tensor x(DType::kF32, shape);
  for (int64_t i = 0; i < x.count(); ++i)
    x.Set(i, static_cast<double>((i * 37 + 11) % 29 - 14) / 8);
  return x;
}

// One batch, 3 queries of `heads` heads, which share half as many key heads, and 5 keys; no mask.
inline Case SmallAttention(const std::string& operation, int64_t heads,
                           const std::function<int64_t(int64_t)>& query_position,
                           const std::function<int64_t(int64_t)>& key_position) {
  Case c;
  c.operation = operation;
  c.parameters = {{"mask", std::string("none")}};
  c.inputs.emplace("q", Eighths({1, 3, heads, 2}));
  c.inputs.emplace("k", Eighths({1, 5, heads / 2, 2}));
  c.inputs.emplace("v", Eighths({1, 5, heads / 2, 3}));
  Tensor m(DType::kI64, {3}), n(DType::kI64, {5});
  for (int64_t i = 0; i < 3; ++i) m.SetInteger(i, query_position(i));
  for (int64_t i = 0; i < 5; ++i) n.SetInteger(i, key_position(i));
  c.inputs.emplace("query_positions", m);
  c.inputs.emplace("key_positions", n);
  return c;
}

// Two enclosures of one number of this size: they meet, and say it to half of their digits.
inline void ExpectOneNumber(const Interval& a, const Interval& b, const std::string& where) {
  const Interval off = a - b;
  const double width = std::pow(10.0, -static_cast<double>(Interval::default_precision()) / 2);
  EXPECT_TRUE(mpfr_lessequal_p(Lower(a), Upper(b)) && mpfr_lessequal_p(Lower(b), Upper(a)))
      << where;
  EXPECT_LT(mpfr_get_d(Upper(abs(off)), MPFR_RNDU), width) << where;
}

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_ATTENTION_TEST_CASES_H_
