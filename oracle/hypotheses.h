// What a kernel with a known mistake (spec/mistakes.md) would have answered: hypotheses for the
// diagnosis. One list for each stem, in hypotheses_<stem>.cc; what the stems share is here.
//
// A hypothesis is the case as the mistaken kernel reads it, evaluated with the reference's angles.
// Nothing here includes properties/: the wrong subjects there are a second, independent reading of
// the same list, and naming one of them must be no tautology.
#ifndef GNOMON_ORACLE_HYPOTHESES_H_
#define GNOMON_ORACLE_HYPOTHESES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/reference/angle_terms.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/case.h"
#include "gnomon/spec/stems.h"

namespace gnomon::oracle {

using PerProfile = std::array<double, kProfiles.size()>;

// What a hypothesis says of one element.
struct Prediction {
  enum Kind {
    kReal,       // a stored value from low to high, by the profile that the kernel rounds like
    kNonFinite,  // NaN or an infinity
    kFinite,     // any number, where a NaN is due
    kBits,       // these very bits
    kAny,        // cannot say
  };
  Kind kind = kAny;
  double value = 0;  // kReal: the number before it is rounded
  PerProfile low{}, high{};
  unsigned open = 0;  // kReal: a bit for every profile that leaves a non-finite answer open
  uint64_t bits = 0;  // kBits
  std::optional<uint64_t> or_bits = std::nullopt;  // kNonFinite: accepted as well
};

// A case and what was answered; both must outlive the diagnosis.
struct Answered {
  const Case* c = nullptr;
  const std::map<std::string, ConstTensorView>* outputs = nullptr;
  // Elements known to be wrong, by output and number: a sample holds their rows.
  std::vector<std::pair<int, int64_t>> wrong = {};
  // What the same kernel was asked just before, of this operation; nullptr: not known.
  const Case* before = nullptr;
};

// An angle as it was answered, whole turns aside, and what it is a function of.
struct Observation {
  int64_t position = 0, pair = 0;
  double angle = 0, error = 0;
  double frequency = 0;            // without a mistake in it
  std::optional<double> exponent;  // base^-exponent; none: not by a base
  bool counted = true;             // at a position of the case
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  // Outputs are numbered as the operation lists them, elements by row-major number.
  virtual Prediction At(int output, int64_t element) = 0;
  // The turn that this element and its partner show, if it is the first of the two.
  virtual std::optional<Observation> Observe(int, int64_t) { return std::nullopt; }
};

// A number in a hypothesis that is fitted to the answers; kAny: it is left open.
enum class Fit { kNone, kFactor, kBase, kDivisor, kOffset, kAny };

struct Hypothesis {
  std::string id;           // as in spec/mistakes.md, then the variant if any: "layout/half-split"
  std::string text;         // the change, in one line
  bool state = false;       // may show in one case and not in another
  bool convention = false;  // tried together with every other hypothesis
  Fit fit = Fit::kNone;
};

// One for each stem, in hypotheses_<stem>.cc.
#define GNOMON_DECLARE(stem)                                                                    \
  namespace stem {                                                                              \
  const std::vector<Hypothesis>& Hypotheses();                                                  \
  /* The kernel that makes all of these mistakes (numbers in the list; none: the truth), where  \
     the case can show them. `fitted`: the number of the one that has one, and how far off it   \
     may be. */                                                                                 \
  std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made, \
                                     double fitted, double fitted_error);                       \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE

// What is left in elements that a kernel does not write.
enum class Fill { kWritten, kInput, kZero, kOnes, kDefaultNan };

// kClamped: overflow and infinities alike become the largest number.
enum class StoreAs { kNearest, kTruncated, kTwice, kSaturated, kCapped, kClamped, kFlushed };
// What a result that is NaN becomes.
enum class NanAs { kNan, kZero, kLowest, kLargest, kAnyNumber };

// Where a kernel looks for an element of an input (hypotheses_memory.h).
enum class Offsets { kByStrides, kContiguous, kIn16Bits };

// How a mistaken kernel forms its cosines and sines, reads its inputs and stores its results: what
// the schemes have in common.
struct Change {
  bool any = false;  // false: the truth
  // Frequencies.
  bool integer_exponent = false, inverse = false, doubled = false, odd_cosine = false;
  bool absolute_frequency = false, ignores_given = false;
  std::optional<Number> base;
  int64_t divisor = 0;  // of the exponent, where not 0
  std::optional<Format> frequencies_in, angles_in;
  std::optional<double> zero_frequency;  // NaN: by way of the period
  Number position_factor = 1;
  // Positions; none: infinite.
  std::function<std::optional<int64_t>(int64_t)> position;
  bool working_positions = false;  // as every profile without exact angles has them anyway
  // Tables.
  bool float_two_pi = false, flush_tables = false;
  int taylor_degree = 0;  // of the sine, where the angle is large
  int ulps = 0;
  std::optional<Format> tables_in;
  // Inputs and results.
  bool nan_as_zero = false, flush_inputs = false;
  Offsets offsets = Offsets::kByStrides;
  bool beyond_row = false;   // adds zero times what lies after a row
  bool call_before = false;  // has kept something of the call before
  double factor = 1, factor_error = 0;
  double fitted = 0, fitted_error = 0;  // of the hypothesis that has a Fit
  // Relative error of a frequency: fitted, once and for each unit of its exponent.
  double frequency_error = 0, exponent_error = 0;
  int tail_lanes = 0;
  Fill tail = Fill::kWritten, unwritten = Fill::kWritten;
  StoreAs store = StoreAs::kNearest;
  NanAs nan = NanAs::kNan;
};

// base^(-numerator / denominator), or as given.
struct FrequencyRecipe {
  Number base = 10000;
  int64_t numerator = 0, denominator = 1, pair = 0;
  const Number* given = nullptr;
};

// Cosine and sine as the mistaken kernel has them.
struct Turn {
  double cos = 1, sin = 0, angle = 0;
  double cos_error = 0, sin_error = 0;  // beyond what the profile's bound covers
  PerProfile D{};
  bool known_tables = false;  // their rounding is part of cos and sin
};

// What is mistaken in the reduction of an angle (`float_two_pi`) and in tables, whatever the angle
// is made of.
void ReduceShort(double angle, Turn* turn);
void TabulateTurn(const Change& change, Format format, Turn* turn);

class Turns {
 public:
  Turns(Format format, std::function<FrequencyRecipe(int64_t pair)> recipe, const Change& change);
  // `position` as the case gives it, before change.position.
  Turn At(int64_t position, int64_t pair) const;
  double Frequency(int64_t pair) const;
  // Its exponent, where it is a power of a base.
  std::optional<double> Exponent(int64_t pair) const;
  // What a fitted number leaves open of it.
  double RelativeError(int64_t pair) const;
  AngleOrigin Origin(int64_t pair) const { return terms_.OriginOf(pair); }
  bool NotANumber(int64_t pair) const;

 private:
  reference::QuickAngle AngleAt(const reference::AngleTerms& terms, int64_t position,
                                int64_t pair) const;
  Format format_;
  std::function<FrequencyRecipe(int64_t)> recipe_;
  Change change_;
  reference::AngleTerms terms_, odd_terms_;
};

// The stored result of a real number known within `radius`, each profile's kernel within `bound`;
// `narrow`: the same before the last rounding to a 16-bit format. `factor` is applied here.
Prediction Stored(const Change& change, Format format, double value, double radius,
                  const PerProfile& bound, const PerProfile& narrow);
// What multiplying a result by a factor near 1 may round off.
double FactorRounding(Format format, double value);
// A NaN or an infinity, stored.
Prediction NonFinite(const Change& change, Format format, double v);
// In what full vectors leave of a row, where the mistake shows: `has_input` says that there is one.
bool InTail(const Change& change, int64_t column, int64_t width, bool has_input);
Prediction Unwritten(Fill fill, DType dtype, std::optional<uint64_t> input);
// An entry of a table as the mistaken kernel stores it (`ulps`, `tables_in`); `format`: that tables
// are stored in otherwise. *uncertain: how far off it may be where the entry is 0.
double TableEntry(const Change& change, Format format, double entry, double* uncertain);
// An input as the kernel reads it.
double Read(const Change& change, Format format, uint64_t bits);

// Mistakes of Change, which schemes share.
enum class Concerns { kAngles, kPositions, kWidths, kStorage, kMemory };
struct SharedHypothesis {
  Hypothesis about;
  // False where the case cannot show it. `base`: nullptr where frequencies or tables are given.
  std::function<bool(const Number* base, Change* change)> make;
  Concerns concerns;
};
const std::vector<SharedHypothesis>& SharedHypotheses();

// A line of a stem's list. C is what its mistakes change: a struct with a member `Change shared`.
template <typename C>
struct Entry {
  using Make = std::function<bool(const Case&, C*)>;
  Hypothesis about;
  Make make;  // false where the case cannot show it; empty: `magnitude`

  static Entry Formula(const std::string& id, const std::string& text, Make make) {
    return {{id, text, false, false}, make};
  }
  static Entry Convention(const std::string& id, const std::string& text, Make make) {
    return {{id, text, false, true}, make};
  }
  static Entry State(const std::string& id, const std::string& text, Make make) {
    return {{id, text, true, false}, make};
  }
};

// Ends a list: `magnitude`, and the shared mistakes that concern the scheme. base(change): the base
// of its frequencies, nullptr where they are given or there are none.
template <typename C, typename BaseOf>
void AddShared(const std::vector<Concerns>& which, BaseOf base, std::vector<Entry<C>>* entries) {
  entries->push_back(
      {{"magnitude", "everything times one factor", false, false, Fit::kFactor}, nullptr});
  for (const SharedHypothesis& shared : SharedHypotheses())
    if (std::find(which.begin(), which.end(), shared.concerns) != which.end())
      entries->push_back({shared.about, [&shared, base](const Case& c, C* change) {
                            return shared.make(base(c, *change), &change->shared);
                          }});
}

template <typename C>
std::vector<Hypothesis> AboutAll(const std::vector<Entry<C>>& entries) {
  std::vector<Hypothesis> all;
  for (const Entry<C>& entry : entries) all.push_back(entry.about);
  return all;
}

// Makes these mistakes, where the case can show them.
template <typename C>
void MakeMistakes(const std::vector<Entry<C>>& entries, const Case& c,
                  const std::vector<size_t>& made, double factor, double factor_error, C* change) {
  change->shared.fitted = factor;
  change->shared.fitted_error = factor_error;
  for (const size_t number : made) {
    C next = *change;
    if (!entries[number].make) {
      next.shared.factor = factor;
      next.shared.factor_error = factor_error;
    } else if (!entries[number].make(c, &next)) {
      continue;
    }
    *change = next;
  }
  change->shared.any = !made.empty();
  // What is not written in place is what was there.
  if (!c.in_place.empty() && change->shared.tail == Fill::kOnes) change->shared.tail = Fill::kInput;
}

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_HYPOTHESES_H_
