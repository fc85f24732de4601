// Whatever the bytes, the reader answers with tensors inside the file or with BadFile; a file that
// states a case is judged or refused, never anything else.
#include <cstddef>
#include <cstdint>
#include <span>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gnomon;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const oracle::TensorFile file = oracle::ParseSafetensors(oracle::CopyBytes(bytes), "fuzz");
    uint64_t sum = 0;
    for (const auto& [name, view] : file.tensors)
      for (int64_t i = 0; i < view.count(); ++i) sum += BitsAt(view, i);
    volatile uint64_t sink = sum;  // the reads must happen
    (void)sink;
    if (const auto found = file.metadata.find("gnomon.case"); found != file.metadata.end())
      oracle::ParseCaseHeader(found->second, "fuzz");
  } catch (const oracle::BadFile&) {
  } catch (const Rejected&) {
  }
  return 0;
}
