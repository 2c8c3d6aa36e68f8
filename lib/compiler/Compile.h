/// Compilation of imported IR to an executable.
#pragma once

#include "lib/compiler/Target.h"
#include "lib/runtime/Executable.h"
#include "lib/runtime/Plan.h"
#include "lib/runtime/cuda/DeviceCode.h"
#include "proa/Amp.h"
#include "proa/Diagnostic.h"
#include "proa/Offload.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa {

/// Options that change the order of passes.
struct PipelineOptions {
  /// Decomposes all composite ops, also those with a runtime kernel.
  bool decompose = false;
  /// See ModelOptions.
  std::optional<int64_t> memoryBudget;
  std::optional<AmpOptions> amp;
  std::optional<OffloadOptions> offload;
  /// Calls of kernels have the locations of the kernel's ops (opLocationsAttribute).
  bool opLocations = false;
  /// The module went through buildProgramPipeline already: it is the program of one rank of a mesh.
  bool isLocal = false;
  /// Where kernels run. On a GPU they compute products of matrices too.
  TargetKind target = TargetKind::Cpu;
  /// With TargetKind::Cuda: the device has a library for large products of matrices.
  bool hasMatrixLibrary = false;
};

struct CompileOptions : PipelineOptions {
  /// See ModelOptions.
  std::string cpu;
  /// Number of threads that compile.
  int threads = 1;
  /// Folder for the IR of each stage, one file per stage; empty: none is written.
  std::string dumpDirectory;
  std::function<void(const std::string &what, double part)> progress;
  /// Passes whose remarks are reported; see ModelOptions.
  std::string remarks;
  std::function<void(const Diagnostic &remark)> onRemark;
};

struct CompiledProgram {
  runtime::Plan plan;
  std::string archive; ///< object code of the kernels, a static library
  TargetKind target = TargetKind::Cpu;
  /// For a CUDA device: object code of the functions that compute the shapes of its kernels, and the kernels.
  std::string shapeArchive;
  cuda::DeviceCode deviceCode;
};

/// The result of compiling a program for one device, or for some ranks of a mesh.
struct Compilation {
  /// Without repetitions: ranks with equal programs share one.
  std::vector<CompiledProgram> programs;
  /// For each compiled rank, ascending: the index of its program.
  std::vector<size_t> programOf;
  /// See meshInterfaceText; empty without a mesh.
  std::string interface;
};

/// The passes from imported pd to library ops and kernel calls: buildProgramPipeline, then
/// buildKernelPipeline.
void buildCpuPipeline(mlir::OpPassManager &pm, const PipelineOptions &options = {});
/// The passes that a program for a mesh goes through before it is distributed: mixed precision, gradients.
void buildProgramPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// The passes that depend on the sizes of local tensors.
void buildKernelPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Writes the IR of a stage to the folder of dumps, if there is one. Error: a file that cannot be written.
Result<void> dumpStage(mlir::ModuleOp module, const std::string &directory, const char *stage);

/// Runs the passes of buildCpuPipeline, if kernels are not formed yet. Error: a pass fails.
Result<void> formKernels(mlir::ModuleOp module, const PipelineOptions &options);

/// Checks ModelOptions::remarks. Error: not a regular expression, or no pass of the compiler matches it.
Result<void> checkRemarks(const std::string &passes);

/// Whether the kernels of the module are formed already (buildCpuPipeline).
bool hasFormedKernels(mlir::ModuleOp module);

/// Instruction sets (lib/runtime/CpuFeatures.h) of a CPU, named as in ModelOptions. Error: LLVM does not know
/// it.
Result<std::vector<std::string>> cpuFeaturesOf(const std::string &cpu);

/// Checks that this machine can run code for the CPU. Error: LLVM does not know the CPU, or the machine lacks
/// some of its instructions.
Result<void> checkRunsHere(const std::string &cpu);

/// Compiles a module for a CPU and consumes it. If its kernels are formed already, the passes before are
/// skipped.
Result<CompiledProgram> compileForCpu(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      const CompileOptions &options);

/// Loads the object code into this process and resolves the symbols of the plan. `name` is used in messages.
Result<std::shared_ptr<runtime::Executable>> loadProgram(CompiledProgram program, const std::string &name);
/// The same for `count` executables, which share the object code.
Result<std::vector<std::shared_ptr<runtime::Executable>>> loadProgram(CompiledProgram program,
                                                                      const std::string &name, size_t count);

} // namespace proa
