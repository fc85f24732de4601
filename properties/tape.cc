#include "gnomon/properties/tape.h"

#include <algorithm>
#include <chrono>

namespace gnomon::properties {

std::vector<Tape> SimplerTapes(const Tape& tape) {
  std::vector<Tape> simpler;
  const size_t n = tape.size();
  for (size_t cut = n; cut >= 1; cut /= 2)
    simpler.emplace_back(tape.begin(), tape.end() - static_cast<std::ptrdiff_t>(cut));
  const auto changed = [&](size_t at, size_t size, uint64_t to) {
    Tape lower = tape;
    bool any = false;
    for (size_t i = at; i < std::min(at + size, n); ++i) {
      any |= lower[i] != to;
      lower[i] = to;
    }
    if (any) simpler.push_back(std::move(lower));
  };
  for (size_t size = std::min<size_t>(n / 2, 64); size >= 4; size /= 4)
    for (size_t at = 0; at < n; at += size) changed(at, size, 0);
  for (size_t at = 0; at < std::min<size_t>(n, 96); ++at) {
    const uint64_t word = tape[at];
    if (word == 0) continue;
    changed(at, 1, 0);
    if (word >> 56) changed(at, 1, word / 2);
    if (word >> 60) changed(at, 1, word - word / 8);
  }
  return simpler;
}

Tape SimplestTape(Tape tape, const std::function<std::optional<size_t>(const Tape&)>& accept,
                  int most, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (bool better = true; better;) {
    better = false;
    for (Tape& simpler : SimplerTapes(tape)) {
      if (most-- <= 0 || std::chrono::steady_clock::now() >= end) return tape;
      const std::optional<size_t> used = accept(simpler);
      if (!used) continue;
      tape = std::move(simpler);
      tape.resize(std::min(tape.size(), *used));
      better = true;
      break;
    }
  }
  return tape;
}

}  // namespace gnomon::properties
