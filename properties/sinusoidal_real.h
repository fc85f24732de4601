// Timesteps, Fourier features and NeRF as cases and properties (SIN-20 to SIN-24).
#ifndef GNOMON_PROPERTIES_SINUSOIDAL_REAL_H_
#define GNOMON_PROPERTIES_SINUSOIDAL_REAL_H_

#include <memory>
#include <string>
#include <vector>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/properties/trial.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::sinusoidal {

struct RealDraw {
  bool memory = false;  // strides and padding
  bool whole = false;   // whole numbers that integer positions can be
  bool addable =
      false;  // multiples of 2^-6 below 2^9: sums are exact in every format of f32 and above
  bool large = false;  // arguments beyond 2^16
};

Case DrawTimestep(Trial& trial, const RealDraw& draw);
Case DrawFourier(Trial& trial, const RealDraw& draw);
Case DrawNerf(Trial& trial, const RealDraw& draw);

std::vector<CaseSource> RealCases();
std::unique_ptr<Tolerance> MakeRealTolerance(const Profile& promise, const Case& c);
std::vector<Property> RealProperties();
std::vector<WrongSubject> RealWrongSubjects();
std::vector<RightSubject> RealRightSubjects();

}  // namespace gnomon::properties::sinusoidal

#endif  // GNOMON_PROPERTIES_SINUSOIDAL_REAL_H_
