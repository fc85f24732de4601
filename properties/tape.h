// Simpler tapes of choices (source.h): what a search for a smaller counterexample tries.
#ifndef GNOMON_PROPERTIES_TAPE_H_
#define GNOMON_PROPERTIES_TAPE_H_

#include <cstdint>
#include <vector>

namespace gnomon::properties {

using Tape = std::vector<uint64_t>;

// The boldest first: the end cut off, then blocks of zeros, then single choices lowered.
std::vector<Tape> SimplerTapes(const Tape& tape);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_TAPE_H_
