// Cases worth asking, drawn without a subject at hand: what `gnomon emit`, a diagnosis and a fuzzer
// draw from. The judged properties ask the same kinds of cases.
#ifndef GNOMON_PROPERTIES_CASES_H_
#define GNOMON_PROPERTIES_CASES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/properties/limits.h"
#include "gnomon/properties/source.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/case.h"
#include "gnomon/spec/stems.h"

namespace gnomon::properties {

class Trial;

enum class CaseKind {
  kPlain,    // ordinary numbers in contiguous memory
  kMemory,   // strides, padding, in place
  kSpecial,  // NaN, infinities, subnormals, overflow; frequencies that are zero, negative, huge
  kLarge,    // every |position| at least kLargePosition
};
inline constexpr int64_t kLargePosition = int64_t{1} << 16;

struct CaseSource {
  std::string name;  // "rope.apply.given_tables"
  std::string operation;
  CaseKind kind = CaseKind::kPlain;
  std::function<Case(Trial&)> draw;
};

// One list for each stem, in properties/<stem>_cases.cc.
#define GNOMON_DECLARE(stem)       \
  namespace stem {                 \
  std::vector<CaseSource> Cases(); \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE

// Of every stem, in the order of the list of schemes.
const std::vector<CaseSource>& AllCases();

// A valid case in that format, or nothing where the limits leave nothing of the source. `promise`
// says how far out positions prove something (Trial::DrawPosition).
std::optional<Case> DrawCase(const CaseSource& from, Source& source, Format format,
                             const Limits& limits = {},
                             size_t promise = *ProfileFromName("f32-angle"));

// Case number `number` of an operation and format: of every ten, four are plain, and two each of
// the other kinds; an operation without a kind has plain ones instead. The same arguments give the
// same case. Nothing where the limits leave none.
std::optional<Case> NumberedCase(const std::string& operation, Format format, uint64_t seed,
                                 int64_t number, const Limits& limits = {});

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_CASES_H_
