// Mistakes with a number that nobody lists: a base, a divisor or an offset of positions, fitted to
// the turns that were answered. Turns of two pairs at least have to agree on it; whether it
// reproduces every element is for the diagnosis to see.
#ifndef GNOMON_ORACLE_HYPOTHESES_FITTED_H_
#define GNOMON_ORACLE_HYPOTHESES_FITTED_H_

#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/hypotheses.h"

namespace gnomon::oracle {

struct FittedNumber {
  double value = 0;  // the shortest decimal that fits
  double error = 0;  // how far it may be off; 0 for an offset
  double bits = 0;   // by which it was told among all that may be
};

std::optional<FittedNumber> FitTo(const std::vector<Observation>& turns, Fit fit, Format format);

// The id and the text of a hypothesis with its number: "base/10500".
std::string FittedId(const Hypothesis& hypothesis, double value);
std::string FittedText(const Hypothesis& hypothesis, double value, double error);

// How far an answer of f32-angle may be from what is predicted.
double ReachOf(const Prediction& p);
// (xa, xb) turned to (ya, yb), stored in `format`, each good to `reach` and its own last rounding:
// what was meant may be larger than what is predicted. Nothing where that tells no angle.
std::optional<Observation> ObservedTurn(double xa, double xb, double ya, double yb, double reach,
                                        Format format);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_HYPOTHESES_FITTED_H_
