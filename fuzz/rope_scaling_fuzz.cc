// Every rope_scaling property on every SIMD target of the kernels.
#include "gnomon/fuzz/property_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return gnomon::fuzz::FuzzKernels("rope_scaling", data, size);
}
