// Our SIMD kernels as subjects: one for each target this CPU can run, in either mode.
#ifndef GNOMON_ORACLE_KERNEL_SUBJECT_H_
#define GNOMON_ORACLE_KERNEL_SUBJECT_H_

#include <memory>
#include <string>
#include <vector>

#include "gnomon/optimized/schemes.h"
#include "gnomon/properties/subject.h"

namespace gnomon::oracle {

// "AVX2" promises `standard`; in exact mode ("AVX2/exact") it promises `rounded`. Targets are a
// property of the process: subjects of different targets must not run at the same time.
class KernelSubject : public properties::Subject {
 public:
  KernelSubject(std::string target, optimized::Mode mode);
  std::string Name() const override;
  bool Declares(const std::string& operation, Format format) const override;
  size_t Promise() const override;
  properties::Outcome Run(const Case& c, const properties::OutputViews& outputs) override;

 private:
  std::string target_;
  optimized::Mode mode_;
};

// Every target in both modes.
std::vector<std::unique_ptr<properties::Subject>> KernelSubjects();

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_KERNEL_SUBJECT_H_
