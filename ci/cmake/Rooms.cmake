# A room is a folder. Its .cc files make the library gnomon_<room> (gnomon::<room>), each of its
# _test.cc files a test program, each of its _bench.cc files a benchmark. Files are found by pattern:
# adding a scheme edits no list here.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/gnomon SYMBOLIC)

function(gnomon_room room)
  cmake_parse_arguments(ARG "" "" "USES;LINKS;LINKS_PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cc)
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|/fuzz/[a-z_]+_fuzz|/main|_main)\\.cc$")
  set(library gnomon_${room})
  list(TRANSFORM ARG_USES PREPEND gnomon_)
  if(sources)
    add_library(${library} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${library} PUBLIC ${ARG_USES} ${ARG_LINKS} PRIVATE
      $<BUILD_INTERFACE:gnomon_flags> ${ARG_LINKS_PRIVATE})
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${library} INTERFACE ${ARG_USES} ${ARG_LINKS})
  endif()
  target_include_directories(${library} ${scope} $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                                 $<INSTALL_INTERFACE:include>)
  target_compile_features(${library} ${scope} cxx_std_20)
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${room} POSITION_INDEPENDENT_CODE ON)
  add_library(gnomon::${room} ALIAS ${library})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${room}/room.cmake)
    include(${PROJECT_SOURCE_DIR}/${room}/room.cmake)
  endif()
  if(GNOMON_TESTS)
    foreach(test ${tests})
      gnomon_test(${room} ${test})
    endforeach()
  endif()
  if(GNOMON_BENCH)
    foreach(bench ${benches})
      get_filename_component(name ${bench} NAME_WE)
      add_executable(${name} ${bench})
      target_link_libraries(${name} PRIVATE gnomon_${room} gnomon_flags)
      target_compile_definitions(${name} PRIVATE HWY_COMPILE_ALL_ATTAINABLE HWY_WANT_AVX3_DL)
      if(GNOMON_SLEEF_LIBRARY)
        target_link_libraries(${name} PRIVATE ${GNOMON_SLEEF_LIBRARY})
        target_compile_definitions(${name} PRIVATE GNOMON_HAVE_SLEEF)
      endif()
    endforeach()
  endif()
endfunction()

# ctest label of a test: that of its first line "// ctest: <label>", else unit. A test that takes minutes
# has "Slow" in its name: the test preset quick leaves it out.
function(gnomon_test room source)
  get_filename_component(name ${source} NAME_WE)
  set(program ${room}_${name})
  file(STRINGS ${source} first LIMIT_COUNT 1)
  set(label unit)
  if(first MATCHES "^// ctest: ([a-z-]+)")
    set(label ${CMAKE_MATCH_1})
  endif()
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)  # instrumented plug-ins look for hooks
  # A test may look into any room.
  target_link_libraries(${program} PRIVATE gnomon_flags gnomon_${room} gnomon_oracle gnomon_properties gnomon_optimized
    gnomon_reference gnomon_spec hwy::hwy fmt::fmt nlohmann_json::nlohmann_json GTest::gtest GTest::gtest_main)
  target_compile_definitions(${program} PRIVATE GNOMON_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    GNOMON_BIN_DIR="${PROJECT_BINARY_DIR}/bin" HWY_COMPILE_ALL_ATTAINABLE HWY_WANT_AVX3_DL HWY_IS_TEST)
  include(GoogleTest)
  set(after)
  if(label STREQUAL formal)  # reads the names that Coq wrote
    set(after FIXTURES_REQUIRED formal_names)
  endif()
  gtest_discover_tests(${program} TEST_PREFIX ${room}. DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES NO_PRETTY_TYPES
    PROPERTIES LABELS ${label} TIMEOUT 600 ${after})
endfunction()
