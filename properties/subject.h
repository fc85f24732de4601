// A subject: anything that answers cases. The reference rounded to a format, each SIMD target of
// the kernels, a wrong-on-purpose kernel, and, in oracle/, other people's code.
#ifndef GNOMON_PROPERTIES_SUBJECT_H_
#define GNOMON_PROPERTIES_SUBJECT_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/spec/bounds.h"
#include "gnomon/spec/case.h"

namespace gnomon::properties {

struct Outcome {
  enum Status {
    kOk,
    kUnsupported,  // not an operation, format or layout the subject declares
    kRejected,     // the subject refuses the input; `message` says why
    kFailed,       // it tried and could not
  };
  Status status = kOk;
  std::string message;
};

// By role. Where the case is in place, the output's memory already holds the input.
using OutputViews = std::map<std::string, TensorView>;

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string Name() const = 0;
  virtual bool Declares(const std::string& operation, Format format) const = 0;
  // The profile it promises to meet (index into kProfiles).
  virtual size_t Promise() const = 0;
  // Must not throw. Writes every element of every output, and nothing else.
  virtual Outcome Run(const Case& c, const OutputViews& outputs) = 0;
};

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_SUBJECT_H_
