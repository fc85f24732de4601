// Known mistakes in timesteps, Fourier features and NeRF, as hypotheses: the part of the sinusoidal
// list that speaks of real arguments (SIN-20 to SIN-24).
#ifndef GNOMON_ORACLE_HYPOTHESES_SINUSOIDAL_REAL_H_
#define GNOMON_ORACLE_HYPOTHESES_SINUSOIDAL_REAL_H_

#include <memory>
#include <vector>

#include "gnomon/oracle/hypotheses.h"

namespace gnomon::oracle::sinusoidal {

const std::vector<Hypothesis>& RealHypotheses();

// Mistakes that are made together: numbers in RealHypotheses() and in SharedHypotheses(), and
// `magnitude`.
struct RealMistakes {
  std::vector<size_t> real, shared;
  bool any = false;
  double factor = 1, factor_error = 0;
};
std::unique_ptr<Predictor> PredictReal(const Answered& answered, const RealMistakes& made);

}  // namespace gnomon::oracle::sinusoidal

#endif  // GNOMON_ORACLE_HYPOTHESES_SINUSOIDAL_REAL_H_
