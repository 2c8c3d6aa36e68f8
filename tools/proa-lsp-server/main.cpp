// proa-lsp-server: a language server for the MLIR of proa: diagnostics, definitions, hover, completion.
#include "lib/compiler/compile/Registration.h"
#include "tools/common/MlirTool.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

constexpr const char *help =
    R"(proa-lsp-server: language server for the MLIR of proa: errors, definitions, hover, completion

Usage: proa-lsp-server [options]        started by an editor; communicates over stdin and stdout

In VS Code with the MLIR extension: "mlir.server_path": "proa-lsp-server".

Options:
  --log={error,info,verbose}      Level of the log on stderr
  --pretty                        Indents the JSON
  --lit-test                      For tests: messages between lines of '// -----'
  --help, -h                      Prints this page
  --help-all                      Prints all options of LLVM
  --version
)";

int main(int argc, char **argv) {
  proa::tools::setToolVersion("proa-lsp-server");
  if (proa::tools::answerHelp(argc, argv, help))
    return 0;
  mlir::DialectRegistry registry;
  proa::registerAllDialects(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
