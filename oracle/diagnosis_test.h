// What tests of the diagnosis share: a question, and what is said of an answer to it.
#ifndef GNOMON_ORACLE_DIAGNOSIS_TEST_H_
#define GNOMON_ORACLE_DIAGNOSIS_TEST_H_

#include <map>
#include <string>
#include <vector>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/reference/truth.h"

namespace gnomon::oracle {

inline Case Question(Format format, int64_t tokens, int64_t dim, int64_t heads = 2) {
  Case c;
  c.operation = "rope.apply";
  c.format = format;
  c.parameters = {{"head_dim", static_cast<double>(dim)}, {"layout", std::string("half_split")}};
  Tensor x(DTypeOf(format), {1, tokens, heads, dim}), positions(DType::kI64, {tokens});
  for (int64_t i = 0; i < x.count(); ++i)
    x.Set(i, 0.75 + static_cast<double>(i * 37 % 101) / 64 - (i % 3 == 0 ? 2 : 0));
  for (int64_t i = 0; i < tokens; ++i) positions.SetInteger(i, 1 + 3 * i);
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  return c;
}

using Views = std::map<std::string, ConstTensorView>;
inline Views ViewsOf(const Outputs& outputs) {
  Views views;
  for (const auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
  return views;
}

inline Diagnosis DiagnosisOf(const Case& c, const Outputs& outputs, const Demand& demand = {}) {
  const Views views = ViewsOf(outputs);
  return Diagnose({{&c, &views}}, demand);
}

using Names = std::vector<std::string>;

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DIAGNOSIS_TEST_H_
