#include "gnomon/spec/schemes.h"

#include "gnomon/properties/forwarding_subject.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/repeated.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {
namespace {

// A kernel of ours refuses what it does not declare; what it would make of that is no question.
class OnlyDeclared final : public ForwardingSubject {
 public:
  explicit OnlyDeclared(std::unique_ptr<Subject> kernel)
      : ForwardingSubject(*kernel), kernel_(std::move(kernel)) {}
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    if (!Declares(c.operation, c.format)) return {Outcome::kUnsupported, c.operation};
    return ForwardingSubject::Run(c, outputs);
  }
  std::vector<Outcome> RunBatch(const std::vector<Call>& calls) override {
    return Subject::RunBatch(calls);
  }

 private:
  std::unique_ptr<Subject> kernel_;
};

template <class S>
void Append(std::vector<S> subjects, std::vector<S>* list) {
  for (S& subject : subjects) {
    subject.make = [make = std::move(subject.make)] {
      return std::make_unique<OnlyDeclared>(make());
    };
    list->push_back(std::move(subject));
  }
}

}  // namespace

const std::vector<Property>& AllProperties() {
  static const std::vector<Property> all = [] {
    std::vector<Property> list;
#define GNOMON_APPEND(stem)                                                           \
  for (Property & property : stem::Properties()) list.push_back(std::move(property)); \
  for (Property & property : RepeatedProperty(#stem)) list.push_back(std::move(property));
    GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
    return list;
  }();
  return all;
}

const std::vector<WrongSubject>& WrongSubjects() {
  static const std::vector<WrongSubject> all = [] {
    std::vector<WrongSubject> list;
#define GNOMON_APPEND(stem) Append(stem::WrongSubjects(), &list);
    GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
    return list;
  }();
  return all;
}

const std::vector<RightSubject>& RightSubjects() {
  static const std::vector<RightSubject> all = [] {
    std::vector<RightSubject> list;
#define GNOMON_APPEND(stem) Append(stem::RightSubjects(), &list);
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
