// Whatever the bytes, the reader answers with an array inside the file or with BadFile.
#include <cstddef>
#include <cstdint>
#include <span>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gnomon;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const oracle::TensorFile file = oracle::ParseNpy(oracle::CopyBytes(bytes), "fuzz");
    uint64_t sum = 0;
    for (const auto& [name, view] : file.tensors)
      for (int64_t i = 0; i < view.count(); ++i) sum += BitsAt(view, i);
    volatile uint64_t sink = sum;
    (void)sink;
  } catch (const oracle::BadFile&) {
  }
  return 0;
}
