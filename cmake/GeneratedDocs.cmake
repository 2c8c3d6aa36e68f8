# The pages of docs/ that are made from the op records: docs/ops/<family>.md and docs/ops-coverage.md.
#   cmake -DBUILD=... -DSOURCE=... -DMODE=write|check -P GeneratedDocs.cmake
# check fails where a page is not what it would be made to now.
file(STRINGS ${BUILD}/dialects/pd/Records.txt records)
set(families "")
foreach(record ${records})
  get_filename_component(family ${record} DIRECTORY)
  list(APPEND families ${family})
  file(READ ${BUILD}/dialects/pd/${record}.reference.md sections)
  # mlir-tblgen's banner is a comment of C++.
  string(REGEX REPLACE "^/\\*=[^\n]*\n(\\|\\*[^\n]*\n)*\\\\\\*=[^\n]*\n+" "" sections "${sections}")
  string(APPEND page_${family} "${sections}")
endforeach()
list(REMOVE_DUPLICATES families)

set(stale "")
function(put name content)
  set(file ${SOURCE}/docs/${name})
  set(now "")
  if(EXISTS ${file})
    file(READ ${file} now)
  endif()
  if(now STREQUAL content)
    return()
  endif()
  if(MODE STREQUAL "write")
    file(WRITE ${file} "${content}")
    message(STATUS "docs/${name}")
  else()
    set(stale "${stale} docs/${name}" PARENT_SCOPE)
  endif()
endfunction()

foreach(family ${families})
  put(ops/${family}.md "# Ops of the pd dialect: ${family}\n\nMade from the records in `dialects/pd/${family}`.\n\n${page_${family}}")
endforeach()

execute_process(COMMAND ${BUILD}/bin/proa-translate --coverage --format=markdown --cases ${SOURCE}/test/corpus
                OUTPUT_VARIABLE coverage COMMAND_ERROR_IS_FATAL ANY)
put(ops-coverage.md "${coverage}")
if(stale)
  message(FATAL_ERROR "out of date:${stale}\nrun: cmake --build ${BUILD} --target docs")
endif()
