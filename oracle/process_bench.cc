// Judged cases a second of rope.apply, T = 2, d = 8, f32, asked of a process in C++ in batches.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "gnomon/oracle/process_subject.h"
#include "gnomon/oracle/run_cases.h"
#include "gnomon/properties/generators.h"
#include "gnomon/properties/reference_subject.h"

namespace {

int Measure(const std::string& program) {
  using namespace gnomon;
  const std::string folder = program.substr(0, program.rfind('/'));
  oracle::ProcessSubject subject("'" + folder + "/plugin_bridge' '" + folder +
                                 "/plugins/example_plugin_c.so'");
  std::vector<Case> cases;
  for (int64_t i = 0; i < 20000; ++i) {
    Case& c = cases.emplace_back();
    c.operation = "rope.apply";
    c.parameters = {{"head_dim", 8.0}, {"layout", std::string("half_split")}};
    Tensor x(DType::kF32, {1, 2, 1, 8});
    for (int64_t e = 0; e < x.count(); ++e)
      x.Set(e, static_cast<double>((7 * i + 3 * e) % 64 + 1) / 16);
    c.inputs = {{"x", x},
                {"positions", properties::Integers({2}, [&](int64_t t) { return i + t; })}};
  }
  const auto start = std::chrono::steady_clock::now();
  int64_t met = 0;
  for (const oracle::CaseResult& result : oracle::RunCases(subject, cases))
    met += result.judgement && result.judgement->profiles[subject.Promise()].met();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf(
      "process, rope.apply [1, 2, 1, 8] f32: %.0f judged cases a second (target 5000), %lld of %zu "
      "conform\n",
      static_cast<double>(cases.size()) / seconds, static_cast<long long>(met), cases.size());
  return met == static_cast<int64_t>(cases.size()) ? 0 : 1;
}

}  // namespace

int main(int, char** arguments) {
  try {
    return Measure(arguments[0]);
  } catch (const std::exception& error) {  // no bridge was built, as without the tests
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
