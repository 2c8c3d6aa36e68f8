# cmake -DCLANG_FORMAT=... -DSOURCE=... -P CheckFormat.cmake: fails with the locations where a C++ file differs from
# .clang-format.
set(files "")
foreach(folder dialects examples include lib passes python test tools translator)
  file(GLOB_RECURSE found ${SOURCE}/${folder}/*.cpp ${SOURCE}/${folder}/*.h)
  list(APPEND files ${found})
endforeach()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror ${files} RESULT_VARIABLE result)
if(result)
  message(FATAL_ERROR "run `${CLANG_FORMAT} -i` on the files named above")
endif()
