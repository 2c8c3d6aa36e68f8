# Pages of docs/ that are generated from the op records: ops/<family>.md, primitives.md, ops-coverage.md, onnx-ops.md
# and dist-reference.md.
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

# List NAME_list of the ops of a kind, by family, and their number NAME_count.
function(list_ops name kind)
  set(count 0)
  foreach(record ${records})
    get_filename_component(family ${record} DIRECTORY)
    file(STRINGS ${BUILD}/dialects/pd/ops/${record}.reference.md lines REGEX "^(## `pd|- ${kind}$)")
    foreach(line ${lines})
      if(line MATCHES "^## `(pd\\.([a-z0-9_]+))`$")
        set(op ${CMAKE_MATCH_1})
        set(anchor pd${CMAKE_MATCH_2})
      else()
        string(APPEND ops_${family} ", [`${op}`](ops/${family}.md#${anchor})")
        math(EXPR count "${count} + 1")
      endif()
    endforeach()
  endforeach()
  set(list "")
  foreach(family ${families})
    if(ops_${family})
      string(SUBSTRING "${ops_${family}}" 2 -1 ops)
      string(APPEND list "- ${family}: ${ops}\n")
    endif()
  endforeach()
  set(${name}_list "${list}" PARENT_SCOPE)
  set(${name}_count ${count} PARENT_SCOPE)
endfunction()
list_ops(primitive "primitive")
list_ops(library "library op")

# The rows of the table of library ops: what each transform does with it.
set(library_rows "")
foreach(record ${records})
  get_filename_component(family ${record} DIRECTORY)
  file(STRINGS ${BUILD}/dialects/pd/ops/${record}.reference.md lines REGEX "^(## `pd|- transforms: )")
  foreach(line ${lines})
    if(line MATCHES "^## `(pd\\.([a-z0-9_]+))`$")
      set(link "[`${CMAKE_MATCH_1}`](ops/${family}.md#pd${CMAKE_MATCH_2})")
    else()
      string(REGEX REPLACE
             "^- transforms: evaluation (.*). derivative (.*). batching (.*). sharding (.*). lowering (.*)$"
             "\\1 | \\2 | \\3 | \\4 | \\5" cells "${line}")
      string(APPEND library_rows "| ${link} | ${cells} |\n")
    endif()
  endforeach()
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

put(primitives.md "# Kinds of ops\n\nEach op is a primitive, a composite or a library op. This page is generated from \
the records.\n\n\
| kind | definition |\n|---|---|\n\
| primitive | has the field `scalar`, `reduction`, `indexingMap` or `evaluates`, and no decomposition. Every transform \
handles \
it: reference evaluation, derivatives, batching, sharding, lowering (checked by `compiler-test`) |\n\
| composite | has a decomposition, which defines it. Transforms without a rule for it use the decomposition |\n\
| library op | an opaque op that a kernel of the runtime computes. Its record states what each transform does with it \
(the table below) |\n\n\
## Primitives\n\n${primitive_count} ops:\n\n${primitive_list}\n\
## Library ops\n\n${library_count} ops. What their records state, checked by `compiler-test`:\n\n\
- evaluation: by a `reference kernel`, as a `constant`, or `none`: the reference evaluator refuses the op\n\
- derivative, in forward and reverse mode: a `rule`; `zero`, because no operand or no result holds floats; `none`: an \
error\n\
- batching: a `rule`; `unbatched`: one example at a time; `refused`: an error, because the dims of results depend on \
data, or the op has effects\n\
- sharding: a `rule`, or `replicated`: each device computes the whole op\n\
- lowering: a `kernel` of the CPU runtime, a `constant`, or `none`\n\n\
| op | evaluation | derivative | batching | sharding | lowering |\n|---|---|---|---|---|---|\n${library_rows}")

# mlir-tblgen's page, without its banner and the marker of a table of contents.
file(READ ${BUILD}/dialects/dist/Reference.md dist)
string(REGEX REPLACE "^<!--[^\n]*-->\n+" "" dist "${dist}")
string(REPLACE "[TOC]\n\n" "Generated from the records in `dialects/dist`; [dist.md](dist.md) gives \
definitions, [dist/decisions.md](dist/decisions.md) reasons.\n\n" dist "${dist}")
put(dist-reference.md "${dist}")

execute_process(COMMAND ${BUILD}/bin/proa-translate --coverage --format=markdown --cases ${SOURCE}/test/corpus
                OUTPUT_VARIABLE coverage COMMAND_ERROR_IS_FATAL ANY)
put(ops-coverage.md "${coverage}")
execute_process(COMMAND ${BUILD}/bin/proa-translate --coverage=onnx --format=markdown
                OUTPUT_VARIABLE onnx_coverage COMMAND_ERROR_IS_FATAL ANY)
put(onnx-ops.md "${onnx_coverage}")
if(stale)
  message(FATAL_ERROR "out of date:${stale}\nrun: cmake --build ${BUILD} --target docs")
endif()
