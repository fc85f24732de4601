#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::alibi {

std::vector<WrongSubject> WrongSubjects() { return {}; }
std::vector<RightSubject> RightSubjects() { return {}; }

}  // namespace gnomon::properties::alibi
