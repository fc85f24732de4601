// The truth rounded to the format, as a subject: what every property must hold for.
#ifndef GNOMON_PROPERTIES_REFERENCE_SUBJECT_H_
#define GNOMON_PROPERTIES_REFERENCE_SUBJECT_H_

#include "gnomon/properties/subject.h"

namespace gnomon::properties {

class ReferenceSubject : public Subject {
 public:
  // `only`: declares this format alone.
  explicit ReferenceSubject(std::optional<Format> only = std::nullopt) : only_(only) {}

  std::string Name() const override;
  bool Declares(const std::string& operation, Format format) const override;
  size_t Promise() const override { return *ProfileFromName("rounded"); }
  Outcome Run(const Case& c, const OutputViews& outputs) override;

 private:
  std::optional<Format> only_;
};

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_REFERENCE_SUBJECT_H_
