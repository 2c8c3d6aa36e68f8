// proa-lsp-server: a language server for the MLIR of proa: diagnostics, definitions, hover, completion.
#include "lib/compiler/compile/Registration.h"
#include "proa/Model.h"
#include "tools/common/CommandLine.h"
#include "tools/proa-lsp-server/Relay.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Config/llvm-config.h"

using namespace proa::tools;

int main(int argc, char **argv) {
  proa::lsp::RelayOptions options;
  bool isTest = false;
  CommandLine line(
      "proa-lsp-server",
      "Language server for the MLIR of proa: errors, definitions, documentation, completion. An editor\n"
      "starts it, and communicates over stdin and stdout.",
      "  In VS Code with the MLIR extension: \"mlir.server_path\": \"proa-lsp-server\"\n");
  line.set_version_flag("--version",
                        "proa-lsp-server " + proa::version() + " (LLVM " LLVM_VERSION_STRING ")");
  line.add_option("--log", options.log, "Level of the log on stderr")
      ->check(CLI::IsMember({"error", "info", "verbose"}))
      ->capture_default_str();
  line.add_flag("--pretty", options.isPretty, "Indents the JSON");
  line.add_flag("--lit-test", isTest, "For tests: messages between lines of '// -----', indented JSON");
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  options.isPretty |= isTest;
  options.isDelimited = isTest;
  return runTool(line, [&] {
    mlir::DialectRegistry registry;
    proa::registerAllDialects(registry);
    return proa::lsp::runServer(registry, options);
  });
}
