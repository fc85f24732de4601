#include "gnomon/reference/judge.h"

#include <bit>
#include <cmath>
#include <limits>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/known_elements.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// In the place of a bound, which is no negative number: none is known yet; binary64 holds it badly.
constexpr double kNotAsked = -1, kNotHeld = -2;

// One element, as one profile sees it.
struct Answer {
  enum Verdict { kWithin, kOutside, kVacuous } verdict = kOutside;
  double bound = 0;
};

// u S; BOUND-7: at least the smallest number that the format has.
double SumUnit(Format format, double S) {
  return std::max(UnitRoundoff(format) * S, ExactPowerOfTwo(Traits(format).min_quantum_exponent));
}

class ElementJudge {
 public:
  ElementJudge(const Truth& truth, const OperationSpec& operation, Format format,
               const JudgeOptions& options, Judgement* result)
      : truth_(truth),
        profiles_(ProfilesFor(options.flushes_subnormals)),
        begin_(options.only.value_or(0)),
        end_(options.only ? *options.only + 1 : kProfiles.size()),
        unit_(operation.unit),
        format_(format),
        result_(result) {}

  // `known`: kept from one candidate to the next; nullptr: nothing is kept.
  void Element(int output, int64_t element, DType dtype, uint64_t bits, KnownElement* known) {
    const double candidate = ValueOf(dtype, bits);
    output_ = output;
    element_ = element;
    candidate_ = candidate;
    dtype_ = dtype;
    bits_ = bits;
    std::array<Answer, kProfiles.size()> answers;
    KnownElement alone;
    if (known == nullptr || !std::isfinite(candidate)) known = &alone;
    if (known->how == KnownElement::kUnknown)
      known->how = IsQuick(&known->quick) ? KnownElement::kQuick : KnownElement::kSlow;
    QuickElement& quick = known->quick;
    double error;
    bool real = true;
    if (known->how == KnownElement::kQuick) {
      copies_only = false;
      error = std::abs(candidate - quick.value);
      for (size_t i = begin_; i < end_; ++i) answers[i] = Quickly(i, &quick, error);
      NoteError(error, quick.unit, quick.value, quick.place);
    } else {
      const Expectation expected = truth_.Expect(output, element);
      for (size_t i = begin_; i < end_; ++i)
        answers[i] = expected.kind == Expectation::kReal ? Slowly(profiles_[i])
                                                         : ByKind(expected, profiles_[i]);
      error = SlowError(expected);
      real = expected.kind == Expectation::kReal || expected.kind == Expectation::kInteger;
      copies_only &= expected.kind == Expectation::kCopy;
      quick.place = truth_.Where(output, element);
    }
    Count(answers, real, error, quick.place);
  }

 private:
  // BOUND-5 in binary64 where the margin allows it, else by intervals.
  Answer Quickly(size_t i, QuickElement* q, double error) {
    const double radius = q->radius + error * 0x1p-52;
    if (profiles_[i].correctly_rounded) {
      const double low = RoundToFormat(format_, q->value - q->radius);
      const double high = RoundToFormat(format_, q->value + q->radius);
      if (low != high || (low == 0 && q->radius != 0)) return Slowly(profiles_[i]);
      return {candidate_ == low ? Answer::kWithin : Answer::kOutside, 0};
    }
    double& bound = q->bound[i];
    if (bound == kNotAsked) bound = EncloseBound(profiles_[i]);
    if (bound == kNotHeld) return Slowly(profiles_[i]);
    const double slack = bound * 0x1p-40 + 4 * UnitRoundoff(format_) * q->radius;
    if (error + radius <= bound - slack)
      return {bound > q->size ? Answer::kVacuous : Answer::kWithin, bound};
    if (error - radius > bound + slack) return {Answer::kOutside, bound};
    return Slowly(profiles_[i]);
  }

  bool IsQuick(QuickElement* q) const {
    return std::isfinite(candidate_) &&
           (AskQuick(truth_, output_, element_, profiles_, q) || EncloseOnce(q));
  }
  // The enclosures of one element. False where binary64 holds them badly.
  bool EncloseOnce(QuickElement* q) const {
    if (format_ == Format::kF64) return false;
    if (truth_.Expect(output_, element_).kind != Expectation::kReal) return false;
    ScopedPrecision precision(kFirstPrecision);
    try {
      return Enclose(q);
    } catch (const Undecided&) {  // at this precision
      return false;
    }
  }
  bool Enclose(QuickElement* q) const {
    const Interval value = Narrow(truth_.Value(output_, element_));
    q->value = Midpoint(value);
    q->radius = std::abs(q->value) * 0x1p-53 + 0x1p-1074 + WidthOf(value);
    q->size = Midpoint(truth_.Size(output_, element_));
    q->unit = Midpoint(truth_.Scale(output_, element_));
    q->place = truth_.Where(output_, element_);
    q->bound.fill(kNotAsked);
    return std::isfinite(q->radius);
  }
  // kNotHeld where binary64 holds it badly.
  double EncloseBound(const Profile& profile) const {
    ScopedPrecision precision(kFirstPrecision);
    try {
      const Interval bound = truth_.Bound(output_, element_, profile);
      const double near = Midpoint(bound);
      const bool held = WidthOf(bound) <= near * 0x1p-42 && (near == 0 || near >= 0x1p-1000);
      return held ? near : kNotHeld;
    } catch (const Undecided&) {  // at this precision
      return kNotHeld;
    }
  }

  Answer Slowly(const Profile& profile) {
    if (!std::isfinite(candidate_)) return NonFinite(profile);
    if (profile.correctly_rounded) return Rounded();
    const auto answer = Certify([&]() -> Answer {
      const Interval bound = truth_.Bound(output_, element_, profile);
      const Interval error = abs(Interval(candidate_) - truth_.Value(output_, element_));
      Answer a{Answer::kOutside, Midpoint(bound)};
      if (LessOrEqual(error, bound))
        a.verdict = IsVacuous(bound) ? Answer::kVacuous : Answer::kWithin;
      return a;
    });
    return answer ? *answer : AtTheCap(profile);
  }
  // What are compared are the same to thousands of digits: within, if anything is known.
  Answer AtTheCap(const Profile& profile) const {
    ScopedPrecision precision(kLargestPrecision);
    try {
      truth_.Value(output_, element_);  // throws where it is not known at all
      const Interval bound = truth_.Bound(output_, element_, profile);
      return {IsVacuous(bound) ? Answer::kVacuous : Answer::kWithin, Midpoint(bound)};
    } catch (const Undecided&) {
      return {Answer::kVacuous, kInfinity};
    }
  }

  // BOUND-6. A comparison of sizes: their nearest doubles are enough.
  bool IsVacuous(const Interval& bound) const {
    return Midpoint(bound) > Midpoint(truth_.Size(output_, element_));
  }

  // The rounded truth, sign of zero included unless the truth is zero (ROPE-8). A tie that no
  // precision decides is counted, and either neighbour taken.
  Answer Rounded() {
    const auto verdict = [](bool is) { return Answer{is ? Answer::kWithin : Answer::kOutside, 0}; };
    const auto answer = Certify([&] {
      const Interval value = truth_.Value(output_, element_);
      const double rounded = Round(format_, value);
      const bool truth_is_zero = IsPoint(value) && mpfr_zero_p(Lower(value));
      return candidate_ == rounded &&
             (truth_is_zero || std::signbit(candidate_) == std::signbit(rounded));
    });
    if (answer) return verdict(*answer);
    ++result_->ties;
    ScopedPrecision precision(kLargestPrecision);
    try {
      const Interval value = truth_.Value(output_, element_);
      return verdict(candidate_ == Round(format_, Lower(value)) ||
                     candidate_ == Round(format_, Upper(value)));
    } catch (const Undecided&) {  // nothing is known
      return {Answer::kVacuous, kInfinity};
    }
  }

  // A NaN or an infinity where the truth is a real number (ROPE-9).
  Answer NonFinite(const Profile& profile) {
    if (truth_.NonFiniteIsOpen(output_, element_, profile)) return {Answer::kVacuous, kInfinity};
    if (std::isnan(candidate_)) return {Answer::kOutside, 0};
    if (profile.correctly_rounded) return Rounded();
    const auto answer = Certify([&]() -> Answer {
      const FormatTraits& t = Traits(format_);
      const Interval threshold =
          (2 - ldexp(Interval(1), -t.precision)) * ldexp(Interval(1), t.max_exponent);
      const Interval value = truth_.Value(output_, element_);
      const Interval bound = truth_.Bound(output_, element_, profile);
      const Interval towards = candidate_ > 0 ? value : -value;
      if (Less(towards + bound, threshold)) return {Answer::kOutside, 0};
      return {IsVacuous(bound) ? Answer::kVacuous : Answer::kWithin, kInfinity};
    });
    return answer ? *answer : AtTheCap(profile);
  }

  // ROPE-5, ROPE-7; integers.
  Answer ByKind(const Expectation& expected, const Profile& profile) const {
    if (expected.kind == Expectation::kInteger) {
      const auto [least, greatest] = truth_.Integers(output_, element_, profile);
      const int64_t answer = IntegerOf(dtype_, bits_);
      return {least <= answer && answer <= greatest ? Answer::kWithin : Answer::kOutside, 0};
    }
    if (expected.kind == Expectation::kCopy)
      return {
          bits_ == expected.bits || bits_ == expected.or_bits ? Answer::kWithin : Answer::kOutside,
          0};
    const bool same = std::isnan(expected.non_finite) ? std::isnan(candidate_)
                                                      : candidate_ == expected.non_finite;
    if (same || (expected.or_bits && bits_ == *expected.or_bits)) return {Answer::kWithin, 0};
    if (!std::isfinite(candidate_) && truth_.NonFiniteIsOpen(output_, element_, profile))
      return {Answer::kVacuous, kInfinity};
    return {Answer::kOutside, 0};
  }

  double SlowError(const Expectation& expected) {
    const Place place = truth_.Where(output_, element_);
    if (expected.kind == Expectation::kInteger) {
      const double due = ValueOf(DType::kI64, expected.bits);
      NoteError(std::abs(candidate_ - due), 1, due, place);
      return std::abs(candidate_ - due);
    }
    if (expected.kind != Expectation::kReal) {
      const bool copied = expected.kind == Expectation::kCopy && bits_ == expected.bits;
      const bool fits = copied || ByKind(expected, profiles_[0]).verdict == Answer::kWithin;
      NoteError(fits ? 0 : kInfinity, 1, 1, place);
      return fits ? 0 : kInfinity;
    }
    struct Measured {
      double error, scale, truth;
    };
    const auto measure = [&]() -> Measured {
      const Interval value = Narrow(truth_.Value(output_, element_));
      return {std::isfinite(candidate_)  ? std::abs(Midpoint(Interval(candidate_) - value))
              : IsRoundedInfinity(value) ? 0
                                         : kInfinity,
              Midpoint(Narrow(truth_.Scale(output_, element_))), Midpoint(value)};
    };
    const Measured m = Certify(measure).value_or(Measured{kInfinity, 1, 0});
    NoteError(m.error, m.scale, m.truth, place);
    return m.error;
  }
  bool IsRoundedInfinity(const Interval& value) const {
    return std::isinf(candidate_) && Round(format_, Lower(value)) == candidate_;
  }

  void NoteError(double error, double scale, double truth, const Place& place) {
    const double unit = !IsFloat(dtype_)           ? 1
                        : unit_ == ErrorUnit::kUlp ? UlpAt(format_, truth)
                                                   : SumUnit(format_, scale);
    units_ = error == 0 ? 0 : error / unit;
    result_->histogram.Add(units_);
    if (place.position) {
      const uint64_t size = static_cast<uint64_t>(std::abs(*place.position));
      double& worst = result_->worst_by_position[static_cast<int>(std::bit_width(size)) - 1];
      worst = std::max(worst, units_);
    }
    if (candidate_ == 0 && std::abs(truth) < SmallestNormal(format_) &&
        RoundToFormat(format_, truth) != 0)
      ++result_->flushed;
  }

  void Count(const std::array<Answer, kProfiles.size()>& answers, bool real, double error,
             const Place& place);

 public:
  struct Found {
    double ratio = -1;
    int output = 0;
    int64_t element = -1;
    double error = 0, units = 0, bound = 0;
  };
  std::array<Found, kProfiles.size()> worst, first;
  bool copies_only = true;  // so far

 private:
  const Truth& truth_;
  const Profiles& profiles_;
  const size_t begin_, end_;  // of the profiles asked about
  const ErrorUnit unit_;
  const Format format_;
  Judgement* const result_;
  int output_ = 0;
  int64_t element_ = 0;
  double candidate_ = 0, units_ = 0;
  DType dtype_ = DType::kF32;
  uint64_t bits_ = 0;
};

void ElementJudge::Count(const std::array<Answer, kProfiles.size()>& answers, bool real,
                         double error, const Place& place) {
  ++result_->elements;
  const auto note_position = [&](std::optional<int64_t>* smallest) {
    if (!place.position) return;
    const int64_t size = std::abs(*place.position);
    *smallest = std::min(smallest->value_or(size), size);
  };
  for (size_t i = begin_; i < end_; ++i) {
    ProfileResult& profile = result_->profiles[i];
    const Answer& answer = answers[i];
    if (answer.verdict == Answer::kVacuous) {
      ++profile.vacuous;
      note_position(&profile.vacuous_from);
      continue;
    }
    if (answer.verdict == Answer::kOutside) note_position(&profile.outside_from);
    ++(answer.verdict == Answer::kWithin ? profile.within : profile.outside);
    if (real && answer.verdict == Answer::kWithin) ++profile.proving;
    double ratio = error == 0 ? 0 : answer.bound > 0 ? error / answer.bound : kInfinity;
    if (profiles_[i].correctly_rounded) ratio = units_;
    const Found here{ratio, output_, element_, error, units_, answer.bound};
    if (ratio > worst[i].ratio) worst[i] = here;
    if (answer.verdict == Answer::kOutside && first[i].element < 0) first[i] = here;
  }
}

// The outputs as the operation lists them. CASE-4: throws Rejected unless the case asks for them.
std::vector<ConstTensorView> RequireOutputs(const Case& c, const std::vector<OutputShape>& shapes,
                                            const std::map<std::string, ConstTensorView>& outputs) {
  std::vector<ConstTensorView> views;
  for (const OutputShape& shape : shapes) {
    const auto found = outputs.find(shape.role);
    if (found == outputs.end())
      throw Rejected(shape.role, "(missing)", "is an output of " + c.operation, "CASE-4");
    if (found->second.shape != shape.shape)
      throw Rejected(shape.role, ShapeText(found->second.shape),
                     "must have the shape " + ShapeText(shape.shape) + " that the case asks for",
                     "CASE-4");
    if (!CanHold(found->second.dtype, shape, c))
      throw Rejected(shape.role, std::string(Name(found->second.dtype)),
                     shape.integer
                         ? std::string("must be I64 or I32")
                         : "must have the case's format " + std::string(Traits(c.format).name),
                     "CASE-4");
    views.push_back(found->second);
  }
  return views;
}

ElementReport ReportOf(const ElementJudge::Found& found, const Truth& truth, const Case& c,
                       const OutputShape& shape, const ConstTensorView& view) {
  ElementReport e;
  e.output = shape.role;
  e.element = found.element;
  e.index = IndexOf(shape.shape, found.element);
  e.place = truth.Where(found.output, found.element);
  e.candidate = ValueAt(view, found.element);
  e.error = found.error;
  e.error_units = found.units;
  e.bound = found.bound;
  const Expectation expected = truth.Expect(found.output, found.element);
  e.expected = RoundedValue(truth, found.output, found.element, c.format);
  e.why = expected.kind == Expectation::kCopy        ? "copied"
          : expected.kind == Expectation::kNonFinite ? "not finite"
          : expected.kind == Expectation::kInteger   ? "exact"
                                                     : "within the bound";
  return e;
}

}  // namespace

void ErrorHistogram::Add(double error) {
  largest = std::isfinite(error) ? std::max(largest, error) : kInfinity;
  if (!std::isfinite(error)) {
    ++not_finite;
    return;
  }
  const int power =
      error < ExactPowerOfTwo(kLowest) ? kLowest - 1 : std::min(std::ilogb(error), kHighest);
  ++counts[static_cast<size_t>(power - kLowest + 1)];
}

std::optional<size_t> Judgement::strictest(size_t floor) const {
  for (size_t i = 0; i <= floor; ++i)
    if (profiles[i].met()) return i;
  return std::nullopt;
}

std::array<ElementVerdict, kProfiles.size()> JudgeElement(const Truth& truth, const Case& c,
                                                          int output, int64_t element, DType dtype,
                                                          uint64_t bits, bool flushes) {
  Judgement alone;
  ElementJudge judge(truth, OperationOf(c), c.format, {{}, flushes}, &alone);
  judge.Element(output, element, dtype, bits, nullptr);
  std::array<ElementVerdict, kProfiles.size()> verdicts;
  for (size_t i = 0; i < kProfiles.size(); ++i)
    verdicts[i] = alone.profiles[i].outside   ? ElementVerdict::kOutside
                  : alone.profiles[i].vacuous ? ElementVerdict::kVacuous
                                              : ElementVerdict::kWithin;
  return verdicts;
}

Judgement Judge(const Case& c, const std::map<std::string, ConstTensorView>& outputs,
                const JudgeOptions& options) {
  const std::unique_ptr<Truth> truth = TruthOf(c);
  const std::vector<OutputShape> shapes = Validate(c);
  const std::vector<ConstTensorView> views = RequireOutputs(c, shapes, outputs);
  const OperationSpec& operation = OperationOf(c);
  Judgement result;
  result.operation = c.operation;
  result.unit = operation.unit;
  result.format = c.format;

  int64_t all = 0, done = 0;
  std::vector<int64_t> counts;
  for (const ConstTensorView& view : views) all += counts.emplace_back(view.count());
  auto* const known = KnownElementsOf(c, options.flushes_subnormals, counts);

  ElementJudge judge(*truth, operation, c.format, options, &result);
  for (size_t output = 0; output < views.size(); ++output) {
    const ConstTensorView& view = views[output];
    const bool contiguous = view.contiguous();
    for (int64_t i = 0; i < counts[output]; ++i, ++done) {
      const std::byte* address =
          contiguous ? view.data + i * SizeOf(view.dtype) : view.AddressOf(i);
      judge.Element(static_cast<int>(output), i, view.dtype, LoadBits(view.dtype, address),
                    known ? &(*known)[output][static_cast<size_t>(i)] : nullptr);
      if (options.progress && (done & 0xfffff) == 0) options.progress(done, all);
    }
  }

  const auto report = [&](const ElementJudge::Found& found) -> std::optional<ElementReport> {
    if (found.element < 0) return std::nullopt;
    const size_t output = static_cast<size_t>(found.output);
    return ReportOf(found, *truth, c, shapes[output], views[output]);
  };
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    // BOUND-7: where nothing is asked for but copies, they prove what there is to prove.
    if (judge.copies_only) result.profiles[i].proving = result.profiles[i].within;
    result.profiles[i].worst = report(judge.worst[i]);
    result.profiles[i].first_outside = report(judge.first[i]);
  }
  return result;
}

Judgement Judge(const Case& c, const Outputs& outputs, const JudgeOptions& options) {
  std::map<std::string, ConstTensorView> views;
  for (const auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
  return Judge(c, views, options);
}

}  // namespace gnomon::reference
