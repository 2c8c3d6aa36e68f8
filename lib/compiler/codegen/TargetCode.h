/// Compilation of LLVM IR to object code for one CPU.
#pragma once

#include "lib/compiler/codegen/CompileKernels.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace llvm {
class PassBuilder;
}

namespace proa {

/// The CPU and features of the generated code.
struct Target {
  std::string cpu;
  std::string features;
  bool optimizes = true; ///< CodegenOptions::optimizes
};

/// The target of `options`: the CPU of this machine if they have none.
Target chooseTarget(const CodegenOptions &options);

/// A target machine that emits position-independent code. Error: LLVM does not know the CPU.
Result<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Target &target);

/// Sets the target of `module` and optimizes it. A machine without optimizations gets what is required only.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Runs the pipeline that `create` builds on `module`, with the analyses of `builder`.
void runPipeline(llvm::Module &module, llvm::PassBuilder &builder,
                 llvm::function_ref<llvm::ModulePassManager()> create);

/// The object file of an optimized module.
Result<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine);

/// A static library of `objects`.
Result<std::string> makeArchive(llvm::ArrayRef<std::string> objects);

} // namespace proa
