#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::attention {

std::vector<WrongSubject> WrongSubjects() { return {}; }
std::vector<RightSubject> RightSubjects() { return {}; }

}  // namespace gnomon::properties::attention
