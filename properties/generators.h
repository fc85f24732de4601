// Generators that every scheme shares: numbers by exponent and bit pattern, positions where formats
// and tables end, memory with strides and guard zones. Each draws from a Source, whose zeros are
// the simplest choices.
#ifndef GNOMON_PROPERTIES_GENERATORS_H_
#define GNOMON_PROPERTIES_GENERATORS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "gnomon/properties/limits.h"
#include "gnomon/properties/source.h"
#include "gnomon/spec/case.h"

namespace gnomon::properties {

// What a tensor of numbers is made of.
enum class Numbers {
  kWhole,    // integers 1 to 8, and their negatives
  kUnit,     // random significands in (-2, 2)
  kEdges,    // powers of two and their neighbours, zeros of both signs
  kUnequal,  // magnitudes that differ by up to 2^24 (2^6 where the format is f16)
  kWide,     // every exponent of the format, subnormals and the largest included
  kSpecial,  // the same, with NaN, infinities and signed zeros among them
};
// Values of the format; kWhole to kUnequal stay within 2^13 of 1, so sums of two cannot overflow.
double DrawNumber(Source& source, Format format, Numbers kind);
// One of the four kinds that no operation here can make overflow.
Numbers DrawTame(Source& source);

// |position| < limit, or limit = 2^31 and any position: small, around powers of two, where 16-bit
// and 24-bit significands end, anywhere; of either sign.
int64_t DrawPosition(Source& source, int64_t limit);

// A positive base of frequencies, or an exact decimal.
Number DrawBase(Source& source);
// An explicit frequency: ordinary, zero, negative, huge, tiny.
Number DrawFrequency(Source& source);

// Extents of axes whose every index brings `inner` elements: from 1 to the usual ones. Now and then
// one axis is long, beyond the lanes, blocks and threads that kernels divide it among, and the
// others have one index or two.
std::vector<int64_t> DrawExtents(Source& source, std::initializer_list<int64_t> usual,
                                 int64_t inner);

// Memory of that shape with guard zones before and after, every byte `fill`, contiguous.
Tensor Guarded(DType dtype, const Shape& shape, uint8_t fill = 0xff);
// The same with strides drawn: padded rows, permuted axes, reversed axes, now and then rows so far
// apart that an offset needs more than 16 bits.
Tensor DrawStrided(Source& source, DType dtype, const Shape& shape, uint8_t fill = 0xff);
// One of the two, inside the limits.
Tensor DrawMemory(Source& source, const Limits& limits, bool strided, DType dtype,
                  const Shape& shape, uint8_t fill);
// Of an input of integers.
DType DrawIntegerType(Source& source, const Limits& limits, const std::string& role);
// Adds or drops a leading axis where the limits want another rank.
void FitRank(const Limits& limits, const std::string& role, Shape* shape);
// The elements of `values`, in the memory of `to`.
void CopyElements(const Tensor& values, Tensor* to);
// The same elements in contiguous memory.
Tensor Contiguous(const Tensor& values);
// The rows that `index` names, along one axis, in contiguous memory.
Tensor Gather(const Tensor& from, size_t axis, const std::vector<int64_t>& index);
// Sets every byte of storage that belongs to no element.
void FillPadding(Tensor* tensor, uint8_t fill);
// Number of the first byte of storage where the two differ though no element owns it, or -1.
int64_t FirstChangedPadding(const Tensor& before, const Tensor& after);
// Elements whose stored bits differ: the first one's number, or -1.
int64_t FirstDifference(const Tensor& a, const Tensor& b);

// A tensor of integers, I64, with those elements.
Tensor Integers(const Shape& shape, const std::function<int64_t(int64_t)>& element);

// The case with one input replaced.
Case With(Case c, const std::string& role, Tensor tensor);
// The case with one parameter set.
Case WithParameter(Case c, const std::string& name, Value value);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_GENERATORS_H_
