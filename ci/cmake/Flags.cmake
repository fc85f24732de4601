# Flags of every target of ours. -ffp-contract=off: every rounding argument counts operations.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
add_library(gnomon_flags INTERFACE)
target_compile_options(gnomon_flags INTERFACE -Wall -Wextra -Werror -ffp-contract=off -fno-fast-math)
if(GNOMON_SANITIZE)
  target_compile_options(gnomon_flags INTERFACE -fsanitize=${GNOMON_SANITIZE} -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer -g)
  target_link_options(gnomon_flags INTERFACE -fsanitize=${GNOMON_SANITIZE})
endif()
if(GNOMON_FUZZERS)  # libFuzzer's guidance needs every library instrumented
  target_compile_options(gnomon_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(GNOMON_COVERAGE)
  target_compile_options(gnomon_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(gnomon_flags INTERFACE --coverage)
endif()
# Code around the truth, of which no speed is asked: -O1 takes two thirds of the time to compile. g++ 12
# then raises false alarms about std::string (GCC's bugs 105329, 105651).
add_library(gnomon_quick_build INTERFACE)
target_compile_options(gnomon_quick_build INTERFACE $<$<CONFIG:Release>:-O1
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow>>)
