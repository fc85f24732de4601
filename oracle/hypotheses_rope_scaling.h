// How mistaken kernels read a context extension (spec/rope_scaling.md): their formulas, for the
// hypotheses of rope_scaling and of rope.
#ifndef GNOMON_ORACLE_HYPOTHESES_ROPE_SCALING_H_
#define GNOMON_ORACLE_HYPOTHESES_ROPE_SCALING_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/reference/interval.h"
#include "gnomon/spec/rope.h"

namespace gnomon::oracle {

// A frequency as the kernel computes it, and C of SCALE-17 by the form of the angle.
struct Counted {
  reference::Interval value;
  FrequencyCounts counts{};
};
// One object a mistake, so that what it answers can be remembered.
using FrequencyFormula =
    std::shared_ptr<const std::function<Counted(const RopeFrequencies&, int64_t pair, Format)>>;
// What cosines and sines are multiplied by, or (not `tables`) the result.
using MagnitudeFormula = std::function<reference::Interval(const RopeScaling&, bool tables)>;

struct ScalingFormulas {  // each: none where it is that of the page
  FrequencyFormula frequency;
  MagnitudeFormula magnitude;
  std::function<reference::Interval(const RopeScaling&)> softmax;
};

struct ScalingMistake {
  Hypothesis about;
  // Changes the parameters or the formula; false where the case cannot show it.
  std::function<bool(RopeFrequencies*, ScalingFormulas*)> make;
};
// Each is asked of a scaled case alone.
const std::vector<ScalingMistake>& FrequencyMistakes();
const std::vector<ScalingMistake>& MagnitudeMistakes();
const std::vector<ScalingMistake>& SoftmaxMistakes();  // of the factor of the scores alone
// Part of FrequencyMistakes: ramps and blends.
std::vector<ScalingMistake> RampMistakes();

ScalingMistake MistakenScaling(std::string id, std::string text,
                               std::function<bool(RopeFrequencies*, ScalingFormulas*)> make);

// SCALE-17, of the formulas of mistakes. b^(-numerator / denominator) of b = rope_theta:
Counted OfBase(const RopeFrequencies& f, int64_t numerator, int64_t denominator, int64_t pair);
Counted UnscaledPair(const RopeFrequencies& f, int64_t pair);
// w / s, s the factor.
Counted Interpolated(const RopeFrequencies& f, Counted w);
// Of the base b s'^x. `growth`: SCALE-17, dynamic; else 0. Not a number where s' is not positive.
Counted OfNewBase(const RopeFrequencies& f, const reference::Interval& scale,
                  const reference::Interval& exponent, double growth, int64_t pair, Format format);
// SCALE-11, its new base with that exponent.
Counted ByPartsOfExponent(const RopeFrequencies& f, const reference::Interval& exponent,
                          int64_t pair, Format format);
// The exponent x of SCALE-2.
reference::Interval NtkExponent(const RopeFrequencies& f);
double AboveAll(const reference::Interval& x);  // an upper bound of |x|

// The scaled frequencies of a kernel. They are remembered beyond the case: every hypothesis asks
// for the same ones again.
class ScaledFrequencies {
 public:
  struct Pair {
    Number frequency;  // to 60 digits
    FrequencyCounts counts{};
  };
  ScaledFrequencies(RopeFrequencies f, FrequencyFormula formula, Format format);
  const Pair& At(int64_t pair) const;

 private:
  using Known = std::map<int64_t, Pair>;
  RopeFrequencies f_;
  FrequencyFormula formula_;
  Format format_;
  mutable std::shared_ptr<Known> known_;  // made by the first question
};

// SCALE-13 as the kernel has it, in binary64; and its roundings (SCALE-18).
double MagnitudeBy(const RopeScaling& s, const ScalingFormulas& formulas, bool tables);
double MagnitudeRoundings(const RopeScaling& s, bool mistaken, Format format);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_HYPOTHESES_ROPE_SCALING_H_
