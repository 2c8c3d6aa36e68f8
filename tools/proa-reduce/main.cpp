// proa-reduce: makes MLIR text smaller while a test script still finds it interesting.
#include "lib/driver/Registration.h"
#include "tools/common/MlirTool.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/LogicalResult.h"

constexpr const char *help =
    R"(proa-reduce: makes an MLIR file smaller while a test still finds it interesting

Usage: proa-reduce <input file> --reduction-tree='traversal-mode=0 test=<script>' [-o <file>]

The script is given the path of a candidate; it ends with 1 where the candidate is interesting (fails as the
input does), with 0 where it is not.

Example, for an input on which a pass crashes:
  printf '#!/bin/sh\n! proa-opt --proa-cpu "$1" 2>&1 | grep -q "the message"\n' > test.sh; chmod +x test.sh
  proa-reduce failing.mlir --reduction-tree='traversal-mode=0 test=./test.sh' -o small.mlir

Options:
  -o <file>                                          Where the result is written; '-': stdout
  --reduction-tree='traversal-mode=0 test=<script>'  Removes ops and functions
  --opt-reduction-pass='opt-pass=<pass> test=<script>'
                                                     Runs a pass and keeps its result where it is as interesting
  --help, -h                                         This page
  --help-all                                         All passes and all options of LLVM
  --version

Exit codes: 0 done, 1 something failed or a wrong command line.
)";

int main(int argc, char **argv) {
  proa::tools::setToolVersion("proa-reduce");
  if (proa::tools::answerHelp(argc, argv, help))
    return 0;
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  proa::registerAllPasses();
  mlir::MLIRContext context(registry);
  return llvm::failed(mlir::mlirReduceMain(argc, argv, context)) ? 1 : 0;
}
