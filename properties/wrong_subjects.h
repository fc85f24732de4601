// Subjects that are wrong on purpose, and right ones: the plain kernels they are a change of, which
// round in every way a profile allows. A suite that does not tell them apart is worth nothing: no
// wrong one may survive, no right one may be accused.
#ifndef GNOMON_PROPERTIES_WRONG_SUBJECTS_H_
#define GNOMON_PROPERTIES_WRONG_SUBJECTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/properties/subject.h"
#include "gnomon/spec/stems.h"

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

// A plain kernel without a mistake, in f32, bf16 and f16.
struct RightSubject {
  std::string id;       // "fused/first"; "plain": nothing special
  std::string text;     // how it rounds, in one line
  std::string promise;  // the profile that allows it
  std::string stem;
  std::function<std::unique_ptr<Subject>()> make;
};

const std::vector<WrongSubject>& WrongSubjects();
const std::vector<RightSubject>& RightSubjects();
// Of the list of schemes.
std::vector<std::string> Stems();

// One for each stem, in wrong_<stem>.cc.
#define GNOMON_DECLARE(stem)                 \
  namespace stem {                           \
  std::vector<WrongSubject> WrongSubjects(); \
  std::vector<RightSubject> RightSubjects(); \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_WRONG_SUBJECTS_H_
