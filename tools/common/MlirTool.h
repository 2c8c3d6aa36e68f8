/// What the tools on MLIR's own main functions add to them.
#pragma once

#include "proa/Model.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace proa::tools {

/// Makes --version tell proa's version, and LLVM's behind it.
inline void setToolVersion(const char *name) {
  llvm::cl::SetVersionPrinter([name](llvm::raw_ostream &out) {
    out << name << " " << proa::version() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
  });
}

/// Answers --help with `page` (true: the tool is done), and makes --help-all the page of LLVM, which lists
/// every option that the libraries behind a tool have.
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
