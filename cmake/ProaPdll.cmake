# proa_pdll(target file.pdll): compiles patterns in PDLL, which include "pd.pdll", for a source of the target. It
# includes FILE.pdll.inc after mlir/IR/PatternMatch.h, mlir/Dialect/PDL/IR/PDLOps.h and mlir/Parser/Parser.h, and calls
# populateGeneratedPDLLPatterns(patterns). PROA_PDLL_FOLDERS are the folders of pd.pdll and of the ops.
find_program(PROA_MLIR_PDLL NAMES mlir-pdll PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
function(proa_pdll target file)
  if(NOT PROA_MLIR_PDLL)
    message(FATAL_ERROR "mlir-pdll was not found in ${LLVM_TOOLS_BINARY_DIR} (Debian: mlir-22-tools)")
  endif()
  set(input ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${file}.inc)
  list(TRANSFORM PROA_PDLL_FOLDERS PREPEND "-I" OUTPUT_VARIABLE folders)
  list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE records)
  add_custom_command(OUTPUT ${output}
    COMMAND ${PROA_MLIR_PDLL} -x=cpp ${input} ${folders} ${records} -o ${output}
    DEPENDS ${input} ${PROA_PDLL_FILES}
    COMMENT "patterns ${file}")
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
