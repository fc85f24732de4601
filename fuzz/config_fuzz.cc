// Whatever the text, a config.json gives parameters or is refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gnomon;
  try {
    oracle::ParseConfig({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const oracle::BadFile&) {
  } catch (const Rejected&) {
  }
  return 0;
}
