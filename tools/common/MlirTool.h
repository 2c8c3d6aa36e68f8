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

} // namespace proa::tools
