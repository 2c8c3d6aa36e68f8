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
# Libraries with the property PROA_DEVICE_HEADERS, which lower kernels to LLVM IR, use a second one: these headers take
# 5 s to parse.
set(device_headers
  mlir/Dialect/GPU/IR/GPUDialect.h mlir/Dialect/LLVMIR/LLVMDialect.h mlir/Dialect/LLVMIR/NVVMDialect.h
  mlir/Dialect/Linalg/IR/Linalg.h mlir/Dialect/MemRef/IR/MemRef.h mlir/Dialect/Vector/IR/VectorOps.h
  mlir/Target/LLVMIR/ModuleTranslation.h)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
get_directory_property(options COMPILE_OPTIONS)
if(build_type STREQUAL "DEBUG" AND NOT LLVM_ENABLE_ASSERTIONS)
  list(APPEND flags -DNDEBUG) # as ProaBuild.cmake does for all files
endif()
list(APPEND flags ${options} -std=c++20 -fPIC -fvisibility=default -DFMT_SHARED -isystem ${MLIR_INCLUDE_DIRS})

list(GET MLIR_INCLUDE_DIRS 0 MLIR_INCLUDE_DIR)
function(proa_precompile name)
  list(TRANSFORM ARGN PREPEND "-include;" OUTPUT_VARIABLE includes)
  set(pch ${PROJECT_BINARY_DIR}/${name}.pch)
  add_custom_command(OUTPUT ${pch}
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -Xclang -fno-pch-timestamp -fpch-instantiate-templates
            ${includes} -x c++-header ${MLIR_INCLUDE_DIR}/mlir/IR/Builders.h
            -o ${pch} -MD -MF ${pch}.d -MT ${pch}
    DEPFILE ${pch}.d
    COMMENT "precompiling MLIR's headers: ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
proa_precompile(mlir ${headers})
proa_precompile(device ${headers} ${device_headers})
add_custom_target(proa_precompiled DEPENDS ${PROJECT_BINARY_DIR}/mlir.pch ${PROJECT_BINARY_DIR}/device.pch)
add_dependencies(proa_mlir proa_precompiled)
# All users must be position independent, executables too.
set(used $<IF:$<BOOL:$<TARGET_PROPERTY:PROA_DEVICE_HEADERS>>,device,mlir>)
target_compile_options(proa_mlir INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${PROJECT_BINARY_DIR}/${used}.pch -fPIC>")
