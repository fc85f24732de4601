// The truth of one case: what every output element must be, as an enclosure, and how far an
// implementation of a given profile may be from it. Each scheme implements it once; certification
// (certify.h) and judgement (judge.h) ask nothing else.
#ifndef GNOMON_REFERENCE_TRUTH_H_
#define GNOMON_REFERENCE_TRUTH_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/reference/interval.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/case.h"
#include "gnomon/spec/stems.h"

namespace gnomon::reference {

// What kind of answer an element has.
struct Expectation {
  enum Kind {
    kReal,       // a finite real number: Value and Bound speak of it
    kCopy,       // the very bits of an input element (ROPE-5)
    kNonFinite,  // NaN or an infinity (ROPE-7, SIN-10)
    kInteger,    // a bucket or an index, in an output of integers
  };
  Kind kind = kReal;
  uint64_t bits = 0;      // kCopy; kInteger: as I64
  double non_finite = 0;  // kNonFinite
  // Also accepted, bit for bit: the unchanged input where the angle is 0.
  std::optional<uint64_t> or_bits = std::nullopt;
};

// Where an element stands, for people: position and frequency pair where it has them.
struct Place {
  std::optional<int64_t> position;
  std::optional<int64_t> pair;
};

// The fast path: value and bounds in binary64, with a derived radius. What it cannot decide is
// asked of the intervals.
struct QuickElement {
  double value = 0;
  double radius = 0;  // |value - truth| <= radius
  double unit = 0;    // about u S, or one ulp: for reports
  double size = 0;    // of the element's pair (BOUND-6)
  // Within 2^-40 of the clause's, relatively, and 4 u radius: what is due to the value's own size,
  // a rounding to the output's format and one before, errs as the value does.
  std::array<double, kProfiles.size()> bound{};
  Place place;
};

// One named intermediate of an element, for `gnomon explain`.
struct Step {
  std::string name;
  Interval value;
};

// Outputs are numbered as the operation lists them, elements by row-major number.
class Truth {
 public:
  virtual ~Truth() = default;

  virtual Expectation Expect(int /*output*/, int64_t /*element*/) const { return {}; }

  // Of an integer: the least and the greatest answer that the profile allows.
  virtual std::pair<int64_t, int64_t> Integers(int output, int64_t element, const Profile&) const {
    const int64_t exact = static_cast<int64_t>(Expect(output, element).bits);
    return {exact, exact};
  }

  // The four below are asked of real elements, at the precision in force. A scheme of integers
  // has none of them.
  virtual Interval Value(int output, int64_t element) const = 0;
  virtual Interval Bound(int output, int64_t element, const Profile& profile) const = 0;
  // The size of the element's own pair; a bound beyond it proves nothing (BOUND-6).
  virtual Interval Size(int output, int64_t element) const = 0;
  // S of u S where errors are reported so; the value itself where they are reported in ulp.
  virtual Interval Scale(int output, int64_t element) const = 0;

  // ROPE-7, ROPE-9: whether the profile leaves a non-finite answer open here.
  virtual bool NonFiniteIsOpen(int /*output*/, int64_t /*element*/, const Profile&) const {
    return false;
  }
  // Bounds for each of the profiles. False where there is no fast path for this element.
  virtual bool Quick(int /*output*/, int64_t /*element*/, const Profiles&, QuickElement*) const {
    return false;
  }

  virtual Place Where(int output, int64_t element) const = 0;
  virtual std::vector<Step> Steps(int output, int64_t element) const = 0;
};

// Its fast path; false also where that cannot tell.
bool AskQuick(const Truth& truth, int output, int64_t element, const Profiles& profiles,
              QuickElement* q);

// Throws Rejected unless the case is valid. The case must outlive the truth.
std::unique_ptr<Truth> TruthOf(const Case& c);

// One for each stem, in reference/<stem>.cc.
#define GNOMON_DECLARE(stem)                       \
  namespace stem {                                 \
  std::unique_ptr<Truth> MakeTruth(const Case& c); \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE

// The stored bits that the profile `rounded` asks for. A tie that precision cannot decide adds to
// *ties, when given.
uint64_t RoundedBits(const Truth& truth, int output, int64_t element, Format format,
                     int64_t* ties = nullptr);
// The number that they stand for.
double RoundedValue(const Truth& truth, int output, int64_t element, Format format,
                    int64_t* ties = nullptr);

// The truth rounded to the case's format (FORMAT-3): what the profile `rounded` asks for.
Outputs RoundedTruth(const Case& c, int64_t* ties = nullptr);

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_TRUTH_H_
