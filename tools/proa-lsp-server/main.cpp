// proa-lsp-server: shows editors the MLIR of proa: diagnostics, definitions, hover, completion.
#include "lib/compiler/Registration.h"
#include "tools/common/MlirTool.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

constexpr const char *help =
    R"(proa-lsp-server: shows editors the MLIR of proa: errors, definitions, hover, completion

Usage: proa-lsp-server [options]        an editor starts it and talks to it over stdin and stdout

In VS Code with the MLIR extension: "mlir.server_path": "proa-lsp-server".

Options:
  --log={error,info,verbose}      What is written to stderr
  --pretty                        Indents the JSON
  --lit-test                      For tests: messages between lines of '// -----'
  --help, -h                      This page
  --help-all                      All options of LLVM
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
