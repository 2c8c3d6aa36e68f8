# The precompiled header of proa_mlir, for clang: files that include MLIR's headers compile in half the time
# (measured; g++ gains nothing). It has headers of packages only, so that edits of the project do not rebuild it, and
# its flags name no folder of the project, so that a compiler cache can share it between checkouts.
option(PROA_PRECOMPILED_HEADER "Precompile MLIR's headers (clang only)" ON)
if(NOT PROA_PRECOMPILED_HEADER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  return()
endif()

set(headers
  algorithm array cmath cstring limits map memory numeric optional string vector
  fmt/format.h fmt/ranges.h
  llvm/ADT/DenseMap.h llvm/ADT/StringMap.h llvm/ADT/StringSet.h
  mlir/Bytecode/BytecodeOpInterface.h
  mlir/IR/BuiltinOps.h mlir/IR/BuiltinTypes.h mlir/IR/Dialect.h mlir/IR/IRMapping.h mlir/IR/Matchers.h
  mlir/IR/OpDefinition.h mlir/IR/OpImplementation.h mlir/IR/PatternMatch.h mlir/IR/TypeUtilities.h
  mlir/Interfaces/InferTypeOpInterface.h mlir/Interfaces/SideEffectInterfaces.h
  mlir/Dialect/Arith/IR/Arith.h mlir/Dialect/Func/IR/FuncOps.h mlir/Dialect/SCF/IR/SCF.h
    mlir/Dialect/Tensor/IR/Tensor.h)
list(TRANSFORM headers PREPEND "-include;" OUTPUT_VARIABLE includes)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
get_directory_property(options COMPILE_OPTIONS)
list(APPEND flags ${options} -std=c++20 -fPIC -fvisibility=default -DFMT_SHARED -isystem ${MLIR_INCLUDE_DIRS})

list(GET MLIR_INCLUDE_DIRS 0 MLIR_INCLUDE_DIR)
set(pch ${PROJECT_BINARY_DIR}/mlir.pch)
add_custom_command(OUTPUT ${pch}
  COMMAND ${CMAKE_CXX_COMPILER} ${flags} -Xclang -fno-pch-timestamp -fpch-instantiate-templates
          ${includes} -x c++-header ${MLIR_INCLUDE_DIR}/mlir/IR/Builders.h
          -o ${pch} -MD -MF ${pch}.d -MT ${pch}
  DEPFILE ${pch}.d
  COMMENT "precompiling MLIR's headers"
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(proa_precompiled DEPENDS ${pch})
add_dependencies(proa_mlir proa_precompiled)
# All users must be position independent, executables too.
target_compile_options(proa_mlir INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${pch} -fPIC>")
