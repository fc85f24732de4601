# MPFI (with MPFR and GMP) has neither a CMake nor a pkg-config file. Defines Mpfi::mpfi.
find_path(MPFI_INCLUDE_DIR mpfi.h)
find_library(MPFI_LIBRARY mpfi)
find_library(MPFR_LIBRARY mpfr)
find_library(GMP_LIBRARY gmp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Mpfi REQUIRED_VARS MPFI_LIBRARY MPFI_INCLUDE_DIR MPFR_LIBRARY GMP_LIBRARY)
mark_as_advanced(MPFI_INCLUDE_DIR MPFI_LIBRARY MPFR_LIBRARY GMP_LIBRARY)
if(Mpfi_FOUND AND NOT TARGET Mpfi::mpfi)
  add_library(Mpfi::mpfi UNKNOWN IMPORTED)
  set_target_properties(Mpfi::mpfi PROPERTIES IMPORTED_LOCATION "${MPFI_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${MPFI_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${MPFR_LIBRARY};${GMP_LIBRARY}")
endif()
