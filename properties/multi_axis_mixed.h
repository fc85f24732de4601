// multi_axis.mixed as cases and properties (AXES-20, AXES-21).
#ifndef GNOMON_PROPERTIES_MULTI_AXIS_MIXED_H_
#define GNOMON_PROPERTIES_MULTI_AXIS_MIXED_H_

#include <vector>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/multi_axis_cases.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::multi_axis {

// `unusual_frequencies`: zero, negative, huge and tiny ones, within what the working format holds.
Case DrawMixed(Trial& trial, const Draw& draw);
// w[axis, head, pair] of the case.
double MixedFrequency(const Case& c, int64_t axis, int64_t head, int64_t pair);

std::vector<CaseSource> MixedCases();
std::vector<Property> MixedProperties();
std::vector<WrongSubject> MixedWrongSubjects();
std::vector<RightSubject> MixedRightSubjects();

}  // namespace gnomon::properties::multi_axis

#endif  // GNOMON_PROPERTIES_MULTI_AXIS_MIXED_H_
