// For tests: the plug-in of evil_plugin.c, and a question it understands.
#ifndef GNOMON_ORACLE_TESTING_EVIL_H_
#define GNOMON_ORACLE_TESTING_EVIL_H_

#include <cstdlib>
#include <string>

#include "gnomon/oracle/plugin_subject.h"

namespace gnomon::oracle {

inline const std::string kPluginFolder = GNOMON_BIN_DIR "/plugins/";
inline const std::string kEvilPlugin = kPluginFolder + "evil_plugin.so";

#if defined(__SANITIZE_ADDRESS__)
#define GNOMON_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GNOMON_SANITIZED 1
#endif
#endif

// Sets what the plug-in will do once it is loaded. `at`: the first position of the cases it is kept
// to; empty: all.
inline void SetEvil(const std::string& what, const std::string& at = "") {
  setenv("GNOMON_EVIL", what.c_str(), 1);
  at.empty() ? unsetenv("GNOMON_EVIL_AT") : setenv("GNOMON_EVIL_AT", at.c_str(), 1);
}

// Short enough for tests that wait for each, long enough for a busy machine.
inline WorkerLimits TestLimits() {
  WorkerLimits limits;
  limits.run_seconds = 2;
  limits.load_seconds = 20;
  limits.memory_bytes = int64_t{256} << 20;
  return limits;
}

inline PluginSubject Evil(const std::string& what, const std::string& at = "") {
  SetEvil(what, at);
  return PluginSubject(kEvilPlugin, TestLimits());
}

// rope.apply on [1, seq, 1, head_dim], float32, positions from `first` on.
inline Case RopeCase(int64_t first, int64_t seq = 2, int64_t head_dim = 8) {
  Case c;
  c.operation = "rope.apply";
  c.parameters = {{"head_dim", static_cast<double>(head_dim)},
                  {"layout", std::string("half_split")}};
  Tensor x(DType::kF32, {1, seq, 1, head_dim}), positions(DType::kI64, {seq});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, 0.25 * static_cast<double>(i % 64) - 3.1);
  for (int64_t i = 0; i < seq; ++i) positions.SetInteger(i, first + i);
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  return c;
}

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_TESTING_EVIL_H_
