// Mistakes of memory that a case tells all the same, as hypotheses of any scheme: an input taken as
// contiguous, offsets cut to 16 bits, what lies after a row read, something kept of the call
// before.
#ifndef GNOMON_ORACLE_HYPOTHESES_MEMORY_H_
#define GNOMON_ORACLE_HYPOTHESES_MEMORY_H_

#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/hypotheses.h"

namespace gnomon::oracle {

// The bits of an element, by row-major number, where the mistaken kernel looks for them; nothing
// where that is outside the tensor's memory.
std::optional<uint64_t> FindBits(const Change& change, const Tensor& tensor, int64_t number);
// The number that it takes the element for.
std::optional<double> FindNumber(const Change& change, const Tensor& tensor, int64_t number);
// What lies after the last element of a row; 0 elsewhere, and where nothing is read there.
std::optional<double> FindBeyond(const Change& change, const Tensor& tensor, int64_t number);

// What a kernel writes that copies an element as it is stored.
Prediction Copied(const Change& change, Format format, uint64_t bits);

// Inputs that the kernel has kept of the call before: these, where that call had each of them with
// as many elements, else the case's own. Nothing where it is not known what it was asked.
std::optional<std::vector<const Tensor*>> Kept(const Answered& answered,
                                               const std::vector<std::string>& roles);

// Mistakes of Change that FindBits and FindNumber make.
const std::vector<SharedHypothesis>& MemoryHypotheses();
template <typename C>
void AddMemory(std::vector<Entry<C>>* entries) {
  for (const SharedHypothesis& memory : MemoryHypotheses())
    entries->push_back({memory.about, [&memory](const Case&, C* change) {
                          return memory.make(nullptr, &change->shared);
                        }});
}

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_HYPOTHESES_MEMORY_H_
