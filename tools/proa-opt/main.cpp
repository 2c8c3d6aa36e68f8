// proa-opt: runs passes of proa and of upstream on MLIR text.
#include "lib/driver/Registration.h"
#include "tools/common/MlirTool.h"
#include "tools/proa-opt/Help.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  proa::tools::setToolVersion("proa-opt");
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  proa::registerAllPasses();
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef argument = argv[i]; argument == "--help" || argument == "-help" || argument == "-h") {
      proa::tools::printHelp();
      return 0;
    } else if (argument == "--help-all") {
      argv[i] = const_cast<char *>("--help"); // LLVM hides none of the options that this stands for
    }
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "proa's pass driver", registry));
}
