/// A target of compilation: its passes, its code generation, its devices.
#pragma once

#include "lib/compiler/codegen/CompileKernels.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/planner/BuildPlan.h"

#include "llvm/ADT/StringMap.h"

#include <memory>

namespace proa {

/// Machine code of the kernels of a program.
struct KernelCode {
  llvm::StringMap<planner::KernelFacts> facts; ///< by symbol
  std::string archive;                         ///< CompiledProgram::archive
  std::vector<std::string> shapeArchives;
  cuda::DeviceCode deviceCode;
  std::shared_ptr<const DeferredKernels> deferred = {}; ///< CompiledProgram::deferred
};

/// A target: its passes, its code generation, and how its programs are loaded.
class Backend {
public:
  static std::unique_ptr<Backend> create(TargetKind target);
  virtual ~Backend() = default;

  /// Whether kernels run on a GPU: the option `target` of pd-decompose, which keeps ops with kernels there.
  virtual bool isGpu() const = 0;
  /// Whether a library computes large matmuls on the device.
  virtual bool usesMatrixLibrary(const PipelineOptions &options) const { return false; }
  /// Adds the passes of buildKernelPipeline that run last before kernels are formed.
  virtual void addPassesBeforeKernels(mlir::OpPassManager &pm, const PipelineOptions &options) const {}

  /// Finds the chip and its libraries, before all passes. Error: there is none.
  virtual Result<void> chooseChip(CompileOptions &options) { return {}; }
  /// Compiles kernels on linalg; the module is lowered in place.
  virtual Result<KernelCode> compileKernels(mlir::ModuleOp kernels, const CompileOptions &options) const = 0;
  /// See planner::buildPlan; null: no step runs in a library of a device.
  virtual planner::DeviceLibraryChoice libraryChoice(const CompileOptions &options) const { return nullptr; }

  /// The device for copy `offset` of a loaded program; null: programs have none.
  virtual Result<std::shared_ptr<runtime::Device>> openDevice(const CompiledProgram &program,
                                                              int offset) const {
    return std::shared_ptr<runtime::Device>();
  }
  /// How kernels are called; empty: directly.
  virtual runtime::KernelInvoker kernelInvoker() const { return {}; }
};

/// The backend of TargetKind::Cuda (lib/compiler/cuda).
std::unique_ptr<Backend> createCudaBackend();

/// Passes that all GPU targets run before kernels are formed.
void addGpuPassesBeforeKernels(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Compiles all kernels of the module for this machine and adds them to `code`. `codegen` says how; options
/// that do not depend on the target are set here.
Result<void> addHostKernels(mlir::ModuleOp kernels, const CompileOptions &options, CodegenOptions codegen,
                            KernelCode &code);

} // namespace proa
