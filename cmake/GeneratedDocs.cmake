# Pages of docs/ that are generated from the op records: ops/<family>.md, primitives.md and ops-coverage.md.
#   cmake -DBUILD=... -DSOURCE=... -DMODE=write|check -P GeneratedDocs.cmake
# check fails if a page is out of date.
file(STRINGS ${BUILD}/dialects/pd/Records.txt records)
set(families "")
foreach(record ${records})
  get_filename_component(family ${record} DIRECTORY)
  list(APPEND families ${family})
  file(READ ${BUILD}/dialects/pd/ops/${record}.reference.md sections)
  # The banner of mlir-tblgen is a C++ comment.
  string(REGEX REPLACE "^/\\*=[^\n]*\n(\\|\\*[^\n]*\n)*\\\\\\*=[^\n]*\n+" "" sections "${sections}")
  string(APPEND page_${family} "${sections}")
endforeach()
list(REMOVE_DUPLICATES families)

# Primitives by family.
set(primitives "")
set(count 0)
foreach(record ${records})
  get_filename_component(family ${record} DIRECTORY)
  file(STRINGS ${BUILD}/dialects/pd/ops/${record}.reference.md lines REGEX "^(## `pd|- primitive$)")
  foreach(line ${lines})
    if(line MATCHES "^## `(pd\\.([a-z0-9_]+))`$")
      set(op ${CMAKE_MATCH_1})
      set(anchor pd${CMAKE_MATCH_2})
    else()
      string(APPEND primitives_${family} ", [`${op}`](ops/${family}.md#${anchor})")
      math(EXPR count "${count} + 1")
    endif()
  endforeach()
endforeach()
foreach(family ${families})
  if(primitives_${family})
    string(SUBSTRING "${primitives_${family}}" 2 -1 list)
    string(APPEND primitives "- ${family}: ${list}\n")
  endif()
endforeach()

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
  put(ops/${family}.md "# Ops of the pd dialect: ${family}\n\n\
Generated from the records in `dialects/pd/ops/${family}`.\n\n${page_${family}}")
endforeach()

put(primitives.md "# Primitives\n\nThe ${count} ops without a decomposition; every other op is a composite of them. This \
page is generated from the records. Each section describes what the op computes, its operands, dtypes and numbered \
constraints. The reference evaluator computes all of them except those listed in docs/known-gaps.md.\n\n${primitives}")

execute_process(COMMAND ${BUILD}/bin/proa-translate --coverage --format=markdown --cases ${SOURCE}/test/corpus
                OUTPUT_VARIABLE coverage COMMAND_ERROR_IS_FATAL ANY)
put(ops-coverage.md "${coverage}")
if(stale)
  message(FATAL_ERROR "out of date:${stale}\nrun: cmake --build ${BUILD} --target docs")
endif()
