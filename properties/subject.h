// A subject: anything that answers cases. The reference rounded to a format, each SIMD target of
// the kernels, a wrong-on-purpose kernel, and, in oracle/, other people's code.
#ifndef GNOMON_PROPERTIES_SUBJECT_H_
#define GNOMON_PROPERTIES_SUBJECT_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/properties/limits.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/case.h"

namespace gnomon::properties {

// SUBJ-7. So many times a subject may exceed its time; then it is asked no more.
inline constexpr int kMostHangs = 3;

struct Outcome {
  enum Status {
    kOk,
    kUnsupported,  // not an operation, format or layout the subject declares
    kRejected,     // the subject refuses the input; `message` says why
    kFailed,       // it tried and could not, or broke a rule of memory (SUBJ-6)
    kCrashed,      // it died, hung or broke the protocol (SUBJ-7)
    kNotAsked,     // it had hung too often before
  };
  Status status = kOk;
  std::string message;
  bool out_of_time = false;  // kCrashed: it hung
};

// By role. Where the case is in place, the output's memory already holds the input.
using OutputViews = std::map<std::string, TensorView>;

struct Call {
  const Case* c = nullptr;
  OutputViews outputs;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string Name() const = 0;
  virtual bool Declares(const std::string& operation, Format format) const = 0;
  // What it does not do of that operation; nothing outside is asked of it.
  virtual Limits LimitsOf(const std::string& /*operation*/) const { return {}; }
  // The profile it promises to meet (index into kProfiles).
  virtual size_t Promise() const = 0;
  // Whether it declares that subnormals may count as 0 (BOUND-8).
  virtual bool FlushesSubnormals() const { return false; }
  // Must not throw. Writes every element of every output, and nothing else.
  virtual Outcome Run(const Case& c, const OutputViews& outputs) = 0;
  // The same for several cases: one outcome each. A subject that pays for every question by a trip
  // to another process answers them in one.
  virtual std::vector<Outcome> RunBatch(const std::vector<Call>& calls) {
    std::vector<Outcome> outcomes;
    for (const Call& call : calls) outcomes.push_back(Run(*call.c, call.outputs));
    return outcomes;
  }
};

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_SUBJECT_H_
