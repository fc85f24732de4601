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

std::vector<std::unique_ptr<Subject>> PlainSubjects() {
  std::vector<std::unique_ptr<Subject>> all;
  for (const Profile& profile : kProfiles) {
    if (profile.correctly_rounded) continue;
#define GNOMON_APPEND(stem) all.push_back(stem::PlainSubject(std::string(profile.name)));
    GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
  }
  return all;
}

}  // namespace gnomon::properties
