# Each <name>_fuzz.cc is a target: with libFuzzer under the preset `fuzz`, elsewhere a program that
# replays files. Its corpus and its finds, fuzz/corpus/<name>/, are replayed by ctest either way.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cc)
if(GNOMON_TESTS OR GNOMON_FUZZERS)
  add_custom_target(fuzzers)  # all of them, and nothing else
  foreach(source ${fuzz_sources})
    get_filename_component(target ${source} NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" name ${target})
    add_executable(${target} ${source})
    add_dependencies(fuzzers ${target})
    target_link_libraries(${target} PRIVATE gnomon_fuzz gnomon_flags nlohmann_json::nlohmann_json)
    if(GNOMON_FUZZERS)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    else()
      target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
    endif()
    if(GNOMON_TESTS)
      set(replay ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
      if(GNOMON_FUZZERS)
        set(replay -runs=0 ${replay})
      endif()
      add_test(NAME fuzz.replay.${name} COMMAND ${target} ${replay})
      set_tests_properties(fuzz.replay.${name} PROPERTIES LABELS fuzz-replay TIMEOUT 600)
    endif()
  endforeach()
endif()

# `gnomon fuzz` runs this program: the search of candidates, with clang's libFuzzer linked in. Plug-ins
# built with -fsanitize=fuzzer-no-link find its counters, so it exports its symbols.
file(GLOB runtimes /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR}.a)
list(POP_BACK runtimes newest)
set(GNOMON_FUZZER_RUNTIME "${newest}" CACHE FILEPATH "libclang_rt.fuzzer_no_main of clang")
mark_as_advanced(GNOMON_FUZZER_RUNTIME)
if(GNOMON_FUZZER_RUNTIME AND NOT GNOMON_SANITIZE)
  add_executable(gnomon_fuzz_candidate ${PROJECT_SOURCE_DIR}/fuzz/candidate_main.cc)
  set_target_properties(gnomon_fuzz_candidate PROPERTIES OUTPUT_NAME gnomon-fuzz ENABLE_EXPORTS ON)
  target_link_libraries(gnomon_fuzz_candidate PRIVATE gnomon_fuzz gnomon_flags
    -Wl,--whole-archive ${GNOMON_FUZZER_RUNTIME} -Wl,--no-whole-archive)
endif()

# The candidate of the test. Clang's coverage leads the search; without clang it is searched unled.
if(GNOMON_TESTS)
  set(candidate ${PROJECT_SOURCE_DIR}/oracle/examples/fuzzing/three_bugs.c)
  find_program(GNOMON_CLANG NAMES clang-14 clang)
  mark_as_advanced(GNOMON_CLANG)
  if(GNOMON_CLANG)
    set(library ${PROJECT_BINARY_DIR}/bin/plugins/three_bugs.so)
    add_custom_command(OUTPUT ${library} DEPENDS ${candidate} ${PROJECT_SOURCE_DIR}/oracle/gnomon_plugin.h
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/bin/plugins
      COMMAND ${GNOMON_CLANG} -std=c99 -O2 -shared -fPIC -fsanitize=fuzzer-no-link -Wall -Wextra -Werror
        -I ${PROJECT_SOURCE_DIR}/oracle ${candidate} -o ${library} -lm)
    add_custom_target(three_bugs ALL DEPENDS ${library})
  else()
    gnomon_plugin(three_bugs ${candidate})
  endif()
endif()
