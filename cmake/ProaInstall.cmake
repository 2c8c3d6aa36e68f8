# What users get: libraries, headers, tools (proa_tool installs each), and the CMake package
#   find_package(proa)   proa::proa     the C++ and C API, include/proa and include/proa-c/proa.h
#                        proa::runtime  what programs compiled ahead of time need, include/proa-c/runtime.h
# The tree may be moved as a whole: paths in it are relative.
include(CMakePackageConfigHelpers)

set(PROA_PACKAGE_DIR lib/cmake/proa)
install(TARGETS proa_shared proa_runtime_shared EXPORT proa LIBRARY DESTINATION lib)
install(DIRECTORY include/ DESTINATION include)
install(EXPORT proa FILE proaTargets.cmake NAMESPACE proa:: DESTINATION ${PROA_PACKAGE_DIR})
configure_package_config_file(cmake/proaConfig.cmake.in ${CMAKE_BINARY_DIR}/proaConfig.cmake
  INSTALL_DESTINATION ${PROA_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/proaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/proaConfig.cmake ${CMAKE_BINARY_DIR}/proaConfigVersion.cmake
        DESTINATION ${PROA_PACKAGE_DIR})
