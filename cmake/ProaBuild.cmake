# Functions for the CMakeLists.txt of the folders, which then only list files and links.
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(${CMAKE_CURRENT_LIST_DIR}/ProaPdll.cmake)

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-designated-field-initializers
  -fno-semantic-interposition)
# Link only needed libraries: OpenBLAS alone starts threads that keep a core busy for 100 ms.
add_link_options(LINKER:--as-needed)
# Without it LLVM's headers lay out pass statistics as in a library with assertions.
if(NOT LLVM_ENABLE_ASSERTIONS)
  add_compile_definitions($<$<CONFIG:Debug>:NDEBUG>)
endif()
if(PROA_SANITIZE)
  add_compile_options(-fsanitize=${PROA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PROA_SANITIZE})
endif()
if(PROA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# For proa_pdll.
set(PROA_PDLL_FOLDERS ${PROJECT_SOURCE_DIR}/passes/patterns ${PROJECT_BINARY_DIR})
set(PROA_PDLL_FILES ${PROJECT_SOURCE_DIR}/passes/patterns/pd.pdll ${PROJECT_BINARY_DIR}/dialects/pd/pd.td)

# The compile flags and include paths of every proa target.
add_library(proa_flags INTERFACE)
target_include_directories(proa_flags INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/include)

# The same for code that uses LLVM and MLIR, whose headers are system headers to suppress warnings.
add_library(proa_mlir INTERFACE)
target_include_directories(proa_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(proa_mlir INTERFACE proa_flags
  "$<IF:$<BOOL:$<TARGET_PROPERTY:PROA_LLVM_ARCHIVES>>,proa_mlir_archives,MLIR;LLVM>")
include(PrecompiledHeader)

# LLVM and MLIR as archives, for executables with the property PROA_LLVM_ARCHIVES, which link only needed objects.
# Loading the shared libraries takes six times the start-up time of a tool that does not compile. By path: the CMake
# targets of MLIR's archives require the shared LLVM.
file(GLOB mlir_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a)
list(JOIN mlir_archives "," mlir_archives)
find_library(ZLIB_LIBRARY z REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
add_library(proa_mlir_archives INTERFACE)
target_link_libraries(proa_mlir_archives INTERFACE "$<LINK_GROUP:RESCAN,${mlir_archives}>"
  ${LLVM_LIBRARY_DIR}/libLLVMSupport.a ${LLVM_LIBRARY_DIR}/libLLVMDemangle.a ${ZLIB_LIBRARY} ${ZSTD_LIBRARY})

# Executables with the property PROA_SHARED take all archives of proa, which have the property PROA_IN_SHARED, from
# libproa.so (lib/dylib). Others link the archives that they name.
#
# proa_link_items(variable lib ...): the items of target_link_libraries for these libraries.
function(proa_link_items variable)
  set(items "")
  foreach(item ${ARGN})
    if(item MATCHES "^proa_" AND NOT item MATCHES "^proa_(flags|mlir|shared|runtime_shared)$")
      set(in_shared
        "$<AND:$<BOOL:$<TARGET_PROPERTY:PROA_SHARED>>,$<BOOL:$<TARGET_PROPERTY:${item},PROA_IN_SHARED>>>")
      set(item "$<IF:${in_shared},proa_shared,${item}>")
    endif()
    list(APPEND items "${item}")
  endforeach()
  set(${variable} "${items}" PARENT_SCOPE)
endfunction()

# proa_library(name SOURCES a.cpp ... LINK lib ... [MLIR]): a static library of proa.
# With MLIR it may include MLIR headers. Libraries of tools and tests are not part of libproa.so.
function(proa_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  proa_link_items(link ${ARG_LINK})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC proa_flags ${link})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC proa_mlir)
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  if(NOT folder MATCHES "^(tools|test)/")
    set_target_properties(${name} PROPERTIES PROA_IN_SHARED ON)
    set_property(GLOBAL APPEND PROPERTY PROA_ARCHIVES ${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# proa_tool(name SOURCES main.cpp LINK lib ...): a command-line tool, installed into bin/.
function(proa_tool name)
  if(NOT TARGET tools)
    add_custom_target(tools) # all of them, without tests, benchmarks and examples
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  proa_link_items(link ${ARG_LINK})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE proa_flags ${link})
  # LLVM's libraries are in a folder of their own. Exit codes of tools have names of MLIR's functions.
  set_target_properties(${name} PROPERTIES PROA_SHARED ON UNITY_BUILD OFF
                                           INSTALL_RPATH "$ORIGIN/../lib" INSTALL_RPATH_USE_LINK_PATH ON)
  add_dependencies(tools ${name})
  if(PROA_INSTALL)
    install(TARGETS ${name} RUNTIME DESTINATION bin)
  endif()
endfunction()

# proa_unit_test(name SOURCES a.cpp ... LINK lib ... [MLIR] [NO_TEST]): one GoogleTest program, registered with ctest
# unless NO_TEST is given. With MLIR it uses libproa.so; others link archives, so that they need little to be built.
function(proa_unit_test name)
  cmake_parse_arguments(ARG "MLIR;NO_TEST" "" "SOURCES;LINK" ${ARGN})
  proa_link_items(link ${ARG_LINK})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE proa_flags ${link} GTest::gtest_main GTest::gmock)
  set_target_properties(${name} PROPERTIES PROA_SHARED ${ARG_MLIR})
  # Tests that use the namespace proa have a second `testing` before headers of later files.
  set_target_properties(${name} PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE "#include <gmock/gmock.h>")
  target_compile_definitions(${name} PRIVATE PROA_CORPUS_DIR="${PROJECT_SOURCE_DIR}/test/corpus"
                                             PROA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT ARG_NO_TEST)
    add_test(NAME unit/${name} COMMAND ${name})
    set_tests_properties(unit/${name} PROPERTIES ENVIRONMENT PROA_VERIFY_PASSES=1)
  endif()
endfunction()

# proa_tablegen(TOOL record.td output.inc args...): runs mlir-tblgen or proa-tblgen on a .td file of this folder and
# appends the output to PROA_TABLEGEN_OUTPUTS of the calling folder.
function(proa_tablegen tool input output)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${output})
  if(tool STREQUAL "proa-tblgen")
    set(exe $<TARGET_FILE:proa-tblgen>)
    set(dep proa-tblgen)
  else()
    find_program(PROA_MLIR_TBLGEN mlir-tblgen PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
    set(exe ${PROA_MLIR_TBLGEN})
    set(dep)
  endif()
  add_custom_command(OUTPUT ${out}
    COMMAND ${exe} ${ARGN} ${CMAKE_CURRENT_SOURCE_DIR}/${input} -I ${PROJECT_SOURCE_DIR}
            -I ${MLIR_INCLUDE_DIRS} -o ${out} -d ${out}.d --write-if-changed
    DEPENDS ${dep} ${CMAKE_CURRENT_SOURCE_DIR}/${input}
    DEPFILE ${out}.d
    COMMENT "tablegen ${output}")
  set(PROA_TABLEGEN_OUTPUTS ${PROA_TABLEGEN_OUTPUTS} ${out} PARENT_SCOPE)
endfunction()
