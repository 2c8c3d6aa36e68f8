/// Help and version of tools on MLIR's main functions.
#pragma once

#include "proa/Model.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace proa::tools {

/// Makes --version print proa's version, followed by LLVM's.
inline void setToolVersion(const char *name) {
  llvm::cl::SetVersionPrinter([name](llvm::raw_ostream &out) {
    out << name << " " << proa::version() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
  });
}

/// Prints `page` for --help and returns true. Turns --help-all into LLVM's page with every option of the
/// linked libraries.
inline bool answerHelp(int argc, char **argv, const char *page) {
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef argument = argv[i]; argument == "--help" || argument == "-help" || argument == "-h") {
      llvm::outs() << page;
      return true;
    } else if (argument == "--help-all") {
      argv[i] = const_cast<char *>("--help");
    }
  return false;
}

} // namespace proa::tools
