#include "gnomon/oracle/diagnosis_json.h"

#include <cmath>

namespace gnomon::oracle {

Json ToJson(const Diagnosis& d) {
  const auto profile = [](const std::optional<size_t>& number) {
    return number ? Json(kProfiles[*number].name) : Json(nullptr);
  };
  // JSON has no infinity: a distance that cannot be stated is null.
  const auto finite = [](double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); };
  return {{"mistakes", d.mistakes},
          {"text", d.text},
          {"residual", finite(d.residual)},
          {"profile", profile(d.profile)},
          {"runner_up", d.runner_up.empty() ? Json(nullptr) : Json(d.runner_up)},
          {"runner_up_residual", finite(d.runner_up_residual)},
          {"other_profile", profile(d.other_profile)},
          {"permutation", d.permutation},
          {"where", d.pattern},
          {"elements", d.elements},
          {"failing", d.failing},
          {"sampled", d.sampled}};
}

}  // namespace gnomon::oracle
