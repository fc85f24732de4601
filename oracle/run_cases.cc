#include "gnomon/oracle/run_cases.h"

#include <algorithm>

#include "gnomon/properties/trial.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

std::string OutsideOf(const properties::Subject& subject, const Case& c) {
  if (!subject.Declares(c.operation, c.format))
    return c.operation + " in " + std::string(Traits(c.format).name) + " is not declared";
  return properties::Outside(subject.LimitsOf(c.operation), c);
}

}  // namespace

std::vector<CaseResult> RunCases(properties::Subject& subject, const std::vector<Case>& cases,
                                 size_t at_once) {
  std::vector<CaseResult> results(cases.size());
  std::vector<size_t> asked;
  for (size_t i = 0; i < cases.size(); ++i) {
    Validate(cases[i]);
    results[i].outside = OutsideOf(subject, cases[i]);
    if (results[i].asked()) asked.push_back(i);
  }
  for (size_t from = 0; from < asked.size(); from += at_once) {
    const size_t to = std::min(asked.size(), from + at_once);
    std::vector<properties::Call> calls;
    for (size_t k = from; k < to; ++k) {
      CaseResult& result = results[asked[k]];
      result.outputs = properties::GuardedOutputs(cases[asked[k]]);
      properties::Call& call = calls.emplace_back();
      call.c = &cases[asked[k]];
      for (auto& [role, tensor] : result.outputs) call.outputs.emplace(role, tensor.view());
    }
    const std::vector<properties::Outcome> outcomes = subject.RunBatch(calls);
    for (size_t k = from; k < to; ++k) {
      CaseResult& result = results[asked[k]];
      result.outcome = outcomes[k - from];
      if (result.outcome.status == properties::Outcome::kOk) {
        result.judgement =
            reference::Judge(cases[asked[k]], result.outputs, {{}, subject.FlushesSubnormals()});
      } else {
        result.outputs.clear();
      }
    }
  }
  return results;
}

}  // namespace gnomon::oracle
