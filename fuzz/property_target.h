// Fuzz targets over the same properties, generators and judgement as the suite: bytes choose a
// property of the stem and every choice its generator makes.
#ifndef GNOMON_FUZZ_PROPERTY_TARGET_H_
#define GNOMON_FUZZ_PROPERTY_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gnomon/properties/subject.h"

namespace gnomon::fuzz {

// One instance of one property of the stem ("rope"), drawn from the bytes: the first chooses the
// property, the rest are the tape that its generator reads. What is wrong, if something is.
std::optional<std::string> FindWithBytes(properties::Subject& subject, const std::string& stem,
                                         const uint8_t* data, size_t size);

// The same on our kernels: the first byte chooses the target and the mode. A find is printed with
// everything that was asked, and aborts, as libFuzzer wants it. Returns 0.
int FuzzKernels(const std::string& stem, const uint8_t* data, size_t size);

}  // namespace gnomon::fuzz

#endif  // GNOMON_FUZZ_PROPERTY_TARGET_H_
