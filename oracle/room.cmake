target_link_libraries(gnomon_oracle PRIVATE CLI11::CLI11 ${CMAKE_DL_LIBS})

# Plug-ins for the tests, as their authors would build them: plain, whatever this tree is built with.
if(GNOMON_TESTS)
  function(gnomon_plugin name source)
    add_library(${name} MODULE ${source})
    target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/oracle)
    target_compile_options(${name} PRIVATE -Wall -Wextra -Werror ${ARGN})
    target_link_libraries(${name} PRIVATE m)
    set_target_properties(${name} PROPERTIES PREFIX "" C_STANDARD 99 C_VISIBILITY_PRESET hidden
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/plugins)
    add_dependencies(gnomon_oracle_plugins ${name})
  endfunction()
  add_custom_target(gnomon_oracle_plugins)
  gnomon_plugin(evil_plugin ${PROJECT_SOURCE_DIR}/oracle/testing/evil_plugin.c)
  gnomon_plugin(no_plugin ${PROJECT_SOURCE_DIR}/oracle/testing/evil_plugin.c -DGNOMON_EVIL_WITHOUT_SYMBOL)
  gnomon_plugin(example_plugin_c ${PROJECT_SOURCE_DIR}/oracle/examples/plugin_c/rope.c)
  gnomon_plugin(example_plugin_cpp ${PROJECT_SOURCE_DIR}/oracle/examples/plugin_cpp/plugin.cc)
  add_dependencies(gnomon_oracle gnomon_oracle_plugins)

  # The same kernel behind a pipe, and as a program that answers files.
  add_executable(plugin_bridge ${PROJECT_SOURCE_DIR}/oracle/testing/bridge_main.cc)
  target_link_libraries(plugin_bridge PRIVATE gnomon_oracle gnomon_flags)
endif()
