#include "gnomon/properties/tolerance.h"

#include <cmath>

#include "gnomon/spec/schemes.h"

namespace gnomon::properties {

std::unique_ptr<Tolerance> ToleranceOf(const Profile& promise, const Case& c) {
  const std::string stem = c.operation.substr(0, c.operation.find('.'));
#define GNOMON_TOLERANCE(name) \
  if (stem == #name) return name::MakeTolerance(promise, c);
  GNOMON_FOR_EACH_STEM(GNOMON_TOLERANCE)
#undef GNOMON_TOLERANCE
  throw Rejected("operation", c.operation, "has no tolerance", "CASE-1");
}

Answer::Answer(Trial& trial, Case c)
    : case_(std::move(c)),
      outputs_(trial.Run(case_)),
      tolerance_(ToleranceOf(trial.promise(), case_)) {
  for (const OutputShape& shape : Validate(case_)) views_.push_back(&outputs_.at(shape.role));
}

double OneRounding(Format format, double v) {
  // eta of f64 is below every binary64; no property goes near it.
  const double eta = std::ldexp(1.0, std::max(EtaExponent(format), -1074));
  return (UnitRoundoff(format) * v + eta) * kEvaluated;
}

AngleOrigin OriginOf(const Number& base, const std::vector<Number>& frequencies, int64_t numerator,
                     int64_t denominator, int64_t pair) {
  if (!frequencies.empty()) return GivenOrigin(frequencies[static_cast<size_t>(pair)], pair);
  AngleOrigin origin;
  origin.numerator = numerator;
  origin.denominator = denominator;
  origin.log_base = std::abs(std::log(base.value)) * kEvaluated;
  origin.pair = pair;
  origin.inexact_base = IsInexact(base);
  return origin;
}

double FrequencySize(const Number& base, const std::vector<Number>& frequencies, int64_t numerator,
                     int64_t denominator, int64_t pair) {
  if (!frequencies.empty())
    return std::abs(frequencies[static_cast<size_t>(pair)].value) * kEvaluated;
  return std::pow(base.value, -static_cast<double>(numerator) / static_cast<double>(denominator)) *
         kEvaluated;
}

double AngleBound(const Profile& promise, const AngleOrigin& origin, double frequency,
                  int64_t position, Format output) {
  return (AngleError(promise.angle, origin, position, output) * frequency *
              std::abs(static_cast<double>(position)) +
          AngleUnderflow<double>(promise.angle, position, output, promise.flushes)) *
         kEvaluated;
}

double EntryBound(const Profile& promise, Format output, double D, const Number& K) {
  const double size = std::abs(K.value);
  if (promise.correctly_rounded) return OneRounding(output, size);
  return TableBound<double>(output, size, size, D, K == Number(1) ? 0 : 2, K.value,
                            promise.flushes) *
         kEvaluated;
}

void CompareSame(Trial& trial, const Answer& first, int64_t first_element, const Answer& second,
                 int64_t second_element, int output, const std::string& asked) {
  const double a = first.Raw(first_element, output), b = second.Raw(second_element, output);
  const auto where = [&] {
    return "element " + std::to_string(first_element) + " is " + Show(a) + ", and " + Show(b) +
           " as element " + std::to_string(second_element) + " " + asked;
  };
  if (trial.promise().correctly_rounded) {
    trial.Expect(a == b, where);
    return;
  }
  trial.Compare(abs(Interval(a) - Interval(b)),
                first.Bound(first_element, output) + second.Bound(second_element, output),
                first.Size(first_element, output), where);
}

}  // namespace gnomon::properties
