// A stream of choices: what generators draw from. RapidCheck fills it and shrinks it, a fuzzer
// fills it from bytes. The word 0 always means the simplest choice, and a smaller word a simpler
// one; past its end a source answers 0, so a shorter tape is a simpler case.
#ifndef GNOMON_PROPERTIES_SOURCE_H_
#define GNOMON_PROPERTIES_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace gnomon::properties {

class Source {
 public:
  explicit Source(std::vector<uint64_t> tape) : tape_(std::move(tape)) {}

  uint64_t Word() {
    const size_t at = used_++;
    return at < tape_.size() ? tape_[at] : 0;
  }
  // From 0 to n - 1, n at most 2^32; increasing in the word.
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(((Word() >> 32) * static_cast<uint64_t>(n)) >> 32);
  }
  // True that often; the simplest choice is false.
  bool Chance(int64_t of, int64_t in) { return Below(in) >= in - of; }
  // The first is the simplest.
  template <class T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Below(static_cast<int64_t>(choices.size()))];
  }
  size_t used() const { return used_; }

 private:
  std::vector<uint64_t> tape_;
  size_t used_ = 0;
};

// 0 stays 0; everything else spreads over all 64 bits.
inline uint64_t Spread(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_SOURCE_H_
