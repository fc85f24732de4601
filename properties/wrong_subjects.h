// Subjects that are wrong on purpose, and the plain kernels they are a change of. A suite that does
// not tell them apart is worth nothing: no wrong one may survive, no plain one may be accused.
#ifndef GNOMON_PROPERTIES_WRONG_SUBJECTS_H_
#define GNOMON_PROPERTIES_WRONG_SUBJECTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/properties/subject.h"

namespace gnomon::properties {

enum class MistakeKind {
  kFormula,  // its outputs follow from the inputs: a diagnosis can test it as a hypothesis
  kState,    // it depends on memory, strides or earlier calls: it can only be exhibited
};

struct WrongSubject {
  std::string id;    // "backward/cosine": the id in spec/mistakes.md, then the variant if any
  std::string text;  // the change, in one line
  MistakeKind kind = MistakeKind::kFormula;
  std::string stem;  // "rope"
  std::function<std::unique_ptr<Subject>()> make;
};

const std::vector<WrongSubject>& WrongSubjects();

// The same kernels without a mistake, one for each profile, in f32, bf16 and f16.
std::vector<std::unique_ptr<Subject>> PlainSubjects();

// One for each stem, in wrong_<stem>.cc.
namespace rope {
std::vector<WrongSubject> WrongSubjects();
std::unique_ptr<Subject> PlainSubject(const std::string& profile);
}  // namespace rope
namespace sinusoidal {
std::vector<WrongSubject> WrongSubjects();
std::unique_ptr<Subject> PlainSubject(const std::string& profile);
}  // namespace sinusoidal

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_WRONG_SUBJECTS_H_
