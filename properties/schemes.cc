#include "gnomon/spec/schemes.h"

#include "gnomon/properties/property.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {

const std::vector<Property>& AllProperties() {
  static const std::vector<Property> all = [] {
    std::vector<Property> list;
#define GNOMON_APPEND(stem) \
  for (Property & property : stem::Properties()) list.push_back(std::move(property));
    GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
    return list;
  }();
  return all;
}

const std::vector<WrongSubject>& WrongSubjects() {
  static const std::vector<WrongSubject> all = [] {
    std::vector<WrongSubject> list;
#define GNOMON_APPEND(stem) \
  for (WrongSubject & subject : stem::WrongSubjects()) list.push_back(std::move(subject));
    GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
    return list;
  }();
  return all;
}

const std::vector<RightSubject>& RightSubjects() {
  static const std::vector<RightSubject> all = [] {
    std::vector<RightSubject> list;
#define GNOMON_APPEND(stem) \
  for (RightSubject & subject : stem::RightSubjects()) list.push_back(std::move(subject));
    GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
    return list;
  }();
  return all;
}

std::vector<std::string> Stems() {
  std::vector<std::string> stems;
#define GNOMON_APPEND(stem) stems.push_back(#stem);
  GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
  return stems;
}

}  // namespace gnomon::properties
