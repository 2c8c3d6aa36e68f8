# cmake -DSOURCE=... -P CheckCases.cmake: fails if a program of test/cases has op_callstack, which contains file names
# of the machine that exported it.
file(GLOB_RECURSE programs ${SOURCE}/test/cases/*.json)
foreach(program ${programs})
  file(STRINGS ${program} found REGEX "op_callstack" LIMIT_COUNT 1)
  if(found)
    list(APPEND wrong ${program})
  endif()
endforeach()
if(wrong)
  list(JOIN wrong "\n  " wrong)
  message(FATAL_ERROR "take op_callstack, which names files of one machine, out of\n  ${wrong}")
endif()
