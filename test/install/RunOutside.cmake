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

# A project without CMake.
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${work}/installed/lib/pkgconfig)
  run(${pkg_config} --cflags --libs proa-runtime)
  if(NOT output MATCHES "-I${work}/installed/.*include .*-lproa_runtime")
    message(FATAL_ERROR "pkg-config: ${output}")
  endif()
endif()
foreach(file LICENSE README.md docs/getting-started.md)
  if(NOT EXISTS ${work}/installed/share/doc/proa/${file})
    message(FATAL_ERROR "share/doc/proa/${file} is not installed")
  endif()
endforeach()

# A pass of an outside project finds the MLIR that proa was built with, and is loaded by the installed proa-opt.
set(plugin ${SOURCE}/../../examples/pass-plugin)
run(${CMAKE_COMMAND} -S ${plugin} -B ${work}/plugin -G Ninja
    -DCMAKE_PREFIX_PATH=${work}/installed
    -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_FLAGS=${FLAGS} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${work}/plugin)
run(${work}/installed/bin/proa-opt --load-pass-plugin=${work}/plugin/FuseRelu6.so
    --pass-pipeline=builtin.module\(fuse-relu6\) ${plugin}/relu6.mlir)
set(direct "${output}")
run(${work}/installed/bin/proa-opt --load-pass-plugin=${work}/plugin/FuseRelu6.so --fuse-relu6 ${plugin}/relu6.mlir)
if(NOT direct STREQUAL output)
  message(FATAL_ERROR "--fuse-relu6 and --pass-pipeline differ:\n${output}")
endif()
string(REGEX MATCHALL "pd\\.(relu6|minimum)" ops "${output}")
if(NOT ops STREQUAL "pd.relu6;pd.minimum")
  message(FATAL_ERROR "expected one pd.relu6 and one pd.minimum:\n${output}")
endif()
run(${work}/installed/bin/proa-run -q --cache off -i random:0 --load-pass-plugin=${work}/plugin/FuseRelu6.so
    --pass-pipeline=builtin.module\(fuse-relu6\) --remarks=fuse-relu6 ${plugin}/relu6.mlir)
foreach(remark "pd.minimum of pd.relu becomes pd.relu6" "y is not 6")
  if(NOT output MATCHES "fuse-relu6: ${remark}")
    message(FATAL_ERROR "expected the remark '${remark}' of the plugin:\n${output}")
  endif()
endforeach()

# The installed compiler finds the library and the headers of its installation.
run(${work}/installed/bin/proa-compile ${MODEL} -o ${work}/libmodel.so --header ${work}/model.h)
run(ldd ${work}/libmodel.so)
if(NOT output MATCHES "${work}/installed/lib/libproa_runtime")
  message(FATAL_ERROR "libmodel.so is linked to:\n${output}")
endif()
