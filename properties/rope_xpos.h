// xPos as cases and properties (XPOS-1 to XPOS-11).
#ifndef GNOMON_PROPERTIES_ROPE_XPOS_H_
#define GNOMON_PROPERTIES_ROPE_XPOS_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/generators.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/properties/trial.h"
#include "gnomon/properties/wrong_subjects.h"
#include "gnomon/spec/rope_xpos.h"

namespace gnomon::properties::rope {

struct XposDraw {
  std::optional<Numbers> numbers = std::nullopt;  // none: one of the tame kinds
  bool memory = false;                            // strides, padding, in place
  bool one_layout = false;                        // of x and y; forward
  // The largest |position - center| / scale_base, at most.
  int64_t reach = gnomon::rope::kMaxXposExponent;
};

Case DrawXpos(Trial& trial, const XposDraw& draw);
// Calls f for every pair of every head: its position, its number, and the elements that hold its
// two members in that layout.
void ForEachXposPair(
    const Case& c, RopeLayout layout,
    const std::function<void(int64_t position, int64_t pair, int64_t a, int64_t b)>& f);
Case WithCenter(const Case& c, int64_t center);

std::vector<CaseSource> XposCases();
std::unique_ptr<Tolerance> MakeXposTolerance(const Profile& promise, const Case& c);
std::vector<Property> XposProperties();
std::vector<WrongSubject> XposWrongSubjects();
std::vector<RightSubject> XposRightSubjects();

}  // namespace gnomon::properties::rope

#endif  // GNOMON_PROPERTIES_ROPE_XPOS_H_
