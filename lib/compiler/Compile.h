/// From imported IR to an executable: the order of all passes, and what comes out.
#pragma once

#include "lib/runtime/Executable.h"
#include "lib/runtime/Plan.h"
#include "proa/Amp.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa {

/// What the order of passes depends on.
struct PipelineOptions {
  /// Run every op that has a decomposition through it, also where the runtime has a kernel for it.
  bool decompose = false;
  /// See ModelOptions.
  std::optional<int64_t> memoryBudget;
  std::optional<AmpOptions> amp;
};

struct CompileOptions : PipelineOptions {
  /// See ModelOptions.
  std::string cpu;
  /// Threads that compile.
  int threads = 1;
  /// Where each stage's IR is written, one file a stage; empty: nowhere.
  std::string dumpDirectory;
  std::function<void(const std::string &what, double part)> progress;
};

struct CompiledProgram {
  runtime::Plan plan;
  std::string archive; ///< object code of the kernels, a static library
};

/// pd as imported to library ops and kernel calls.
void buildCpuPipeline(mlir::OpPassManager &pm, const PipelineOptions &options = {});

/// Whether buildCpuPipeline's passes have formed the module's kernels.
bool hasFormedKernels(mlir::ModuleOp module);

/// Instruction sets (lib/runtime/CpuFeatures.h) that kernels compiled for a CPU may use. `cpu` as in
/// ModelOptions. Error: LLVM does not know it.
Result<std::vector<std::string>> cpuFeaturesOf(const std::string &cpu);

/// Error: LLVM does not know the CPU, or this machine lacks instructions that it has.
Result<void> checkRunsHere(const std::string &cpu);

/// Compiles a module for a CPU. The module is consumed. Where its kernels are formed already,
/// the passes before that are left out.
Result<CompiledProgram> compileForCpu(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      const CompileOptions &options);

/// Loads the object code into this process and resolves the plan's symbols with it. `name` begins the
/// messages.
Result<std::shared_ptr<runtime::Executable>> loadProgram(CompiledProgram program, const std::string &name);

} // namespace proa
