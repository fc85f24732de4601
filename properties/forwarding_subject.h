// Another subject, as it is. What wraps one overrides what it changes, and forgets nothing.
#ifndef GNOMON_PROPERTIES_FORWARDING_SUBJECT_H_
#define GNOMON_PROPERTIES_FORWARDING_SUBJECT_H_

#include <string>
#include <vector>

#include "gnomon/properties/subject.h"

namespace gnomon::properties {

class ForwardingSubject : public Subject {
 public:
  // Must outlive this.
  explicit ForwardingSubject(Subject& subject) : subject_(subject) {}
  std::string Name() const override { return subject_.Name(); }
  bool Declares(const std::string& operation, Format format) const override {
    return subject_.Declares(operation, format);
  }
  Limits LimitsOf(const std::string& operation) const override {
    return subject_.LimitsOf(operation);
  }
  size_t Promise() const override { return subject_.Promise(); }
  bool FlushesSubnormals() const override { return subject_.FlushesSubnormals(); }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    return subject_.Run(c, outputs);
  }
  std::vector<Outcome> RunBatch(const std::vector<Call>& calls) override {
    return subject_.RunBatch(calls);
  }

 private:
  Subject& subject_;
};

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_FORWARDING_SUBJECT_H_
