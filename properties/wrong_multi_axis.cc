#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::multi_axis {

std::vector<WrongSubject> WrongSubjects() { return {}; }
std::vector<RightSubject> RightSubjects() { return {}; }

}  // namespace gnomon::properties::multi_axis
