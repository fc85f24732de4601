// Frequencies take long to set up, beside a small call, and one set of parameters tends to be asked
// often.
#ifndef GNOMON_OPTIMIZED_PLAN_CACHE_H_
#define GNOMON_OPTIMIZED_PLAN_CACHE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/rope_scaling.h"

namespace gnomon::optimized {

inline std::string CacheKey(const std::vector<Number>& frequencies, const Number& base) {
  std::string key = ToText(base);
  for (const Number& number : frequencies) key.append(",").append(ToText(number));
  return key;
}
inline std::string CacheKey(const RopeFrequencies& f) {
  return "rope " + std::to_string(f.rotary_dim) + " " + CacheKey(f.frequencies, f.rope_theta) +
         " " + KeyOf(f.scaling);
}
inline std::string CacheKey(const SinusoidalTable& t) {
  return "sinusoidal " + std::to_string(t.sines()) + "/" + std::to_string(t.ExponentDenominator()) +
         (t.divisor == SinusoidalDivisor::kHalf ? " " : "- ") + CacheKey(t.frequencies, t.base);
}

// Thread-safe. Keeps a few dozen sets; a turn-over forgets them all.
template <class Parameters>
std::shared_ptr<const Turns> CachedTurns(const Parameters& parameters) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Turns>> known;
  const std::string key = CacheKey(parameters);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
  }
  auto made = std::make_shared<const Turns>(ExactFrequencies(parameters));
  const std::lock_guard<std::mutex> lock(mutex);
  if (known.size() >= 64) known.clear();
  known.emplace(key, made);
  return made;
}

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_PLAN_CACHE_H_
