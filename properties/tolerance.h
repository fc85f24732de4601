// What a promise allows: the tolerances of the algebraic properties are made of these.
//
// Bounds in the norm form (BOUND-5): a pair stands for its length, a sine or cosine for 1, so no
// truth enters, neither a value nor a cosine. Only an inexact angle asks for the size of the
// frequency.
#ifndef GNOMON_PROPERTIES_TOLERANCE_H_
#define GNOMON_PROPERTIES_TOLERANCE_H_

#include <memory>
#include <string>
#include <vector>

#include "gnomon/properties/trial.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/case.h"
#include "gnomon/spec/stems.h"

namespace gnomon::properties {

// Of one case. Outputs are numbered as the operation lists them.
class Tolerance {
 public:
  virtual ~Tolerance() = default;
  // |answer - truth| is at most this for whoever keeps the promise; 0 for copied elements.
  virtual double Bound(int output, int64_t element) const = 0;
  // Of the element's pair: a bound beyond it proves nothing (BOUND-6).
  virtual double Size(int output, int64_t element) const = 0;
};

// One for each stem, in properties/<stem>_tolerance.cc. The case must outlive the tolerance.
#define GNOMON_DECLARE(stem)                                                       \
  namespace stem {                                                                 \
  std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c); \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE
std::unique_ptr<Tolerance> ToleranceOf(const Profile& promise, const Case& c);

// A case, the subject's answer to it, and how far that answer may be from the truth.
class Answer {
 public:
  Answer(Trial& trial, Case c);
  Answer(const Answer&) = delete;

  const Case& asked() const { return case_; }
  const Tensor& output(const std::string& role) const { return outputs_.at(role); }
  const Shape& shape(int output = 0) const { return views_[Index(output)]->shape(); }

  double Raw(int64_t element, int output = 0) const {
    return views_[Index(output)]->Value(element);
  }
  Interval Value(int64_t element, int output = 0) const { return Interval(Raw(element, output)); }
  Interval Bound(int64_t element, int output = 0) const {
    return Interval(tolerance_->Bound(output, element));
  }
  Interval Size(int64_t element, int output = 0) const {
    return Interval(tolerance_->Size(output, element));
  }

 private:
  static size_t Index(int output) { return static_cast<size_t>(output); }
  Case case_;
  Outputs outputs_;
  std::vector<const Tensor*> views_;
  std::unique_ptr<Tolerance> tolerance_;
};

// Two answers to questions with the same truth: within the sum of their bounds; the same value
// where the promise is the rounded truth. `asked`: how the second was.
void CompareSame(Trial& trial, const Answer& first, int64_t first_element, const Answer& second,
                 int64_t second_element, int output = 0,
                 const std::string& asked = "when asked the other way");

// What both members of a pair may be off by together: a rotation moves an error vector by at most
// its length, in each member.
inline Interval Length(const Interval& a, const Interval& b) { return sqrt(a * a + b * b); }

// For the tolerances: bounds evaluated in binary64 are larger than the clause's number by this
// factor, which makes up for every rounding of their evaluation (no step of it cancels): it is
// above 1 + gamma(4N + 64, u64) of ROPE-13 and SIN-13 for sums of N = kMostTerms terms.
inline constexpr double kEvaluated = 1 + 0x1p-39;
inline constexpr int64_t kMostTerms = 4000;
static_assert(Gamma(4 * kMostTerms + 64, 0x1p-53) < kEvaluated - 1);

// u v + eta: one rounding to the format of a real number no larger than v.
double OneRounding(Format format, double v);

// BOUND-3. D of an angle, from the origin of its frequency and an upper bound of that frequency's
// size.
double AngleBound(const Profile& promise, const AngleOrigin& origin, double frequency,
                  int64_t position, Format output);
// The size of base^(-numerator / denominator), or of the given frequency, rounded up.
AngleOrigin OriginOf(const Number& base, const std::vector<Number>& frequencies, int64_t numerator,
                     int64_t denominator, int64_t pair);
double FrequencySize(const Number& base, const std::vector<Number>& frequencies, int64_t numerator,
                     int64_t denominator, int64_t pair);

// BOUND-4 of an entry K sin or K cos, D the error of its angle.
double EntryBound(const Profile& promise, Format output, double D, const Number& K);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_TOLERANCE_H_
