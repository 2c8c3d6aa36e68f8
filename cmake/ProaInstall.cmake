# What users get: libraries, headers, tools (proa_tool installs each), and the CMake package
#   find_package(proa)   proa::proa     the C++ and C API, include/proa and include/proa-c/proa.h
#                        proa::runtime  what programs compiled ahead of time need, include/proa-c/runtime.h
#   find_package(proa COMPONENTS ir)
#                        proa::ir       headers and TableGen files of the dialects and passes, which are in
#                                       libproa.so: for plugins, and for tools with a main() of their own
#                        proa_pdll(target file) compiles patterns in PDLL
#   lib/pkgconfig, share/doc/proa  the same for pkg-config; licence and documentation
#   share/man, share/bash-completion  pages and completion of the tools (tools/pages)
# The tree may be moved as a whole: paths in it are relative, except the hint where the MLIR of the build is.
include(CMakePackageConfigHelpers)

set(PROA_PACKAGE_DIR lib/cmake/proa)
install(TARGETS proa_shared proa_runtime_shared EXPORT proa LIBRARY DESTINATION lib)
install(DIRECTORY include/ DESTINATION include)

# Dialects and passes for projects that write passes on pd. Their headers keep their paths below a separate folder.
set(PROA_IR_DIR include/proa-ir)
add_library(proa_ir INTERFACE)
set_target_properties(proa_ir PROPERTIES EXPORT_NAME ir)
target_include_directories(proa_ir INTERFACE $<INSTALL_INTERFACE:${PROA_IR_DIR}> $<INSTALL_INTERFACE:include>)
target_compile_features(proa_ir INTERFACE cxx_std_20)
target_link_libraries(proa_ir INTERFACE proa_shared)
install(TARGETS proa_ir EXPORT proa)
foreach(folder dialects passes lib/base/spmd lib/base/support lib/base/target)
  install(DIRECTORY ${folder} DESTINATION ${PROA_IR_DIR}/$<PATH:GET_PARENT_PATH,${folder}>
          FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "*.pdll")
endforeach()
foreach(folder dialects passes)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/${folder} DESTINATION ${PROA_IR_DIR}
          FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc" PATTERN "pd.td" PATTERN "CMakeFiles" EXCLUDE)
endforeach()

install(EXPORT proa FILE proaTargets.cmake NAMESPACE proa:: DESTINATION ${PROA_PACKAGE_DIR})
configure_package_config_file(cmake/proaConfig.cmake.in ${PROJECT_BINARY_DIR}/proaConfig.cmake
  INSTALL_DESTINATION ${PROA_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# For builds without CMake: pkg-config --cflags --libs proa, or proa-runtime.
foreach(package proa proa-runtime)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION lib/pkgconfig)
endforeach()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/proa)
install(DIRECTORY docs DESTINATION share/doc/proa FILES_MATCHING PATTERN "*.md")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/ProaPdll.cmake
              ${PROJECT_BINARY_DIR}/proaConfig.cmake ${PROJECT_BINARY_DIR}/proaConfigVersion.cmake
        DESTINATION ${PROA_PACKAGE_DIR})
