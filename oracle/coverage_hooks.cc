// A plug-in that clang instrumented for `gnomon fuzz` (-fsanitize=fuzzer-no-link) calls these.
// Where libFuzzer is linked in, its own take their place; everywhere else the plug-in still loads,
// and what it counts is nobody's business.
#include <cstdint>

#include "gnomon/oracle/plugin_library.h"

#define GNOMON_HOOK __attribute__((weak, visibility("default")))

extern "C" {

GNOMON_HOOK thread_local uintptr_t __sancov_lowest_stack = 0;
GNOMON_HOOK void __sanitizer_cov_8bit_counters_init(uint8_t*, uint8_t*) {}
GNOMON_HOOK void __sanitizer_cov_pcs_init(const uintptr_t*, const uintptr_t*) {}
GNOMON_HOOK void __sanitizer_cov_trace_cmp1(uint8_t, uint8_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_cmp2(uint16_t, uint16_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_cmp4(uint32_t, uint32_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_cmp8(uint64_t, uint64_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_const_cmp1(uint8_t, uint8_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_const_cmp2(uint16_t, uint16_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_const_cmp4(uint32_t, uint32_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_const_cmp8(uint64_t, uint64_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_switch(uint64_t, uint64_t*) {}
GNOMON_HOOK void __sanitizer_cov_trace_div4(uint32_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_div8(uint64_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_gep(uintptr_t) {}
GNOMON_HOOK void __sanitizer_cov_trace_pc_indir(uintptr_t) {}

}  // extern "C"

namespace gnomon::oracle {

// Called, so that the linker takes this file out of its archive.
void OfferCoverageHooks() {}

}  // namespace gnomon::oracle
