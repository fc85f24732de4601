// The algebra of rotations over several axes, of tables of two axes and of windows.
#ifndef GNOMON_PROPERTIES_MULTI_AXIS_ALGEBRA_H_
#define GNOMON_PROPERTIES_MULTI_AXIS_ALGEBRA_H_

#include <functional>
#include <string>
#include <vector>

#include "gnomon/properties/property.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/properties/trial.h"

namespace gnomon::properties::multi_axis {

std::vector<Property> AlgebraicProperties();

// What holds of any rotation (AXES-18), asked of one operation; "": of multi_axis.axial or
// multi_axis.mrope.
void Composition(Trial& t, const std::string& operation);
void Undo(Trial& t, const std::string& operation);
void NegativePosition(Trial& t, const std::string& operation);
void Scores(Trial& t, const std::string& operation);
void Norms(Trial& t, const std::string& operation);
void Rows(Trial& t, const std::string& operation);

// Every element of two answers that have the same truth, or, with `only`, of some pairs.
void CompareAll(Trial& t, const Answer& one, const Answer& two,
                const std::function<bool(int64_t token, int64_t pair)>& only = nullptr);

}  // namespace gnomon::properties::multi_axis

#endif  // GNOMON_PROPERTIES_MULTI_AXIS_ALGEBRA_H_
