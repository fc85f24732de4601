# Tests that look at the tree and at what a user gets, rather than at one room.
function(gnomon_check label name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()

# An instrumented archive cannot be linked by a plain consumer.
if(GNOMON_INSTALL AND NOT GNOMON_SANITIZE AND NOT GNOMON_COVERAGE)
  foreach(way installed subdirectory)
    gnomon_check(install consumer.${way} ${CMAKE_COMMAND} -D WAY=${way} -D SOURCE=${PROJECT_SOURCE_DIR}
      -D BUILD=${PROJECT_BINARY_DIR} -D COMPILER=${CMAKE_CXX_COMPILER}
      -P ${PROJECT_SOURCE_DIR}/ci/cmake/ConsumerTest.cmake)
  endforeach()
endif()
