// A subject, and how often it has been asked: for the person who watches.
#ifndef GNOMON_ORACLE_WATCHED_SUBJECT_H_
#define GNOMON_ORACLE_WATCHED_SUBJECT_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/properties/subject.h"

namespace gnomon::oracle {

class WatchedSubject final : public properties::Subject {
 public:
  WatchedSubject(properties::Subject& subject, std::function<void(int64_t asked)> tell)
      : subject_(subject), tell_(std::move(tell)) {}
  std::string Name() const override { return subject_.Name(); }
  bool Declares(const std::string& operation, Format format) const override {
    return subject_.Declares(operation, format);
  }
  properties::Limits LimitsOf(const std::string& operation) const override {
    return subject_.LimitsOf(operation);
  }
  size_t Promise() const override { return subject_.Promise(); }
  properties::Outcome Run(const Case& c, const properties::OutputViews& outputs) override {
    tell_(asked_ += 1);
    return subject_.Run(c, outputs);
  }
  std::vector<properties::Outcome> RunBatch(const std::vector<properties::Call>& calls) override {
    tell_(asked_ += static_cast<int64_t>(calls.size()));
    return subject_.RunBatch(calls);
  }

 private:
  properties::Subject& subject_;
  std::function<void(int64_t)> tell_;
  int64_t asked_ = 0;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_WATCHED_SUBJECT_H_
