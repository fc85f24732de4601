// A case that is read, written and read again is the same case.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gnomon;
  std::string once;
  try {
    once = oracle::ToJson(
        oracle::ParseCaseHeader({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const oracle::BadFile&) {
    return 0;
  } catch (const Rejected&) {
    return 0;
  }
  if (oracle::ToJson(oracle::ParseCaseHeader(once, "again")) != once) std::abort();
  return 0;
}
