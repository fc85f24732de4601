// The properties that compare with the reference: every element within the bound that the subject's
// promise gives it.
#ifndef GNOMON_PROPERTIES_JUDGED_H_
#define GNOMON_PROPERTIES_JUDGED_H_

#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"

namespace gnomon::properties {

// What is wrong with an answer that has elements outside that profile, in one line.
std::string Explain(const reference::Judgement& judgement, size_t profile);
// Asks the case and judges the answer (BOUND-7).
void ExpectWithinBound(Trial& trial, const Case& c);

// Memory (ROPE-21, SIN-18), for any operation: each asks the case twice at most.

// Inputs keep their bits; no byte of the output's storage outside its elements changes; every
// element is written; and the answer does not depend on what lay in the memory before.
void ExpectMemoryKept(Trial& trial, const Case& c);
// The answer does not depend on what lies between the elements of the inputs.
void ExpectPaddingUnread(Trial& trial, const Case& c);
// Asked the same again, after something else, the subject answers the same.
void ExpectRepeatable(Trial& trial, const Case& c, const Case& between);
// In place or not, with strides or without: one truth, so two answers within their bounds.
void ExpectSameInPlace(Trial& trial, Case c);
void ExpectSameWithoutStrides(Trial& trial, const Case& c);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_JUDGED_H_
