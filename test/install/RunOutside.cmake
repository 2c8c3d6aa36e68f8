# Installs proa into a folder, moves it, and builds and runs the project of this folder against it.
# Arguments: BUILD (proa's build folder), SOURCE (this folder), MODEL, C, CXX (compilers), FLAGS (for both).
set(work ${BUILD}/test/outside)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/installed)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/build -G Ninja -DCMAKE_PREFIX_PATH=${work}/installed
    -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_FLAGS=${FLAGS} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${work}/build)
foreach(program outside-cpp outside-c)
  run(${work}/build/${program} ${MODEL})
  message("${program}: ${output}")
endforeach()
run(${work}/build/outside-runtime)

# A program that only runs compiled libraries must not load LLVM.
run(ldd ${work}/build/outside-runtime)
if(output MATCHES "LLVM|MLIR" OR NOT output MATCHES "${work}/installed/lib/libproa_runtime")
  message(FATAL_ERROR "outside-runtime is linked to:\n${output}")
endif()

# The installed compiler finds the library and the headers beside it.
run(${work}/installed/bin/proa-compile ${MODEL} -o ${work}/libmodel.so --header ${work}/model.h)
run(ldd ${work}/libmodel.so)
if(NOT output MATCHES "${work}/installed/lib/libproa_runtime")
  message(FATAL_ERROR "libmodel.so is linked to:\n${output}")
endif()
