// A subject, and how often it has been asked: for the person who watches.
#ifndef GNOMON_ORACLE_WATCHED_SUBJECT_H_
#define GNOMON_ORACLE_WATCHED_SUBJECT_H_

#include <functional>
#include <utility>
#include <vector>

#include "gnomon/properties/forwarding_subject.h"

namespace gnomon::oracle {

class WatchedSubject final : public properties::ForwardingSubject {
 public:
  WatchedSubject(properties::Subject& subject, std::function<void(int64_t asked)> tell)
      : ForwardingSubject(subject), tell_(std::move(tell)) {}
  properties::Outcome Run(const Case& c, const properties::OutputViews& outputs) override {
    tell_(asked_ += 1);
    return ForwardingSubject::Run(c, outputs);
  }
  std::vector<properties::Outcome> RunBatch(const std::vector<properties::Call>& calls) override {
    tell_(asked_ += static_cast<int64_t>(calls.size()));
    return ForwardingSubject::RunBatch(calls);
  }

 private:
  std::function<void(int64_t)> tell_;
  int64_t asked_ = 0;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_WATCHED_SUBJECT_H_
