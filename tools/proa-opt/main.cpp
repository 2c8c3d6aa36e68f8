// proa-opt: runs passes of proa and of upstream on MLIR text.
#include "lib/driver/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  proa::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "proa's pass driver", registry));
}
