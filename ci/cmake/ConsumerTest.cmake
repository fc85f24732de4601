# cmake -D WAY=installed|subdirectory -D SOURCE=.. -D BUILD=.. -D COMPILER=.. -P ConsumerTest.cmake
# Builds and runs ci/consumer against the build folder's staged installation, or against the sources.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(work ${BUILD}/consumer/${WAY})
set(options -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=${COMPILER})
if(WAY STREQUAL "installed")
  file(REMOVE_RECURSE ${work})
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/stage)
  run(${work}/stage/bin/gnomon --help)
  list(APPEND options -DCMAKE_PREFIX_PATH=${work}/stage)
else()
  list(APPEND options -DGNOMON_SOURCE=${SOURCE})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/ci/consumer -B ${work}/build -G Ninja ${options})
run(${CMAKE_COMMAND} --build ${work}/build --target consumer)
run(${work}/build/consumer)
