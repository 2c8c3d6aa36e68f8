// proa-lsp-server: shows editors the MLIR of proa: diagnostics, definitions, hover, completion.
#include "lib/driver/Registration.h"
#include "tools/common/MlirTool.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  proa::tools::setToolVersion("proa-lsp-server");
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
