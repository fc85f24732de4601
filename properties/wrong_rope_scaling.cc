#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::rope_scaling {

std::vector<WrongSubject> WrongSubjects() { return {}; }
std::vector<RightSubject> RightSubjects() { return {}; }

}  // namespace gnomon::properties::rope_scaling
