#include "gnomon/oracle/hypotheses.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle::rope_scaling {

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> none;
  return none;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>&, double,
                                   double) {
  throw Rejected("operation", answered.c->operation, "has no hypotheses", "CASE-1");
}

}  // namespace gnomon::oracle::rope_scaling
