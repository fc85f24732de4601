# find_package(gnomon): a target gnomon::<room> for every library, headers as gnomon/<room>/<name>.h.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(rooms spec reference optimized properties oracle)
list(TRANSFORM rooms PREPEND gnomon_ OUTPUT_VARIABLE libraries)
install(TARGETS ${libraries} EXPORT gnomonTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS gnomon_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET gnomon_fuzz_candidate)
  install(TARGETS gnomon_fuzz_candidate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(room IN LISTS rooms)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.h)
  list(FILTER headers EXCLUDE REGEX "_test\\.h$")
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gnomon/${room})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gnomon)
list(TRANSFORM GNOMON_DEPENDENCIES REPLACE "(.+)" "find_dependency(\\1)" OUTPUT_VARIABLE FIND_DEPENDENCIES)
list(JOIN FIND_DEPENDENCIES "\n" FIND_DEPENDENCIES)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gnomonConfig.cmake.in
  ${PROJECT_BINARY_DIR}/gnomonConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gnomonConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT gnomonTargets NAMESPACE gnomon:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/gnomonConfig.cmake ${PROJECT_BINARY_DIR}/gnomonConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindMpfi.cmake DESTINATION ${package_dir})
