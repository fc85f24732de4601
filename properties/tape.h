// Simpler tapes of choices (source.h): what a search for a smaller counterexample tries.
#ifndef GNOMON_PROPERTIES_TAPE_H_
#define GNOMON_PROPERTIES_TAPE_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace gnomon::properties {

using Tape = std::vector<uint64_t>;

// The boldest first: the end cut off, then blocks of zeros, then single choices lowered.
std::vector<Tape> SimplerTapes(const Tape& tape);

// From `tape` to the first simpler one that `accept` takes, and on from there, until none is left:
// after at most `most` questions and about `seconds`.
Tape SimplestTape(Tape tape, const std::function<bool(const Tape&)>& accept, int most,
                  double seconds);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_TAPE_H_
