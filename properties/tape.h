// Simpler tapes of choices (source.h): what a search for a smaller counterexample tries.
#ifndef GNOMON_PROPERTIES_TAPE_H_
#define GNOMON_PROPERTIES_TAPE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace gnomon::properties {

using Tape = std::vector<uint64_t>;

// Choices enough for the longest axes (generators.h), so that what is drawn last is not all zeros.
inline constexpr size_t kTapeLength = 8192;

// The boldest first: the end cut off, then blocks of zeros, then single choices lowered.
std::vector<Tape> SimplerTapes(const Tape& tape);

// From `tape` to the first simpler one that `accept` takes, and on from there, until none is left:
// after at most `most` questions and about `seconds`. `accept` says how many choices of one that it
// takes were used; the others are cut off.
Tape SimplestTape(Tape tape, const std::function<std::optional<size_t>(const Tape&)>& accept,
                  int most, double seconds);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_TAPE_H_
