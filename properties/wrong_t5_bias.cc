#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::t5_bias {

std::vector<WrongSubject> WrongSubjects() { return {}; }
std::vector<RightSubject> RightSubjects() { return {}; }

}  // namespace gnomon::properties::t5_bias
