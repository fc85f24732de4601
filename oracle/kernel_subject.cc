#include "gnomon/oracle/kernel_subject.h"

namespace gnomon::oracle {

using optimized::Mode;

KernelSubject::KernelSubject(std::string target, Mode mode)
    : target_(std::move(target)), mode_(mode) {}

std::string KernelSubject::Name() const {
  return "builtin:" + target_ + (mode_ == Mode::kExact ? "/exact" : "");
}

// Only rope.apply has two modes; everything else is the same kernel in both.
bool KernelSubject::Declares(const std::string& operation, Format format) const {
  if (mode_ == Mode::kExact && operation != "rope.apply") return false;
  return optimized::Supports(operation, format);
}

size_t KernelSubject::Promise() const {
  return *ProfileFromName(mode_ == Mode::kExact ? "rounded" : "standard");
}

properties::Outcome KernelSubject::Run(const Case& c, const properties::OutputViews& outputs) {
  using properties::Outcome;
  if (!Declares(c.operation, c.format)) return {Outcome::kUnsupported, c.operation};
  try {
    optimized::UseTarget(target_);
    optimized::Run(c, outputs, mode_);
    return {};
  } catch (const Rejected& e) {
    return {Outcome::kRejected, e.what()};
  } catch (const std::exception& e) {
    return {Outcome::kFailed, e.what()};
  }
}

std::vector<std::unique_ptr<properties::Subject>> KernelSubjects() {
  std::vector<std::unique_ptr<properties::Subject>> subjects;
  for (const Mode mode : {Mode::kStandard, Mode::kExact})
    for (const std::string& target : optimized::Targets())
      subjects.push_back(std::make_unique<KernelSubject>(target, mode));
  return subjects;
}

}  // namespace gnomon::oracle
