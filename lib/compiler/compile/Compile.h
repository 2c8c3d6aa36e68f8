/// Compilation of imported IR to an executable.
#pragma once

#include "lib/base/target/TargetFacts.h"
#include "lib/compiler/codegen/CompileKernels.h"
#include "lib/compiler/compile/Target.h"
#include "lib/runtime/cuda/DeviceCode.h"
#include "lib/runtime/plan/Plan.h"
#include "lib/runtime/run/Executable.h"
#include "proa/Amp.h"
#include "proa/Diagnostic.h"
#include "proa/Offload.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
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
  /// Calls of kernels have the locations of the kernel's ops (`#proa.kernel_call`).
  bool opLocations = false;
  /// The module went through buildProgramPipeline already: it is the program of one rank of a mesh.
  bool isLocal = false;
  /// Where kernels run. On a GPU they compute matmuls too.
  TargetKind target = TargetKind::Cpu;
  /// With TargetKind::Cuda: the number of the device.
  int device = 0;
  /// With TargetKind::Cuda: the device has a library for large matmuls; compileProgram sets it.
  bool hasMatrixLibrary = false;
  /// See ModelOptions.
  bool allowsAtomicSums = false;
  /// See ModelOptions.
  std::string passes;
  std::vector<std::string> patterns;
};

struct CompileOptions : PipelineOptions {
  /// See ModelOptions.
  std::string cpu;
  /// CodegenOptions::optimizes.
  bool optimizesCode = true;
  /// CodegenOptions::deferBelow, for TargetKind::Cpu and programs that change no states.
  double deferBelow = 0;
  /// See ModelOptions.
  bool allowsTf32 = false;
  /// The chip that kernels are compiled for with TargetKind::Cuda ("sm_90a"). Empty: the chip of the device,
  /// which must exist; its libraries are then asked which ops they compute. Otherwise `cudaLibraries` are
  /// assumed to be there.
  std::string chip;
  /// With `chip`: the libraries of CUDA that compute ops ("cublaslt", ...; cuda::libraryNames); nothing: all.
  std::optional<std::vector<std::string>> cudaLibraries;
  /// Plans without code: the result has no archive. For TargetKind::Cpu.
  bool plansOnly = false;
  /// Ranks of a mesh share devices, so that collectives run on the host.
  bool ranksShareDevices = false;
  /// Folder of the cache of machine code for devices; empty: the default one, "off": none.
  std::string cacheDirectory;
  /// The tuning database (Tuning.h) that chooses strategies of kernels for a device; empty:
  /// defaultTuningFile(), "off": none.
  std::string tuningFile;
  /// Called with the kernels for a device, on linalg, before they are lowered.
  std::function<Result<void>(mlir::ModuleOp kernels)> onDeviceKernels;
  /// Begins the names of all kernels, so that several programs can be linked into one library.
  std::string symbolPrefix;
  /// See ModelOptions.
  std::string targetFacts;
  /// Number of threads that compile.
  int threads = 1;
  /// Folder for the IR of each stage, one file per stage; empty: none is written.
  std::string dumpDirectory;
  std::function<void(const std::string &what, double fraction)> progress;
  /// Once it is requested, compilation ends with an error before the next stage.
  std::stop_token stop;
  /// Passes whose remarks are reported; see ModelOptions. onRemark receives warnings of passes too.
  std::string remarks;
  std::function<void(const Diagnostic &remark)> onRemark;
};

struct CompiledProgram {
  runtime::Plan plan;
  std::string archive; ///< object code of the kernels, a static library
  /// The kernels of `archive` that are not optimized yet (CompileOptions::deferBelow); null: none.
  std::shared_ptr<const DeferredKernels> deferred;
  TargetKind target = TargetKind::Cpu;
  int device = 0; ///< TargetKind::Cuda: the number of the device that runs it
  /// For a CUDA device: object code of the functions that compute the shapes of its kernels, and the kernels.
  std::vector<std::string> shapeArchives;
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
  /// Of its entry in the cache; empty without one.
  std::string cacheKey = {};
};

/// The passes from imported pd to library ops and kernel calls: buildProgramPipeline, then
/// buildKernelPipeline.
void buildCompilePipeline(mlir::OpPassManager &pm, const PipelineOptions &options = {});
/// The passes that a program for a mesh goes through before it is distributed: mixed precision, gradients.
void buildProgramPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// The passes that depend on the sizes of local tensors.
void buildKernelPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Writes the IR of a stage to the folder of dumps, if there is one. Error: a file that cannot be written.
Result<void> dumpStage(mlir::ModuleOp module, const std::string &directory, const char *stage);

/// Runs the passes of buildCompilePipeline, if kernels are not formed yet. Error: a pass fails.
Result<void> formKernels(mlir::ModuleOp module, const PipelineOptions &options);

/// The remark name for CUDA graphs (runtime::Executable::describeGraphs), beside the names of passes.
inline constexpr const char *graphRemarks = "cuda-graphs";
/// Whether a valid ModelOptions::remarks matches a name.
bool remarksMatch(const std::string &passes, const std::string &name);

/// Checks ModelOptions::remarks. Error: not a regular expression, or no pass of the compiler and of the
/// pipeline `userPasses` (ModelOptions::passes) matches it.
Result<void> checkRemarks(const std::string &passes, const std::string &userPasses = "");

/// Whether the kernels of the module are formed already (buildCompilePipeline).
bool hasFormedKernels(mlir::ModuleOp module);

/// Instruction sets (lib/runtime/host/CpuFeatures.h) of a CPU, named as in ModelOptions. Error: LLVM does not
/// know it.
Result<std::vector<std::string>> cpuFeaturesOf(const std::string &cpu);

/// Checks that this machine can run code for the CPU. Error: LLVM does not know the CPU, or the machine lacks
/// some of its instructions.
Result<void> checkRunsHere(const std::string &cpu);

/// Compiles a module for CompileOptions::target and consumes it. If its kernels are formed already, the
/// passes before are skipped.
Result<CompiledProgram> compileProgram(mlir::OwningOpRef<mlir::ModuleOp> module,
                                       const CompileOptions &options);

/// A compiled program whose object code is in this process. Its executables share the code and the plan.
class LoadedProgram {
public:
  static Result<std::shared_ptr<const LoadedProgram>> load(CompiledProgram program);

  /// An executable without parameters. `name` begins its messages. For a CUDA device: on the device
  /// CompiledProgram::device + offset, modulo the number of devices.
  Result<std::shared_ptr<runtime::Executable>> instantiate(const std::string &name, int offset = 0) const;
  const runtime::Plan &plan() const { return *shared; }
  /// Replaces the object code by other code of the same kernels, in present and future executables, while
  /// they run. Error: it cannot be linked.
  Result<void> replaceCode(const std::string &archive) const;

private:
  LoadedProgram() = default;

  std::shared_ptr<const runtime::Plan> shared;
  CompiledProgram program;  ///< without plan and archives
  mutable std::mutex mutex; ///< guards what follows
  mutable std::shared_ptr<const void> code;
  mutable runtime::KernelResolver resolve; ///< one call at a time
  mutable std::vector<std::weak_ptr<runtime::Executable>> executables;
};

/// The only executable of a program. `name` begins its messages.
Result<std::shared_ptr<runtime::Executable>> loadProgram(CompiledProgram program, const std::string &name);

} // namespace proa
