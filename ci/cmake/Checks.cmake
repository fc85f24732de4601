# Tests that look at the tree and at what a user gets, rather than at one room.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(checks ${PROJECT_SOURCE_DIR}/ci/checks)

function(gnomon_check label name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 600 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()

gnomon_check(spec checks.rooms ${Python3_EXECUTABLE} ${checks}/rooms.py ${PROJECT_SOURCE_DIR})
gnomon_check(spec checks.formatted ${Python3_EXECUTABLE} ${checks}/formatted.py ${PROJECT_SOURCE_DIR})
set_tests_properties(checks.formatted PROPERTIES SKIP_RETURN_CODE 77)
gnomon_check(spec checks.trace ${Python3_EXECUTABLE} ${checks}/trace.py ${PROJECT_SOURCE_DIR}
  --out ${PROJECT_BINARY_DIR}/trace.md)
gnomon_check(spec checks.find_planted_faults ${Python3_EXECUTABLE} ${checks}/checks_test.py)
gnomon_check(spec checks.generated_tables ${Python3_EXECUTABLE} ${checks}/schemes.py ${PROJECT_SOURCE_DIR}
  --gnomon ${PROJECT_BINARY_DIR}/bin/gnomon)
gnomon_check(install examples.readme ${Python3_EXECUTABLE} ${checks}/examples.py
  ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_BINARY_DIR}/bin)
# Examples in other languages. What a machine lacks is said, and the test counted as skipped.
foreach(example process_python files_python safetensors_c plugin_rust plugin_cuda)
  gnomon_check(install examples.${example} ${Python3_EXECUTABLE} ${checks}/other_languages.py ${example}
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/bin)
  set_tests_properties(examples.${example} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

include(${PROJECT_SOURCE_DIR}/spec/theories/formal.cmake)

# An instrumented archive cannot be linked by a plain consumer.
if(GNOMON_INSTALL AND NOT GNOMON_SANITIZE AND NOT GNOMON_COVERAGE)
  foreach(way installed subdirectory)
    gnomon_check(install consumer.${way} ${CMAKE_COMMAND} -D WAY=${way} -D SOURCE=${PROJECT_SOURCE_DIR}
      -D BUILD=${PROJECT_BINARY_DIR} -D COMPILER=${CMAKE_CXX_COMPILER}
      -P ${PROJECT_SOURCE_DIR}/ci/cmake/ConsumerTest.cmake)
  endforeach()
endif()
