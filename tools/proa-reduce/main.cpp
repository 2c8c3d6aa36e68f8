// proa-reduce: makes MLIR text smaller while a test script still finds it interesting.
#include "lib/driver/Registration.h"
#include "tools/common/MlirTool.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  proa::tools::setToolVersion("proa-reduce");
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  proa::registerAllPasses();
  mlir::MLIRContext context(registry);
  return llvm::failed(mlir::mlirReduceMain(argc, argv, context)) ? 1 : 0;
}
