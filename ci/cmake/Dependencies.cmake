# Everything we build on; ci/setup installs it on Debian. A consumer of an installed gnomon must find the
# list too, for the archives' sake (Install.cmake). rapidcheck has no version file.
set(GNOMON_DEPENDENCIES
  "Boost 1.74" "Mpfi" "hwy 1.0.3 CONFIG" "rapidcheck CONFIG" "nlohmann_json 3.11 CONFIG" "fmt 9 CONFIG"
  "CLI11 2.1 CONFIG" "OpenSSL 3 COMPONENTS Crypto")
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # a project that adds us as a subdirectory links them too
foreach(dependency IN LISTS GNOMON_DEPENDENCIES)
  separate_arguments(words UNIX_COMMAND ${dependency})
  find_package(${words} REQUIRED)
endforeach()
if(GNOMON_TESTS)
  find_package(GTest 1.12 CONFIG REQUIRED)
endif()
if(GNOMON_BENCH)
  find_library(GNOMON_SLEEF_LIBRARY sleef)
endif()
