#include "gnomon/optimized/schemes.h"

#include "gnomon/spec/schemes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/schemes.cc"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }
}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(NameOfTarget);
std::string CurrentTarget() { return HWY_DYNAMIC_DISPATCH(NameOfTarget)(); }

namespace {

std::vector<int64_t> TargetMasks() {
  // Not SupportedAndGeneratedTargets: that is subject to what UseTarget has set.
  static const std::vector<int64_t> masks = [] {
    std::vector<int64_t> all;
    for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1)
      all.push_back(left & -left);
    const int64_t fallback = HWY_TARGETS & (HWY_SCALAR | HWY_EMU128);
    if (fallback != 0 && (all.empty() || all.back() != fallback)) all.push_back(fallback);
    return all;
  }();
  return masks;
}

}  // namespace

std::vector<std::string> Targets() {
  std::vector<std::string> names;
  for (int64_t mask : TargetMasks()) names.push_back(hwy::TargetName(mask));
  return names;
}

void UseTarget(const std::string& name) {
  int64_t chosen = 0;  // 0: what the CPU has
  for (int64_t mask : TargetMasks())
    if (name == hwy::TargetName(mask)) chosen = mask;
  if (chosen == 0 && !name.empty())
    throw Rejected("target", name, "is not compiled in or not supported here", "CASE-1");
  hwy::SetSupportedTargetsForTest(chosen);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

bool Supports(const std::string& operation, Format format) {
#define GNOMON_SUPPORTS(stem) \
  if (stem::Supports(operation, format)) return true;
  GNOMON_FOR_EACH_STEM(GNOMON_SUPPORTS)
#undef GNOMON_SUPPORTS
  return false;
}

void Run(const Case& c, const OutputViews& outputs, Mode mode) {
  for (const OutputShape& expected : Validate(c)) {
    const auto found = outputs.find(expected.role);
    if (found == outputs.end() || found->second.shape != expected.shape ||
        found->second.dtype != StoredAs(expected, c))
      throw Rejected(expected.role, "(output)", "must be there, of the contract's shape and format",
                     "CASE-4");
  }
  if (!Supports(c.operation, c.format))
    throw Rejected("format", std::string(Traits(c.format).name),
                   "the kernels have no " + c.operation + " in it", "FORMAT-1");
#define GNOMON_RUN(stem) \
  if (stem::Run(c, outputs, mode)) return;
  GNOMON_FOR_EACH_STEM(GNOMON_RUN)
#undef GNOMON_RUN
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
