// A dot product of two answers, and how far it may be from that of their truths: with errors ea, eb
// of the factors, |a| eb + |b| ea + ea eb a term (ROPE-16, XPOS-8, AXES-18).
#ifndef GNOMON_PROPERTIES_DOT_PRODUCT_H_
#define GNOMON_PROPERTIES_DOT_PRODUCT_H_

#include "gnomon/properties/tolerance.h"

namespace gnomon::properties {

struct DotProduct {
  reference::Interval value{0}, tolerance{0}, left{0}, right{0};
  void Add(const Answer& p, int64_t i, const Answer& q, int64_t j) {
    const reference::Interval a = p.Value(i), b = q.Value(j), ea = p.Bound(i), eb = q.Bound(j);
    value += a * b;
    tolerance += abs(a) * eb + abs(b) * ea + ea * eb;
    left += a * a;
    right += b * b;
  }
  // How large it can be.
  reference::Interval Size() const { return sqrt(left * right); }
};

// Of one head, in answers whose last axis is head_dim.
inline DotProduct HeadScore(const Answer& q, const Answer& k, int64_t head, int64_t head_dim) {
  DotProduct score;
  for (int64_t e = head * head_dim; e < (head + 1) * head_dim; ++e) score.Add(q, e, k, e);
  return score;
}

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_DOT_PRODUCT_H_
